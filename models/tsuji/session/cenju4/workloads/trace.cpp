// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/host/library/trace_program.h"
#include "tsuji/platform/trace_report.h"
#include "tsuji/platform/trace_source.h"
#include "tsuji/session/cenju4/cenju4_phases.h"
#include "tsuji/session/cenju4/workloads/workloads.h"

namespace tsuji::session {

namespace {

/// Places the ranks of a trace on consecutive nodes. ConfigError if the machine has too few.
void place_trace(const workload::Trace& trace, const std::string& key, unsigned first,
                 machines::Cenju4Config& machine) {
  const unsigned nodes = machine.network.topology.nodes;
  if (first + trace.size() > nodes)
    throw ConfigError(key, std::to_string(trace.size()) + " ranks",
                      "the machine has no " + std::to_string(first + trace.size()) + " nodes",
                      "up to " + std::to_string(nodes - std::min(first, nodes)) + " ranks from node " +
                          std::to_string(first) + " on, one on each node");
  machines::JobPlacement placement(trace.size());
  std::iota(placement.begin(), placement.end(), NodeId{first});
  machine.jobs.push_back(std::move(placement));
}

/// Two traces at one time.
struct Jobs final : PlacedTrace {
  std::string other_trace;
  unsigned other_first_node = 0;

  void add_keys(config::KeyTable& keys) override {
    PlacedTrace::add_keys(keys);
    keys.add_path("workload.other_trace", other_trace,
                  "file of the second job's time-independent (TI) trace; \"\": the transpose trace of 64 "
                  "ranks that comes with Tsuji");
    keys.add("workload.other_first_node", other_first_node, {0, 1023}, "",
             "node of the second job's rank 0; jobs that share nodes take turns on their processors");
  }
  void place(machines::Cenju4Config& machine) override {
    PlacedTrace::place(machine);
    other_ = platform::load_trace(other_trace, {}, limits(machine), platform::transpose);
    place_trace(other_, "workload.other_trace", other_first_node, machine);
    machine.validate();
  }
  void play(Cenju4Phases& phases) override {
    platform::Cenju4Job other(phases.machine(), 1);
    other.load(program_of(other_));
    phases.run("trace", program_of(loaded_), [&] {
      return (platform::trace_progress(phases.job()) + platform::trace_progress(other)) / 2;
    });
    report(phases);
    report_other(other, phases);
  }

 private:
  /// Reports the second job, and the effect of the two jobs on each other.
  void report_other(platform::Cenju4Job& other, Cenju4Phases& phases) const {
    observe::Results& results = phases.results();
    other.ran();
    phases.add_phase("other_trace", phases.job().start_cycle(), other.end_cycle());
    platform::add_message_metrics(other, workload::count_of(other_), "other_trace", results);
    const auto total = most_of<host::TraceProgram>(
        other, other.ranks(), [](const host::TraceProgram& rank) { return rank.times().total; });
    std::uint64_t switches = 0;
    for (NodeId node = 0; node < phases.machine().nodes(); ++node)
      switches += phases.machine().node(node).processor().counters().task_switches;
    results.metric("other_trace_time_us", phases.us(total), "us", "second job: time of the slowest rank");
    results.metric("task_switches", switches, "", "task switches of all processors");
  }

  workload::Trace other_;
};

}  // namespace

void WholeTrace::add_keys(config::KeyTable& keys) {
  keys.add_path("workload.trace", trace,
                "file of a time-independent (TI) trace, uncompressed or zstd; \"\": the conjugate-gradient "
                "trace of 64 ranks that comes with Tsuji");
  platform::add_npb_keys(keys, npb);
  keys.add("workload.compute_scale", compute_scale, {0.0, 1e6}, "",
           "factor by which the compute times of the trace are multiplied");
  keys.only_with("workload.trace", {{"workload.npb", {""}}});
}

void WholeTrace::validate_with(const machines::Cenju4Config&) const {
  if (!npb.name.empty()) npb.validate();
}

workload::TraceLimits WholeTrace::limits(const machines::Cenju4Config& machine) const {
  return platform::trace_limits(machine.period(), compute_scale);
}

void WholeTrace::place(machines::Cenju4Config& machine) {
  loaded_ = platform::load_trace(trace, npb, limits(machine));
}

platform::Cenju4Job::MakeProgram WholeTrace::program_of(const workload::Trace& played) const {
  return [&played, scale = compute_scale](host::RankRuntime& runtime) {
    return std::make_unique<host::TraceProgram>(runtime, played, scale);
  };
}

void WholeTrace::play(Cenju4Phases& phases) {
  phases.run("trace", program_of(loaded_), [&] { return platform::trace_progress(phases.job()); });
  report(phases);
}

void WholeTrace::report(Cenju4Phases& phases) const {
  const workload::TraceCount count = workload::count_of(loaded_);
  platform::add_trace_metrics(phases.job(), count, phases.config().period(), phases.results());
  phases.add_to_headline(platform::without_computing(count, compute_scale));
}

void PlacedTrace::add_keys(config::KeyTable& keys) {
  WholeTrace::add_keys(keys);
  keys.add("workload.first_node", first_node, {0, 1023}, "",
           "node of the trace's rank 0; the other ranks are on the following nodes");
}

void PlacedTrace::place(machines::Cenju4Config& machine) {
  WholeTrace::place(machine);
  place_trace(loaded_, loaded_.key, first_node, machine);
  machine.validate();
}

void add_trace(Cenju4Workloads& kinds) {
  add_workload<PlacedTrace>(kinds, "trace", {"the ranks of a trace", {}});
  add_workload<Jobs>(kinds, "jobs", {"two traces at once", {"os.time_slice_us", "os.task_switch_ns"}});
}

}  // namespace tsuji::session
