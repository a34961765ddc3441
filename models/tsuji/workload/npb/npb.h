// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/workload/trace.h"

namespace tsuji::workload {

/// An application without a trace: one of the NAS Parallel Benchmarks 3.3.1 (MPI), as a skeleton.
struct NpbConfig {
  std::string name;     ///< BENCHMARK.CLASS.RANKS: cg.A.64, dtBH.A.21; empty: none
  unsigned steps = 0;   ///< time steps or iterations; 0: all of the published problem
  double gflops = 1.0;  ///< speed of the core whose nanosecond is a unit of `compute`; 1: an operation; > 0

  /// ConfigError for an unknown benchmark or class, a number of ranks that it does not run on, more steps
  /// than it has, and no speed.
  void validate() const;
};

/// The communication of every rank in its order, and between it the published number of operations of the
/// timed section, dealt out to its phases (rooms/npb.md): a unit of `compute` is `gflops` of them: with 1
/// an operation, with the speed of a core a nanosecond of that core.
///
/// Equal configurations give equal traces on any machine. ConfigError for what validate() refuses, and
/// for more than `limits` allow.
Trace make_npb_trace(const NpbConfig& config, const TraceLimits& limits = {});

}  // namespace tsuji::workload
