// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/results/value.h"

namespace tsuji::observe {

/// Name and version of the form of result.json, the value of its member `schema`.
inline constexpr const char* result_schema = "tsuji.result/1";

/// Table of rows under named columns, written to result.json. An empty unit means that a column has no unit.
class ResultTable {
 public:
  /// Name and unit of a column.
  struct Column {
    std::string name,  ///< Name in the header of the table.
        unit;          ///< Unit; empty: none.
  };
  /// Table without rows.
  ResultTable(std::string name, std::vector<Column> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}

  /// Adds a row of one cell for each column. Throws ModelError for any other number of cells.
  void row(std::vector<Value> cells);

  /// Name of the table in result.json.
  const std::string& name() const { return name_; }
  /// Columns from left to right.
  const std::vector<Column>& columns() const { return columns_; }
  /// Rows in the order in which they were added; each has one cell for each column.
  const std::vector<std::vector<Value>>& rows() const { return rows_; }

 private:
  void check(const std::vector<Value>& cells) const;

  std::string name_;
  std::vector<Column> columns_;
  std::vector<std::vector<Value>> rows_;
};

/// Results of a run, written in the order in which they were added, so that equal runs write equal bytes.
/// Throws ModelError for a metric or table added twice and for a number that is not finite.
class Results {
 public:
  /// Results of one run: the platform's name, the version of the library, the seed, and the value of every
  /// key.
  Results(std::string platform, std::string version, std::uint64_t seed,
          const nlohmann::ordered_json& config);
  /// Constructs the results of a run without a configuration.
  Results(std::string platform, std::string version, std::uint64_t seed);

  /// Adds a metric. `value` is an integer, a real number, a text, or nullptr if there is no value (the mean
  /// of no samples). A `label` shows the metric on the terminal, as show() does.
  void metric(const std::string& name, Value value, const std::string& unit, const std::string& label = "",
              const std::string& paper = "");
  /// Adds a table. The reference stays valid while further tables are added.
  ResultTable& table(const std::string& name, std::vector<ResultTable::Column> columns);

  /// Shows a metric in the table on the terminal under `label`, with the paper's value in `paper` if the
  /// paper has one. Without any call of show() all metrics are printed. summary() throws ModelError if the
  /// metric is never added.
  void show(const std::string& metric, const std::string& label, const std::string& paper = "");
  /// Shows the first rows of a table on the terminal below the metrics, under `title`, with all columns or
  /// the named ones.
  void show_rows(const std::string& table, std::size_t rows, const std::string& title,
                 const std::vector<std::string>& columns = {});
  /// Marks a metric as a lower bound because data that would raise it is missing. The terminal shows ">= X",
  /// and the table `lower_bounds`, present only with such metrics, lists it. A null stays null. Throws
  /// ModelError for a metric that was not added.
  void lower_bound(const std::string& metric);
  /// Adds a warning of one sentence, for a request of the user for which the run has no data: a line on the
  /// terminal and an element of the list `warnings`, present only with warnings.
  void warn(const std::string& sentence) { warnings_.push_back(sentence); }
  /// Sets the source revision of the executable.
  void revision(const std::string& text) { revision_ = text; }
  /// Marks the results as partial: the signal named here ended the run before it was complete.
  void ended_by(const std::string& signal) { ended_by_ = signal; }
  /// True after ended_by(): a signal has ended the run early.
  bool partial() const { return !ended_by_.empty(); }
  /// Sets the line above the table on the terminal: a description of what was simulated.
  void headline(const std::string& text) { headline_ = text; }
  /// Adds a file in the folder of result.json to the list below the table; `what` describes the file.
  void file(const std::string& name, const std::string& what) { files_.push_back({name, what}); }
  /// Text for the terminal: the headline, the metrics chosen by show() in aligned columns (name, value, unit,
  /// paper), and the files in `folder`. It is not part of result.json.
  std::string summary(const std::string& folder) const;

  /// Value of a metric, rows of a table. Throws ModelError for a name that was not added.
  const Value& value(const std::string& metric) const;
  /// Rows of a table. Throws ModelError for a name that was not added.
  const ResultTable& rows_of(const std::string& table) const;

  /// Contents of result.json.
  nlohmann::ordered_json to_json() const;
  /// Text of result.json, without the newline at its end.
  std::string text() const;
  /// Writes result.json. Throws OutputError if the file cannot be written.
  void write(const std::string& path) const;

 private:
  struct Metric {
    std::string name;
    Value value;
    std::string unit;
    bool is_lower_bound = false;
  };
  struct Line {
    std::string metric, label, paper;
  };
  const Metric* find(const std::string& name) const;

  std::string platform_, version_;
  std::uint64_t seed_;
  std::shared_ptr<const nlohmann::ordered_json> config_;
  std::vector<Metric> metrics_;
  std::deque<ResultTable> tables_;
  std::string headline_, revision_, ended_by_;
  std::vector<std::string> warnings_;
  std::vector<Line> lines_;
  struct ShownRows {
    std::string table;
    std::size_t rows;
    std::string title;
    std::vector<std::string> columns;
  };
  std::string rows_text(const ShownRows& shown) const;
  std::vector<ShownRows> shown_rows_;
  std::vector<std::pair<std::string, std::string>> files_;  ///< Pairs of a file's name and its description.
};

/// Validates a document against the schema "tsuji.result/1". Each line of the answer has a place (JSON
/// pointer) and the violation; an empty answer means valid. Unknown members are refused at every level except
/// inside `config`.
std::vector<std::string> validate_result(const nlohmann::ordered_json& document);

}  // namespace tsuji::observe
