// SPDX-License-Identifier: Apache-2.0
#include "platforms/cenju4/cenju4_traces.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/platform/trace_report.h"
#include "tsuji/platform/trace_source.h"

namespace tsuji::platform {

Traces load_traces(const machines::Cenju4Config& machine, const WorkloadConfig& w) {
  Traces traces;
  const workload::TraceLimits limits = trace_limits(machine.period(), w.compute_scale);
  const bool jobs = w.kind == WorkloadKind::jobs;
  if (jobs || w.kind == WorkloadKind::trace || w.kind == WorkloadKind::demo)
    traces.push_back(load_trace(w.trace, w.npb, limits));
  if (jobs) traces.push_back(load_trace(w.other_trace, {}, limits, transpose));
  return traces;
}

void place_jobs(machines::Cenju4Config& machine, const WorkloadConfig& w, const Traces& traces) {
  const unsigned nodes = machine.network.topology.nodes;
  if (w.kind == WorkloadKind::demo) return;
  for (const workload::Trace& trace : traces) {
    const bool other = &trace != &traces.front();
    const unsigned first = other ? w.other_first_node : w.first_node;
    if (first + trace.size() > nodes)
      throw ConfigError(other ? "workload.other_trace" : trace.key, std::to_string(trace.size()) + " ranks",
                        "the machine has no " + std::to_string(first + trace.size()) + " nodes",
                        "up to " + std::to_string(nodes - std::min(first, nodes)) + " ranks from node " +
                            std::to_string(first) + " on, one a node");
    machines::JobPlacement placement(trace.size());
    std::iota(placement.begin(), placement.end(), NodeId{first});
    machine.jobs.push_back(std::move(placement));
  }
  machine.validate();
}

}  // namespace tsuji::platform
