// SPDX-License-Identifier: Apache-2.0
#include "tsuji/results/results.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"
#include "tsuji/results/text_table.h"

namespace tsuji::observe {
namespace {

using Json = nlohmann::ordered_json;

bool is_value(const Json& value) {
  return value.is_null() || value.is_string() || (value.is_number() && std::isfinite(value.get<double>()));
}

void check_value(const std::string& place, const Value& value) {
  if (value.is_real() && !std::isfinite(value.number()))
    throw ModelError("results", place + " is not a finite number: " + value.text());
}

/// Collects what is wrong with a document.
class Checker {
 public:
  std::vector<std::string> problems;

  void wrong(const std::string& place, const std::string& what) { problems.push_back(place + ": " + what); }

  /// An object with exactly these members, and of the optional ones any; false if there is nothing to look
  /// into further.
  bool members(const Json& object, const std::string& place, const std::vector<std::string>& names,
               const std::vector<std::string>& optional = {}) {
    if (!object.is_object()) {
      wrong(place, "not an object");
      return false;
    }
    bool complete = true;
    for (const std::string& name : names) {
      if (object.contains(name)) continue;
      wrong(place, "'" + name + "' is missing");
      complete = false;
    }
    std::set<std::string> known(names.begin(), names.end());
    known.insert(optional.begin(), optional.end());
    for (const auto& member : object.items()) {
      if (known.count(member.key()) == 0) wrong(place, "unknown member '" + member.key() + "'");
    }
    return complete;
  }

  void text(const Json& value, const std::string& place, bool may_be_empty) {
    if (!value.is_string()) {
      wrong(place, "not a text");
    } else if (!may_be_empty && value.get_ref<const std::string&>().empty()) {
      wrong(place, "empty");
    }
  }

  /// Members that results of before do not have: those are complete.
  void status(const Json& document) {
    if (document.contains("revision")) text(document["revision"], "/revision", false);
    const Json status = document.value("status", Json("complete"));
    if (status != "complete" && status != "partial")
      wrong("/status", status.dump() + R"( is neither "complete" nor "partial")");
    if (document.contains("ended_by") != (status == "partial"))
      wrong("/ended_by", "must be present in partial results and absent from complete ones");
    if (document.contains("ended_by")) text(document["ended_by"], "/ended_by", false);
  }

  void warnings(const Json& document) {
    if (!document.contains("warnings")) return;
    const Json& warnings = document["warnings"];
    if (!warnings.is_array() || warnings.empty()) return wrong("/warnings", "not a list of sentences");
    for (std::size_t i = 0; i < warnings.size(); ++i)
      text(warnings[i], "/warnings/" + std::to_string(i), false);
  }

  void metrics(const Json& metrics) {
    if (!metrics.is_object()) return wrong("/metrics", "not an object");
    for (const auto& metric : metrics.items()) {
      const std::string place = "/metrics/" + metric.key();
      if (!members(metric.value(), place, {"value", "unit"})) continue;
      if (!is_value(metric.value()["value"])) wrong(place + "/value", "neither a number, a text nor null");
      text(metric.value()["unit"], place + "/unit", true);
    }
  }

  void tables(const Json& tables) {
    if (!tables.is_object()) return wrong("/tables", "not an object");
    for (const auto& table : tables.items()) {
      const std::string place = "/tables/" + table.key();
      if (!members(table.value(), place, {"columns", "rows"})) continue;
      columns(table.value()["columns"], place + "/columns");
      rows(table.value()["rows"], place + "/rows", table.value()["columns"].size());
    }
  }

 private:
  void columns(const Json& columns, const std::string& place) {
    if (!columns.is_array() || columns.empty()) return wrong(place, "not a list of columns");
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string column_place = place + "/" + std::to_string(i);
      if (!members(columns[i], column_place, {"name", "unit"})) continue;
      text(columns[i]["name"], column_place + "/name", false);
      text(columns[i]["unit"], column_place + "/unit", true);
    }
  }

  void rows(const Json& rows, const std::string& place, std::size_t columns) {
    if (!rows.is_array()) return wrong(place, "not a list of rows");
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::string row_place = place + "/" + std::to_string(r);
      if (!rows[r].is_array() || rows[r].size() != columns) {
        wrong(row_place, "not a list of " + std::to_string(columns) + " cells");
        continue;
      }
      for (std::size_t c = 0; c < columns; ++c) {
        if (!is_value(rows[r][c]))
          wrong(row_place + "/" + std::to_string(c), "neither a number, a text nor null");
      }
    }
  }
};

}  // namespace

void ResultTable::check(const std::vector<Value>& cells) const {
  if (cells.size() != columns_.size()) {
    throw ModelError("results", "table " + name_ + " has " + std::to_string(columns_.size()) +
                                    " columns, a row " + std::to_string(cells.size()));
  }
  for (const Value& cell : cells) check_value("a cell of table " + name_, cell);
}

void ResultTable::row(std::vector<Value> cells) {
  check(cells);
  rows_.push_back(std::move(cells));
}

Results::Results(std::string platform, std::string version, std::uint64_t seed, const Json& config)
    : platform_(std::move(platform)),
      version_(std::move(version)),
      seed_(seed),
      config_(std::make_shared<const Json>(config)) {}

Results::Results(std::string platform, std::string version, std::uint64_t seed)
    : Results(std::move(platform), std::move(version), seed, Json::object()) {}

const Results::Metric* Results::find(const std::string& name) const {
  for (const Metric& metric : metrics_) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

void Results::metric(const std::string& name, Value value, const std::string& unit, const std::string& label,
                     const std::string& paper) {
  if (find(name) != nullptr) throw ModelError("results", "metric " + name + " was added twice");
  check_value("metric " + name, value);
  metrics_.push_back({name, std::move(value), unit});
  if (!label.empty()) show(name, label, paper);
}

void Results::lower_bound(const std::string& metric) {
  for (Metric& known : metrics_) {
    if (known.name != metric) continue;
    known.is_lower_bound = !known.value.is_null();
    return;
  }
  throw ModelError("results", "there is no metric " + metric + " that could be a lower bound");
}

const Value& Results::value(const std::string& metric) const {
  const Metric* const found = find(metric);
  if (found == nullptr) throw ModelError("results", "metric " + metric + " was not added");
  return found->value;
}

const ResultTable& Results::rows_of(const std::string& table) const {
  for (const ResultTable& found : tables_) {
    if (found.name() == table) return found;
  }
  throw ModelError("results", "table " + table + " was not added");
}

ResultTable& Results::table(const std::string& name, std::vector<ResultTable::Column> columns) {
  for (const ResultTable& table : tables_) {
    if (table.name() == name) throw ModelError("results", "table " + name + " was added twice");
  }
  return tables_.emplace_back(name, std::move(columns));
}

void Results::show(const std::string& metric, const std::string& label, const std::string& paper) {
  lines_.push_back({metric, label, paper});
}

void Results::show_rows(const std::string& table, std::size_t rows, const std::string& title,
                        const std::vector<std::string>& columns) {
  shown_rows_.push_back({table, rows, title, columns});
}

std::string Results::rows_text(const ShownRows& shown) const {
  const auto found = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const ResultTable& table) { return table.name() == shown.table; });
  if (found == tables_.end() && partial()) return "";  // the run has not come so far
  if (found == tables_.end()) throw ModelError("results", "there is no table " + shown.table + " to show");
  const std::vector<std::vector<Value>>& rows = found->rows();
  if (rows.empty() || shown.rows == 0) return "";
  std::vector<std::string> headings, units;
  std::vector<std::size_t> chosen;
  const std::vector<ResultTable::Column>& columns = found->columns();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto named = std::find(shown.columns.begin(), shown.columns.end(), columns[c].name);
    if (!shown.columns.empty() && named == shown.columns.end()) continue;
    chosen.push_back(c);
    headings.push_back(columns[c].name);
    units.push_back(columns[c].unit);
  }
  TextTable text(headings, units);
  for (std::size_t r = 0; r < std::min(rows.size(), shown.rows); ++r) {
    std::vector<std::string> cells;
    for (const std::size_t c : chosen) cells.push_back(value_text(rows[r][c]));
    text.row(std::move(cells));
  }
  return "\n" + shown.title + "\n" + text.text();
}

std::string Results::summary(const std::string& folder) const {
  std::vector<Line> lines = lines_;
  if (lines.empty()) {
    for (const Metric& metric : metrics_) lines.push_back({metric.name, metric.name, ""});
  }
  TextTable table({"", "value", "unit", "paper"});
  for (const Line& line : lines) {
    const Metric* metric = find(line.metric);
    if (metric == nullptr && partial()) continue;  // the run has not come so far
    if (metric == nullptr) throw ModelError("results", "there is no metric " + line.metric + " to show");
    table.row({line.label, (metric->is_lower_bound ? ">= " : "") + value_text(metric->value), metric->unit,
               line.paper});
  }
  TextTable files({"", "file"});
  for (const auto& [name, what] : files_) files.row({what, folder + "/" + name});
  std::string rows, warnings;
  for (const ShownRows& shown : shown_rows_) rows += rows_text(shown);
  for (const std::string& sentence : warnings_) warnings += "warning: " + sentence + "\n";
  return (partial() ? "PARTIAL: ended by " + ended_by_ + "; these are the results up to then\n" : "") +
         (headline_.empty() ? "" : headline_ + "\n\n") + (warnings.empty() ? "" : warnings + "\n") +
         table.text() + rows + (files_.empty() ? "" : "\n" + files.text());
}

Json Results::to_json() const {
  Json metrics = Json::object();
  for (const Metric& metric : metrics_)
    metrics[metric.name] = {{"value", metric.value.json()}, {"unit", metric.unit}};
  Json tables = Json::object();
  for (const ResultTable& table : tables_) {
    Json columns = Json::array();
    for (const auto& column : table.columns())
      columns.push_back({{"name", column.name}, {"unit", column.unit}});
    Json rows = Json::array();
    for (const std::vector<Value>& row : table.rows()) {
      Json& cells = rows.emplace_back(Json::array());
      for (const Value& cell : row) cells.push_back(cell.json());
    }
    tables[table.name()] = {{"columns", columns}, {"rows", std::move(rows)}};
  }
  Json bounds = Json::array();
  for (const Metric& metric : metrics_) {
    if (metric.is_lower_bound) bounds.push_back(Json::array({metric.name}));
  }
  if (!bounds.empty()) {
    const Json column = {{"name", "metric"}, {"unit", ""}};
    tables["lower_bounds"] = {{"columns", Json::array({column})}, {"rows", std::move(bounds)}};
  }
  Json document;
  document["schema"] = result_schema;
  document["platform"] = platform_;
  document["version"] = version_;
  if (!revision_.empty()) document["revision"] = revision_;
  document["status"] = partial() ? "partial" : "complete";
  if (partial()) document["ended_by"] = ended_by_;
  if (!warnings_.empty()) document["warnings"] = warnings_;
  document["config"] = *config_;
  document["seed"] = seed_;
  document["metrics"] = std::move(metrics);
  document["tables"] = std::move(tables);
  return document;
}

std::string Results::text() const {
  return to_json().dump(2);
}

void Results::write(const std::string& path) const {
  std::ofstream file(path, std::ios::binary);
  file << text() << '\n';
  close_output(file, path);
}

std::vector<std::string> validate_result(const Json& document) {
  Checker checker;
  if (checker.members(document, "/", {"schema", "platform", "version", "config", "seed", "metrics", "tables"},
                      {"revision", "status", "ended_by", "warnings"})) {
    if (document["schema"] != result_schema) {
      checker.wrong("/schema", document["schema"].dump() + " is not \"" + result_schema + "\"");
    }
    checker.text(document["platform"], "/platform", false);
    checker.text(document["version"], "/version", false);
    checker.status(document);
    checker.warnings(document);
    if (!document["config"].is_object()) checker.wrong("/config", "not an object");
    if (!document["seed"].is_number_unsigned()) checker.wrong("/seed", "not an unsigned integer");
    checker.metrics(document["metrics"]);
    checker.tables(document["tables"]);
  }
  return checker.problems;
}

}  // namespace tsuji::observe
