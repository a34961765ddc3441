#include "tsuji/platform/load_sweep.h"

#include <spdlog/logger.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "tsuji/config/key_types.h"
#include "tsuji/core/error.h"
#include "tsuji/platform/child_process.h"

namespace tsuji::platform {
namespace {

using observe::Value;

constexpr const char* option_name = "--sweep-load";
constexpr const char* saturation_suffix = ":saturation";
constexpr std::chrono::milliseconds poll_interval(10), signal_interval(100);

/// Results of one load's run, as columns of the table and the CSV.
struct Column {
  const char* name;
  const char* unit;
  const char* metric;  ///< of the run; null: the load itself
};
constexpr Column columns[] = {
    {"load", "flits/node/cycle", nullptr},
    {"offered", "flits/node/cycle", "offered_flits_per_node_cycle"},
    {"accepted", "flits/node/cycle", "accepted_flits_per_node_cycle"},
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
    {"saturated", "", "saturated"},
};

double rounded(double load) {
  return std::round(load * 1e6) / 1e6;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A text for the end of one line of a message.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// The runs of a sweep, each once, by load.
class Sweep {
 public:
  Sweep(const LoadSweepConfig& config, const RunOptions& options, observe::Results& results)
      : config_(config),
        options_(options),
        results_(results),
        executable_(config.executable.empty() ? own_executable() : config.executable),
        processes_(config.processes != 0 ? config.processes
                                         : std::max(1U, std::thread::hardware_concurrency())) {}

  void plan(std::size_t runs) { planned_ = runs; }
  /// Runs these loads, several at a time.
  void run(const std::vector<double>& loads);
  bool saturated(double load) const { return rows_.at(load).back().number() == 1; }
  Value cell(double load, std::size_t column) const { return rows_.at(load).at(column); }
  /// By rising load.
  const std::map<double, std::vector<Value>>& rows() const { return rows_; }

 private:
  struct Run {
    double load;
    std::unique_ptr<ChildProcess> process;
  };
  /// Of a load's run: one of this sweep, or a kept one of whoever has run it first.
  std::string folder(double load) const {
    return options_.kept_folder ? options_.kept_folder(config_.load_key, load) : log_stem(load);
  }
  std::string log_stem(double load) const { return options_.file("load_" + config::double_text(load)); }
  std::unique_ptr<ChildProcess> start(double load) const;
  void check_status(double load, int status);
  /// The run of this load, if it was complete.
  std::optional<nlohmann::ordered_json> complete_result(double load) const;
  void add_row(double load, const nlohmann::ordered_json& result);
  void link_kept(double load) const;
  void play(const std::vector<double>& loads, std::vector<Run>& running);
  void take_ended(std::vector<Run>& running);
  void clear(double load) const;

  const LoadSweepConfig& config_;
  const RunOptions& options_;
  observe::Results& results_;
  const std::string executable_;
  const unsigned processes_;
  std::size_t planned_ = 1;
  std::map<double, std::vector<Value>> rows_;
};

std::unique_ptr<ChildProcess> Sweep::start(double load) const {
  const std::string out = folder(load);
  return std::make_unique<ChildProcess>(
      std::vector<std::string>{executable_, options_.file("resolved.yaml"), "--set",
                               config_.load_key + "=" + config::double_text(load), "--out", out, "--quiet"},
      log_stem(load) + ".log");
}

void Sweep::check_status(double load, int status) {
  const std::string log = log_stem(load) + ".log";
  const std::string said = text_of_file(log);
  const std::string name = config::double_text(load);
  if (status == 2) throw ConfigError(option_name, name, "this load's run is refused: " + one_line(said), "");
  // A run that fails leaves its failure, unless there is no room for it.
  if (status == 1 && !std::filesystem::exists(folder(load) + "/failure.txt"))
    throw OutputError("sweep", "the run at load " + name + " cannot be written: " + one_line(said));
  if (status != 0) {
    throw ModelError("sweep", "the run at load " + name + " ended with exit status " +
                                  std::to_string(status) + ": " + one_line(said));
  }
  if (said.empty()) {
    std::filesystem::remove(log);
  } else {
    options_.log->warn("load {}: {}", name, one_line(said));
  }
}

std::optional<nlohmann::ordered_json> Sweep::complete_result(double load) const {
  auto result = nlohmann::ordered_json::parse(text_of_file(folder(load) + "/result.json"), nullptr, false);
  if (!result.is_object() || result.value("status", "complete") != "complete") return std::nullopt;
  return result;
}

void Sweep::add_row(double load, const nlohmann::ordered_json& result) {
  std::vector<Value> row;
  for (const Column& column : columns) {
    if (column.metric == nullptr) {
      row.emplace_back(load);
      continue;
    }
    if (!result.contains("metrics") || !result["metrics"].contains(column.metric)) {
      throw ModelError("sweep", folder(load) + "/result.json has no metric " + column.metric);
    }
    row.push_back(Value::of(result["metrics"][column.metric]["value"]));
  }
  link_kept(load);
  rows_.emplace(load, std::move(row));
}

/// The folder of a kept run by its usual name, too. It stands beside the sweep's own.
void Sweep::link_kept(double load) const {
  const std::filesystem::path link = log_stem(load);
  if (!options_.kept_folder || std::filesystem::is_symlink(link)) return;
  std::filesystem::create_directory_symlink(
      std::filesystem::path("..") / std::filesystem::path(folder(load)).filename(), link);
}

void Sweep::take_ended(std::vector<Run>& running) {
  for (std::size_t i = 0; i < running.size();) {
    if (!running[i].process->ended()) {
      ++i;
      continue;
    }
    const Run ended = std::move(running[i]);
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    const int status = ended.process->exit_status();
    // A terminal's signal may have come to the load's run first.
    if (status == 128 + SIGINT || status == 128 + SIGTERM) std::this_thread::sleep_for(signal_interval);
    options_.check_interruption(results_);
    check_status(ended.load, status);
    const auto result = complete_result(ended.load);
    if (!result) throw ModelError("sweep", folder(ended.load) + "/result.json is none of a whole run");
    add_row(ended.load, *result);
  }
}

void Sweep::run(const std::vector<double>& loads) {
  std::vector<Run> running;
  try {
    play(loads, running);
  } catch (...) {
    // All are told before the first is waited for.
    for (const Run& run : running) run.process->terminate();
    for (const Run& run : running) run.process->wait();
    for (const Run& run : running)
      if (!complete_result(run.load)) clear(run.load);
    throw;
  }
}

/// Nothing is worth keeping of a load whose run has been cut off.
void Sweep::clear(double load) const {
  const std::string name = "load_" + config::double_text(load);
  for (const std::string& left : {name, name + ".log", "." + name + ".lock", "." + name + ".partial"})
    std::filesystem::remove_all(options_.file(left));
}

void Sweep::play(const std::vector<double>& loads, std::vector<Run>& running) {
  for (std::size_t next = 0; next < loads.size() || !running.empty();) {
    while (next < loads.size() && running.size() < processes_) {
      const double load = loads[next++];
      if (rows_.count(load) != 0) continue;
      // A sweep of the same configuration that was killed has run it.
      if (const auto result = complete_result(load)) {
        add_row(load, *result);
      } else {
        running.push_back({load, start(load)});
      }
    }
    options_.check_interruption(results_);
    take_ended(running);
    options_.progress->update(static_cast<double>(rows_.size()) / static_cast<double>(planned_));
    if (!running.empty()) std::this_thread::sleep_for(poll_interval);
  }
}

/// The largest load that is accepted; 0 where even the least load of the sweep and all below it saturate.
double bisect(Sweep& sweep, const std::vector<double>& loads, double resolution) {
  const auto first_saturated =
      std::find_if(loads.begin(), loads.end(), [&](double load) { return sweep.saturated(load); });
  double accepted = first_saturated == loads.begin() ? 0.0 : *(first_saturated - 1);
  double refused = 1.0;
  if (first_saturated != loads.end()) {
    refused = *first_saturated;
  } else {
    sweep.run({refused});
    if (!sweep.saturated(refused)) return refused;
  }
  while (refused - accepted > resolution + 1e-9) {
    const double middle = rounded((accepted + refused) / 2);
    sweep.run({middle});
    (sweep.saturated(middle) ? refused : accepted) = middle;
  }
  return accepted;
}

void write_csv(const Sweep& sweep, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  const char* separator = "";
  for (const Column& column : columns) {
    file << separator << column.name;
    separator = ",";
  }
  file << '\n';
  for (const auto& [load, row] : sweep.rows()) {
    separator = "";
    for (const Value& value : row) {
      file << separator << (value.is_null() ? "" : value.text());
      separator = ",";
    }
    file << '\n';
  }
  file.close();
  if (!file) throw OutputError(path, "could not be written");
}

void draw(const LoadSweepConfig& config, const RunOptions& options, observe::Results& results) {
  const std::string script =
      config.plot_script.empty() ? TSUJI_ROOT "/scripts/plot_sweep.py" : config.plot_script;
  const std::string log = options.file("sweep_plot.log");
  // Debian's own interpreter: one that comes first in PATH may lack Debian's packages.
  ChildProcess plot({"/usr/bin/python3", script, options.file("sweep.csv"), "-o", options.file("sweep")},
                    log);
  plot.wait();
  constexpr int cannot_be_written = 4;
  const std::string said = one_line(text_of_file(log));
  // On a full disk there is no room for its words, either.
  if (plot.exit_status() == cannot_be_written || (plot.exit_status() != 0 && said.empty()))
    throw OutputError("sweep", "its picture cannot be written: " + said);
  if (plot.exit_status() != 0) {
    options.log->warn("no picture of the sweep: {}", said);
    for (const char* half : {"sweep.svg", "sweep.png"}) std::filesystem::remove(options.file(half));
  } else {
    results.file("sweep.svg", "latency and accepted load over offered load (and sweep.png)");
  }
  std::filesystem::remove(log);
}

/// `saturation` is null where nobody asked for it.
void add_results(const Sweep& sweep, const Value& saturation, observe::Results& results) {
  results.metric("saturation_flits_per_node_cycle", saturation, "flits/node/cycle");
  const bool measured = !saturation.is_null() && sweep.rows().count(saturation.number()) != 0;
  results.metric("saturation_accepted_flits_per_node_cycle",
                 measured ? sweep.cell(saturation.number(), 2) : Value(nullptr), "flits/node/cycle");
  results.metric("sweep_runs", sweep.rows().size(), "runs");
  std::vector<observe::ResultTable::Column> headings;
  for (const Column& column : columns) headings.push_back({column.name, column.unit});
  observe::ResultTable& table = results.table("sweep", headings);
  for (const auto& entry : sweep.rows()) table.row(entry.second);
  if (!saturation.is_null()) {
    results.show("saturation_flits_per_node_cycle", "largest load of which 95 % is accepted");
    results.show("saturation_accepted_flits_per_node_cycle", "  accepted there");
  }
  results.show("sweep_runs", "runs");
  results.show_rows("sweep", sweep.rows().size(), "latency over load",
                    {"load", "accepted", "latency_mean", "latency_mean_confidence95", "latency_p50",
                     "latency_p99", "packets_missing", "saturated"});
}

}  // namespace

SweepPlan parse_sweep(const std::string& option) {
  const auto refuse = [&](const char* problem) {
    return ConfigError(
        option_name, option, problem,
        "FROM:TO:POINTS, 0 < FROM < TO <= 1 flits/node/cycle, 2..1000 points, e.g. 0.05:0.5:10, or "
        "FROM:TO:POINTS:saturation");
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
  if (!(from > 0 && from < to && to <= 1)) throw refuse("no such loads");
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
  const SweepPlan plan = parse_sweep(text);
  if (options.record_signals || options.record_packets) {
    throw ConfigError("--trace", "", "a sweep is many runs", "a run at one load");
  }
  if (config.check) config.check(options);
  Sweep sweep(config, options, results);
  const double step = plan.loads[1] - plan.loads[0];
  const double halvings =
      plan.saturation ? std::max(0.0, std::ceil(std::log2(step / config.resolution))) : 0.0;
  sweep.plan(plan.loads.size() + static_cast<std::size_t>(halvings));
  Value saturation;
  try {
    sweep.run(plan.loads);
    if (plan.saturation) saturation = bisect(sweep, plan.loads, config.resolution);
  } catch (const Interrupted&) {
    // The rest is about the loads that have been run; the results are marked as partial.
  }
  write_csv(sweep, options.file("sweep.csv"));
  results.file("sweep.csv", "the sweep as CSV");
  add_results(sweep, saturation, results);
  if (!results.partial()) draw(config, options, results);
}

PlatformOption sweep_option(const LoadSweepConfig& config) {
  PlatformOption option;
  option.name = option_name;
  option.goes_on = true;
  option.value_name = "FROM:TO:POINTS[:saturation]";
  option.meaning =
      "a run for each of these loads, sweep.csv and a plot; with :saturation also the runs that find the "
      "saturation point";
  option.run = [config](const std::string& value, const RunOptions& options, observe::Results& results) {
    run_load_sweep(config, value, options, results);
  };
  return option;
}

}  // namespace tsuji::platform
