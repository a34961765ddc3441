// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/load_sweep.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "tsuji/config/key_types.h"
#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"
#include "tsuji/platform/python_script.h"
#include "tsuji/platform/saturation_search.h"
#include "tsuji/platform/shared_file.h"
#include "tsuji/platform/sweep_runs.h"

namespace tsuji::platform {
namespace {

using observe::Value;
using Run = SaturationSearch::Run;

constexpr const char* option_name = "--sweep-load";
constexpr const char* jobs_name = "--jobs";
constexpr const char* at_name = "--at";
constexpr const char* saturation_suffix = ":saturation";
constexpr const char* load_unit = "flits/node/cycle";
/// Ratio of neighbouring loads' latencies above which the knee gets a load between them, and most such loads.
constexpr double knee_ratio = 1.5;
constexpr unsigned most_knee_loads = 4;

double most_load(const LoadSweepConfig& config) {
  return config.highest_load ? config.highest_load() : 1.0;
}
constexpr std::size_t links_shown = 5;

/// Results of one load's run, as columns of the table and the CSV.
struct Column {
  const char* name;
  const char* unit;
  const char* metric;  ///< of the run; null: of the run itself
  bool of_all = true;  ///< every run has the metric
};
constexpr Column own_columns[] = {
    {"load", load_unit, nullptr},
    {"run", "", nullptr},
    {"measured_cycles", "cycles", "measured_cycles"},
    {"offered", load_unit, "offered_flits_per_node_cycle"},
    {"accepted", load_unit, "accepted_flits_per_node_cycle"},
    {"latency_mean", "cycles", "latency_cycles_mean"},
    {"latency_mean_confidence95", "cycles", "latency_cycles_mean_confidence95"},
    {"latency_confidence", "", "latency_confidence"},
    {"latency_p50", "cycles", "latency_cycles_p50"},
    {"latency_p95", "cycles", "latency_cycles_p95"},
    {"latency_p99", "cycles", "latency_cycles_p99"},
    {"latency_p999", "cycles", "latency_cycles_p999"},
    {"hops_mean", "routers", "hops_mean"},
    {"packets_missing", "packets", "measured_packets_undelivered"},
    {"latency_is_lower_bound", "", "latency_is_lower_bound"},
    {"accepted_share_worst_source", "", "accepted_share_worst_source"},
    {"worst_source", "", "worst_source"},
    {"backlog_growth_over_noise", "", "backlog_growth_over_noise"},
    {"waiting_packets_over_noise", "", "waiting_packets_over_noise"},
    {"latency_growth_over_noise", "", "latency_growth_over_noise"},
    {"latency_over_zero_load", "", "latency_over_zero_load"},
    {"capacity_bound", load_unit, "capacity_bound_flits_per_node_cycle", false},
    {"stability", "", "stability"},
    {"saturated", "", "saturated"},
};

/// `further` outlives the columns.
std::vector<Column> columns_of(const std::vector<observe::ResultTable::Column>& further) {
  std::vector<Column> columns(std::begin(own_columns), std::end(own_columns));
  for (const observe::ResultTable::Column& more : further)
    columns.push_back({more.name.c_str(), more.unit.c_str(), more.name.c_str(), false});
  return columns;
}

double rounded(double load) {
  return std::round(load * 1e6) / 1e6;
}

LoadVerdict verdict_of(const SweepRuns& runs, const Run& run) {
  const std::string word = runs.metric(run, "stability").text();
  if (word == "stable") return LoadVerdict::stable;
  return word == "saturated" ? LoadVerdict::saturated : LoadVerdict::undecided;
}

/// A sweep: the runs of its loads, and the search for its saturation point.
class Sweep {
 public:
  Sweep(const LoadSweepConfig& config, const RunOptions& options, observe::Results& results, unsigned jobs)
      : options_(options),
        results_(results),
        further_columns_(config.columns ? config.columns() : std::vector<observe::ResultTable::Column>()),
        columns_(columns_of(further_columns_)),
        cycles_(config.length_cycles ? config.length_cycles() : 0),
        runs_(config, options, results, jobs),
        search_(cycles_ != 0, most_load(config)) {}

  /// The loads of the plan, up to the second one that is saturated.
  void go_up(const std::vector<double>& loads);
  void find_saturation();
  void fill_knee();
  /// One more run, at a share of the highest load shown stable.
  void look_at(double share);
  void write_csv() const;
  void add_results(bool saturation);

 private:
  void ended(const Run& run);
  std::vector<Value> row(const Run& run) const;
  double latency(const Run& run) const;
  std::optional<double> knee() const;
  void add_search(bool saturation);
  void add_look();
  /// The most that the worst source has got of any load, as a load of a node.
  Value capacity() const;

  const RunOptions& options_;
  observe::Results& results_;
  const std::vector<observe::ResultTable::Column> further_columns_;
  const std::vector<Column> columns_;
  const Cycle cycles_;
  SweepRuns runs_;
  SaturationSearch search_;
  std::map<double, Run> of_load_;  ///< the longest run of each load
  std::optional<Run> look_;
};

void Sweep::ended(const Run& run) {
  const Value needs = runs_.metric_if_any(run, "stability_needs_cycles");
  const double times = needs.is_null() || cycles_ == 0 ? 2.0 : needs.number() / static_cast<double>(cycles_);
  search_.ended(run, verdict_of(runs_, run), times);
  of_load_[run.load] = run;
}

void Sweep::go_up(const std::vector<double>& loads) {
  std::vector<Run> runs;
  for (const double load : loads) runs.push_back({load, 1});
  runs_.plan(runs.size());
  std::vector<LoadVerdict> verdicts;
  const auto enough = [&](std::size_t) {
    const Run& run = runs[verdicts.size()];
    verdicts.push_back(verdict_of(runs_, run));
    ended(run);
    return !goes_up(verdicts);
  };
  runs_.play(runs, enough);
}

void Sweep::find_saturation() {
  for (std::vector<Run> wanted = search_.next(); !wanted.empty(); wanted = search_.next()) {
    runs_.plan(runs_.size() + wanted.size() + 4);  // four more are expected
    runs_.play(wanted);
    for (const Run& run : wanted) ended(run);
  }
}

double Sweep::latency(const Run& run) const {
  const Value mean = runs_.metric(run, "latency_cycles_mean");
  return mean.is_null() ? 0.0 : mean.number();
}

/// The middle of the two neighbouring loads, up to the highest stable one, whose latencies differ most.
std::optional<double> Sweep::knee() const {
  double most = knee_ratio;
  std::optional<double> middle;
  auto before = of_load_.end();
  for (auto at = of_load_.begin(); at != of_load_.end() && at->first <= search_.stable(); ++at) {
    if (before != of_load_.end() && latency(before->second) > 0) {
      const double ratio = latency(at->second) / latency(before->second);
      const double between = rounded((before->first + at->first) / 2);
      if (ratio > most && at->first - before->first > SaturationSearch::apart * at->first) {
        most = ratio;
        middle = between;
      }
    }
    before = at;
  }
  return middle;
}

void Sweep::fill_knee() {
  for (unsigned i = 0; i < most_knee_loads; ++i) {
    const std::optional<double> load = knee();
    if (!load) return;
    const Run run{*load, 1};
    runs_.play({run});
    of_load_[run.load] = run;
  }
}

void Sweep::look_at(double share) {
  const double load = rounded(share * search_.stable());
  if (load <= 0)
    throw ConfigError(at_name, config::double_text(share), "no load of the sweep is shown stable", "");
  look_ = Run{load, 1};
  runs_.play({*look_});
  if (of_load_.count(load) == 0) of_load_[load] = *look_;
}

std::vector<Value> Sweep::row(const Run& run) const {
  std::vector<Value> row = {run.load, SweepRuns::name_of(run)};
  for (const Column& column : columns_)
    if (column.metric != nullptr)
      row.push_back(column.of_all ? runs_.metric(run, column.metric)
                                  : runs_.metric_if_any(run, column.metric));
  return row;
}

void Sweep::write_csv() const {
  const std::string path = options_.file("sweep.csv");
  std::ofstream file(path, std::ios::binary);
  const char* separator = "";
  for (const Column& column : columns_) {
    file << separator << column.name;
    separator = ",";
  }
  file << '\n';
  for (const auto& [load, run] : of_load_) {
    separator = "";
    for (const Value& value : row(run)) {
      file << separator << (value.is_null() ? "" : value.text());
      separator = ",";
    }
    file << '\n';
  }
  close_output(file, path);
  results_.file("sweep.csv", "the sweep as CSV");
}

Value Sweep::capacity() const {
  Value most;
  for (const auto& [load, run] : of_load_) {
    const Value share = runs_.metric(run, "accepted_share_worst_source");
    const Value offered = runs_.metric(run, "offered_flits_per_node_cycle");
    if (share.is_null() || offered.is_null()) continue;
    const double got = share.number() * offered.number();
    if (most.is_null() || got > most.number()) most = got;
  }
  return most;
}

void Sweep::add_search(bool saturation) {
  const double stable = search_.stable();
  const std::optional<double> saturated = search_.saturated();
  const auto at = of_load_.find(stable);
  const bool shown = saturation && at != of_load_.end();
  results_.metric("saturation_flits_per_node_cycle", saturation ? Value(stable) : Value(nullptr), load_unit);
  results_.metric("saturation_accepted_flits_per_node_cycle",
                  shown ? runs_.metric(at->second, "accepted_flits_per_node_cycle") : Value(nullptr),
                  load_unit);
  results_.metric("saturated_flits_per_node_cycle",
                  saturation && saturated ? Value(*saturated) : Value(nullptr), load_unit);
  results_.metric("capacity_flits_per_node_cycle", capacity(), load_unit);
  if (!of_load_.empty()) {
    const Value bound = runs_.metric_if_any(of_load_.begin()->second, "capacity_bound_flits_per_node_cycle");
    if (!bound.is_null()) {
      results_.metric("capacity_bound_flits_per_node_cycle", bound, load_unit,
                      "load that fills a link or a node's port");
    }
  }
  if (saturation) {
    results_.show("saturation_flits_per_node_cycle", "highest load shown stable");
    results_.show("saturation_accepted_flits_per_node_cycle", "  accepted there");
    results_.show("saturated_flits_per_node_cycle", "lowest load shown saturated");
  }
  results_.show("capacity_flits_per_node_cycle", "most that the worst source gets");
}

/// The percentiles of the run at --at and its busiest links.
void Sweep::add_look() {
  if (!look_) return;
  results_.metric("at_flits_per_node_cycle", look_->load, load_unit, "at");
  for (const char* name : {"latency_cycles_mean", "latency_cycles_p50", "latency_cycles_p95",
                           "latency_cycles_p99", "latency_cycles_p999", "latency_cycles_max"}) {
    results_.metric(std::string("at_") + name, runs_.metric(*look_, name), "cycles",
                    std::string("  packet latency, ") + (name + 15));
  }
  const nlohmann::ordered_json links = runs_.table(*look_, "links");
  if (links.is_null()) return;
  std::vector<observe::ResultTable::Column> headings;
  for (const auto& column : links["columns"]) headings.push_back({column["name"], column["unit"]});
  observe::ResultTable& table = results_.table("at_links", headings);
  for (const auto& cells : links["rows"]) {
    std::vector<Value> row;
    for (const auto& cell : cells) row.push_back(Value::of(cell));
    table.row(row);
  }
  results_.show_rows("at_links", links_shown, "busiest links there");
}

void Sweep::add_results(bool saturation) {
  add_search(saturation);
  add_look();
  results_.metric("sweep_runs", runs_.size(), "runs", "runs");
  std::vector<observe::ResultTable::Column> headings;
  for (const Column& column : columns_) headings.push_back({column.name, column.unit});
  observe::ResultTable& table = results_.table("sweep", headings);
  for (const auto& entry : of_load_) table.row(row(entry.second));
  results_.show_rows("sweep", of_load_.size(), "latency over load",
                     {"load", "accepted", "latency_mean", "latency_mean_confidence95", "latency_p50",
                      "latency_p99", "accepted_share_worst_source", "stability"});
}

void draw(const LoadSweepConfig& config, const RunOptions& options, observe::Results& results) {
  const std::string script =
      config.plot_script.empty() ? shared_file("scripts/plot_sweep.py") : config.plot_script;
  const ScriptEnd plot = run_python({script, options.file("sweep.csv"), "-o", options.file("sweep")},
                                    options.file("sweep_plot.log"));
  constexpr int cannot_be_written = 4;
  // On a full disk there is no room for its words, either.
  if (plot.status == cannot_be_written || (plot.status != 0 && plot.said.empty()))
    throw OutputError(
        "sweep", "its picture cannot be written: " +
                     (plot.said.empty() ? "its error text could not be written either; the disk may be full"
                                        : plot.said));
  if (plot.status != 0) {
    options.log->warn("no picture of the sweep: " + plot.said);
    for (const char* half : {"sweep.svg", "sweep.png"}) std::filesystem::remove(options.file(half));
  } else {
    results.file("sweep.svg", "latency and accepted load over offered load (and sweep.png)");
  }
}

unsigned read_jobs(const std::string& text) {
  unsigned jobs = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), jobs);
  if (done.ec != std::errc() || done.ptr != text.data() + text.size() || jobs == 0 || jobs > 1024)
    throw ConfigError(jobs_name, text, "number of concurrent runs out of range", "1..1024");
  return jobs;
}

double read_share(const std::string& text) {
  double share = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), share);
  if (done.ec != std::errc() || done.ptr != text.data() + text.size() || !(share > 0 && share <= 1))
    throw ConfigError(at_name, text, "not a fraction of the highest stable load",
                      "above 0, up to 1, e.g. 0.8");
  return share;
}

}  // namespace

SweepPlan parse_sweep(const std::string& option, double most) {
  const auto refuse = [&](const char* problem) {
    return ConfigError(
        option_name, option, problem,
        "FROM:TO:POINTS, 0 < FROM < TO <= " + config::double_text(most) +
            " flits/node/cycle, 2..1000 points, e.g. 0.05:0.5:10, or FROM:TO:POINTS:saturation");
  };
  SweepPlan plan;
  const std::size_t cut = std::min(option.find(saturation_suffix), option.size());
  plan.saturation = cut + std::char_traits<char>::length(saturation_suffix) == option.size();
  const std::string text = plan.saturation ? option.substr(0, cut) : option;
  const std::size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) throw refuse("not a sweep");
  double from = 0, to = 0;
  unsigned points = 0;
  const auto read = [&](std::size_t begin, std::size_t end, auto& value) {
    const auto done = std::from_chars(text.data() + begin, text.data() + end, value);
    if (done.ec != std::errc() || done.ptr != text.data() + end) throw refuse("not a sweep");
  };
  read(0, first, from);
  read(first + 1, second, to);
  read(second + 1, text.size(), points);
  if (!(from > 0 && from < to && to <= most)) throw refuse("no such loads");
  if (points < 2 || points > 1000) throw refuse("no such number of points");
  std::vector<double>& loads = plan.loads;
  for (unsigned i = 0; i < points; ++i) loads.push_back(rounded(from + (to - from) * i / (points - 1)));
  if (loads.front() <= 0 || std::adjacent_find(loads.begin(), loads.end()) != loads.end()) {
    throw refuse("loads closer than 10^-6");
  }
  return plan;
}

void run_load_sweep(const LoadSweepConfig& config, const std::string& text, const RunOptions& options,
                    observe::Results& results) {
  const SweepPlan plan = parse_sweep(text, most_load(config));
  if (options.record_waves || options.record_packets) {
    throw ConfigError(options.record_waves ? "--waves" : "--records", "", "not supported with --sweep-load",
                      "a run at one load");
  }
  if (options.log_selection)
    throw ConfigError("--log", options.log_selection->text(), "not supported with --sweep-load",
                      "a run at one load");
  const std::string jobs = options.of_option(jobs_name), at = options.of_option(at_name);
  const unsigned processes = jobs.empty() ? 0 : read_jobs(jobs);
  const double share = at.empty() ? 0 : read_share(at);
  if (share > 0 && !plan.saturation)
    throw ConfigError(at_name, at, "--at needs a sweep that searches for the saturation point",
                      "--sweep-load FROM:TO:POINTS:saturation");
  if (config.check) config.check(options);
  Sweep sweep(config, options, results, processes);
  try {
    sweep.go_up(plan.loads);
    if (plan.saturation) {
      sweep.find_saturation();
      sweep.fill_knee();
      if (share > 0) sweep.look_at(share);
    }
  } catch (const Interrupted&) {
    // The rest is about the loads that have been run; the results are marked as partial.
  }
  sweep.write_csv();
  sweep.add_results(plan.saturation && !results.partial());
  if (!results.partial()) draw(config, options, results);
}

void check_read_again(const char* key, const std::string& path) {
  if (path.empty() || !std::filesystem::exists(path) || std::filesystem::is_regular_file(path)) return;
  throw ConfigError(key, path, "not a file that every load of a sweep can read", "a regular file");
}

std::vector<PlatformOption> sweep_options(const LoadSweepConfig& config) {
  PlatformOption sweep;
  sweep.name = option_name;
  sweep.goes_on = true;
  sweep.value_name = "FROM:TO:POINTS[:saturation]";
  sweep.meaning =
      "run each of these loads up to the second saturated one, and write sweep.csv and a plot; :saturation "
      "adds runs that find the highest stable and the lowest saturated load";
  sweep.run = [config](const std::string& value, const RunOptions& options, observe::Results& results) {
    run_load_sweep(config, value, options, results);
  };
  PlatformOption jobs;
  jobs.name = jobs_name;
  jobs.goes_with = option_name;
  jobs.value_name = "N";
  jobs.meaning =
      "with --sweep-load: number of concurrent runs (default: one for each core, or for each --threads "
      "cores)";
  jobs.decides_results = false;
  PlatformOption at;
  at.name = at_name;
  at.goes_with = option_name;
  at.value_name = "SHARE";
  at.meaning =
      "with --sweep-load ...:saturation: add a run at this fraction of the highest stable load, and print "
      "its latency percentiles and busiest links";
  return {sweep, jobs, at};
}

}  // namespace tsuji::platform
