// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/workload/trace.h"

namespace tsuji::workload {

/// Configuration of a skeleton of a NAS Parallel Benchmark 3.3.1 (MPI), which replaces a trace.
struct NpbConfig {
  std::string name;     ///< BENCHMARK.CLASS.RANKS, for example cg.A.64 or dtBH.A.21; empty: no skeleton.
  unsigned steps = 0;   ///< Time steps or iterations; 0: all steps of the published problem.
  double gflops = 1.0;  ///< Speed of the simulated core in Gflop/s, > 0: a unit of `compute` is one
                        ///< nanosecond of that core; with 1.0 it is one operation.

  /// Throws ConfigError for an unknown benchmark or class, an unsupported number of ranks, more steps than
  /// the published problem has, and a speed that is not positive.
  void validate() const;
};

/// Makes the trace of a skeleton: the communication of every rank in its order, and between messages the
/// published number of operations of the timed section, distributed over its phases (rooms/npb.md). One unit
/// of `compute` is `gflops` operations.
///
/// Equal configurations yield equal traces on any machine. Throws ConfigError for everything that validate()
/// refuses, and for a trace beyond `limits`.
Trace make_npb_trace(const NpbConfig& config, const TraceLimits& limits = {});

}  // namespace tsuji::workload
