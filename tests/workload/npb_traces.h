// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tsuji/workload/npb/benchmark.h"
#include "tsuji/workload/npb/npb.h"

namespace tsuji::workload {

inline const std::vector<npb::Benchmark> all_benchmarks = {npb::bt(),
                                                           npb::cg(),
                                                           npb::dt_black_hole(),
                                                           npb::dt_white_hole(),
                                                           npb::dt_shuffle(),
                                                           npb::ep(),
                                                           npb::ft(),
                                                           npb::is(),
                                                           npb::lu(),
                                                           npb::mg(),
                                                           npb::sp()};

inline NpbConfig config_of(const std::string& name, unsigned steps = 0, double gflops = 1) {
  NpbConfig config;
  config.name = name;
  config.steps = steps;
  config.gflops = gflops;
  return config;
}

inline Trace skeleton(const std::string& name, unsigned steps = 0) {
  return make_npb_trace(config_of(name, steps));
}

/// Sum over all ranks, with every repetition; `value`: contribution of an operation.
inline double total(const Trace& trace, const std::function<double(const TraceOp&)>& value) {
  double sum = 0;
  for (const RankOps& ops : trace.ranks) {
    for (std::size_t at = 0; at < ops.stored().size(); ++at)
      sum += value(ops.stored()[at]) * static_cast<double>(ops.times(at));
  }
  return sum;
}

inline bool sends(const TraceOp& op) {
  return op.kind == TraceOpKind::send || op.kind == TraceOpKind::isend;
}

inline double sent_bytes(const Trace& trace) {
  return total(trace, [](const TraceOp& op) { return sends(op) ? static_cast<double>(op.value) : 0.0; });
}

inline double sent_messages(const Trace& trace) {
  return total(trace, [](const TraceOp& op) { return sends(op) ? 1.0 : 0.0; });
}

inline double square(double x) {
  return x * x;
}

}  // namespace tsuji::workload
