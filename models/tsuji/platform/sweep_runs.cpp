// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/sweep_runs.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "tsuji/config/key_types.h"
#include "tsuji/core/error.h"
#include "tsuji/platform/kept_runs.h"

namespace tsuji::platform {
namespace {

constexpr std::chrono::milliseconds poll_interval(10), signal_interval(100);

}  // namespace

struct SweepRuns::Result {
  nlohmann::ordered_json document;
};

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

SweepRuns::SweepRuns(const LoadSweepConfig& config, const RunOptions& options, observe::Results& results,
                     unsigned processes)
    : config_(config),
      options_(options),
      results_(results),
      executable_(config.executable.empty() ? own_executable() : config.executable),
      processes_(processes != 0 ? processes
                                : std::max(1U, std::thread::hardware_concurrency() / options.threads)) {}

SweepRuns::~SweepRuns() = default;

std::string SweepRuns::name_of(const Run& run) {
  const std::string name = "load_" + config::double_text(run.load);
  return run.times == 1 ? name : name + "_x" + std::to_string(run.times);
}

/// Folder of a run: of this sweep, or of the kept run that another call has made.
std::string SweepRuns::folder(const Run& run) const {
  if (!options_.kept_folder) return stem(run);
  KeyValues keys = {{config_.load_key, run.load}};
  if (run.times != 1) keys.emplace_back(config_.length_key, config_.length_cycles() * run.times);
  return options_.kept_folder(keys);
}

std::unique_ptr<ChildProcess> SweepRuns::start(const Run& run) const {
  std::vector<std::string> words = {executable_, options_.file("resolved.yaml"), "--set",
                                    config_.load_key + "=" + config::double_text(run.load)};
  if (run.times != 1) {
    words.insert(words.end(),
                 {"--set", config_.length_key + "=" + std::to_string(config_.length_cycles() * run.times)});
  }
  words.insert(words.end(), {"--out", folder(run), "--quiet"});
  if (options_.threads > 1) words.insert(words.end(), {"--threads", std::to_string(options_.threads)});
  return std::make_unique<ChildProcess>(words, stem(run) + ".log");
}

void SweepRuns::check_status(const Run& run, int status) {
  const std::string log = stem(run) + ".log";
  const std::string said = text_of_file(log);
  const std::string name = config::double_text(run.load);
  if (status == 2) {
    throw ConfigError("--sweep-load", name, "this load's run is refused: " + one_line(said), "");
  }
  // A run that fails leaves its failure, unless there is no room for it.
  if (status == 1 && !std::filesystem::exists(folder(run) + "/failure.txt"))
    throw OutputError("sweep",
                      "the run at load " + name + " cannot be written: " +
                          (said.empty() ? "its error text could not be written either; the disk may be full"
                                        : one_line(said)));
  if (status != 0) {
    throw ModelError("sweep", "the run at load " + name + " ended with exit status " +
                                  std::to_string(status) + ": " + one_line(said));
  }
  if (said.empty()) {
    std::filesystem::remove(log);
  } else {
    options_.log->warn("load " + name + ": " + one_line(said));
  }
}

/// False where the run has not come to its end.
bool SweepRuns::take_result(const Run& run) {
  auto document = nlohmann::ordered_json::parse(text_of_file(folder(run) + "/result.json"), nullptr, false);
  if (!document.is_object() || document.value("status", "complete") != "complete") return false;
  results_of_[key(run)] = std::make_unique<Result>(Result{std::move(document)});
  link_kept(run);
  return true;
}

/// Creates a link with a kept run's usual name to its folder, which is next to the sweep's folder.
void SweepRuns::link_kept(const Run& run) const {
  const std::filesystem::path link = stem(run);
  if (!options_.kept_folder || std::filesystem::is_symlink(link)) return;
  std::filesystem::create_directory_symlink(
      std::filesystem::path("..") / std::filesystem::path(folder(run)).filename(), link);
}

void SweepRuns::take_ended(std::vector<Playing>& playing) {
  for (std::size_t i = 0; i < playing.size();) {
    if (!playing[i].process->ended()) {
      ++i;
      continue;
    }
    const Playing ended = std::move(playing[i]);
    playing.erase(playing.begin() + static_cast<std::ptrdiff_t>(i));
    const int status = ended.process->exit_status();
    // A terminal's signal may have come to the load's run first.
    if (status == 128 + SIGINT || status == 128 + SIGTERM) std::this_thread::sleep_for(signal_interval);
    options_.check_interruption(results_);
    check_status(ended.run, status);
    if (!take_result(ended.run))
      throw ModelError("sweep", folder(ended.run) + "/result.json is not that of a complete run");
  }
}

void SweepRuns::play(const std::vector<Run>& runs, const std::function<bool(std::size_t)>& enough) {
  std::vector<Playing> playing;
  try {
    play_some(runs, enough, playing);
  } catch (...) {
    give_up(playing);
    throw;
  }
}

void SweepRuns::give_up(std::vector<Playing>& playing) {
  // All are signalled before the first is waited for.
  for (const Playing& one : playing) one.process->terminate();
  for (const Playing& one : playing) one.process->wait();
  // A run that has ended meanwhile is complete on the disk, and an interrupted sweep resumes from it.
  for (const Playing& one : playing)
    if (kept_state(folder(one.run)) != KeptState::complete) clear(one.run);
}

/// Removes the results of a load whose run was cut off.
void SweepRuns::clear(const Run& run) const {
  const std::string name = name_of(run);
  for (const std::string& left : {name, name + ".log", "." + name + ".lock", "." + name + ".partial"})
    std::filesystem::remove_all(options_.file(left));
}

void SweepRuns::play_some(const std::vector<Run>& runs, const std::function<bool(std::size_t)>& enough,
                          std::vector<Playing>& playing) {
  const auto has_ended = [&](const Run& run) { return results_of_.count(key(run)) != 0; };
  std::size_t next = 0, whole = 0;
  while (next < runs.size() || !playing.empty()) {
    while (next < runs.size() && playing.size() < processes_) {
      const Run& run = runs[next++];
      // A sweep of the same configuration that was killed has run it.
      if (!has_ended(run) && !take_result(run)) playing.push_back({run, start(run)});
    }
    options_.check_interruption(results_);
    take_ended(playing);
    while (whole < next && has_ended(runs[whole])) {
      ++whole;
      if (!enough || !enough(whole)) continue;
      // Runs of higher loads are no part of the answer, also where they happen to have ended.
      give_up(playing);
      for (std::size_t i = whole; i < next; ++i) {
        results_of_.erase(key(runs[i]));
        clear(runs[i]);
      }
      playing.clear();
      return;
    }
    options_.progress->update(static_cast<double>(results_of_.size()) / static_cast<double>(planned_));
    if (!playing.empty()) std::this_thread::sleep_for(poll_interval);
  }
}

const SweepRuns::Result& SweepRuns::result(const Run& run) const {
  return *results_of_.at(key(run));
}

observe::Value SweepRuns::metric_if_any(const Run& run, const std::string& name) const {
  const auto& document = result(run).document;
  if (!document.contains("metrics") || !document["metrics"].contains(name)) return nullptr;
  return observe::Value::of(document["metrics"][name]["value"]);
}

observe::Value SweepRuns::metric(const Run& run, const std::string& name) const {
  const auto& document = result(run).document;
  if (!document.contains("metrics") || !document["metrics"].contains(name))
    throw ModelError("sweep", folder(run) + "/result.json has no metric " + name);
  return observe::Value::of(document["metrics"][name]["value"]);
}

nlohmann::ordered_json SweepRuns::table(const Run& run, const std::string& name) const {
  const auto& document = result(run).document;
  if (!document.contains("tables") || !document["tables"].contains(name)) return nullptr;
  return document["tables"][name];
}

}  // namespace tsuji::platform
