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

inline constexpr const char* result_schema = "tsuji.result/1";

/// Rows under named columns, as they come into result.json. An empty unit means that the column has none.
class ResultTable {
 public:
  struct Column {
    std::string name, unit;
  };
  ResultTable(std::string name, std::vector<Column> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}

  /// One cell a column, or a ModelError.
  void row(std::vector<Value> cells);

  const std::string& name() const { return name_; }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Value>>& rows() const { return rows_; }

 private:
  void check(const std::vector<Value>& cells) const;

  std::string name_;
  std::vector<Column> columns_;
  std::vector<std::vector<Value>> rows_;
};

/// Results of a run, written in the order in which they were added, so that equal runs give
/// equal bytes. ModelError: a metric or table twice, a number that is not finite.
class Results {
 public:
  Results(std::string platform, std::string version, std::uint64_t seed,
          const nlohmann::ordered_json& config);
  /// Of a run without a configuration.
  Results(std::string platform, std::string version, std::uint64_t seed);

  /// `value`: an integer, a real number, a text, or nullptr where there is none (the mean of nothing). With a
  /// `label` it is shown, as by show().
  void metric(const std::string& name, Value value, const std::string& unit, const std::string& label = "",
              const std::string& paper = "");
  /// The reference stays valid while further tables are added.
  ResultTable& table(const std::string& name, std::vector<ResultTable::Column> columns);

  /// Puts a metric into the table on the terminal, under `label` and with the paper's value if it has one.
  /// Without any such line all metrics are printed. A metric that is never added is a ModelError when the
  /// table is made.
  void show(const std::string& metric, const std::string& label, const std::string& paper = "");
  /// Puts the first rows of a table onto the terminal, below the lines of show(), under `title`: all columns,
  /// or those that are named.
  void show_rows(const std::string& table, std::size_t rows, const std::string& title,
                 const std::vector<std::string>& columns = {});
  /// Marks a metric's number as a lower bound: what would have raised it is missing. It is shown as ">= X"
  /// and named in the table `lower_bounds`, which is there only then. A null stays what it is. ModelError for
  /// a metric that was not added.
  void lower_bound(const std::string& metric);
  /// Says in one sentence that the user asked for something of which the run has nothing: a line on the
  /// terminal, and one in the list `warnings`, which is there only then.
  void warn(const std::string& sentence) { warnings_.push_back(sentence); }
  /// The source that the executable was built from.
  void revision(const std::string& text) { revision_ = text; }
  /// The run was ended by a signal, named here, before it was complete: its results are those up to then.
  void ended_by(const std::string& signal) { ended_by_ = signal; }
  bool partial() const { return !ended_by_.empty(); }
  /// One line for the terminal above the table: what was simulated.
  void headline(const std::string& text) { headline_ = text; }
  /// A file that the run leaves beside result.json, for the list below the table: its name there.
  void file(const std::string& name, const std::string& what) { files_.push_back({name, what}); }
  /// For the terminal: the headline, the lines chosen by show() in aligned columns (name, value, unit,
  /// paper), and where the files are, below `folder`. Not part of result.json.
  std::string summary(const std::string& folder) const;

  /// ModelError for a metric that was not added, and for a table that was not.
  const Value& value(const std::string& metric) const;
  const ResultTable& rows_of(const std::string& table) const;

  nlohmann::ordered_json to_json() const;
  /// The text of result.json, without its last line's end.
  std::string text() const;
  /// Writes result.json; OutputError if the file cannot be written.
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
  std::vector<std::pair<std::string, std::string>> files_;  ///< name, what it is
};

/// Checks a document against the schema "tsuji.result/1"; each line of the answer names a place (JSON
/// pointer) and what is wrong there. Empty: valid. Unknown members are refused at every level but inside
/// `config`.
std::vector<std::string> validate_result(const nlohmann::ordered_json& document);

}  // namespace tsuji::observe
