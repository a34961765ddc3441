// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/trace_source.h"

#include "tsuji/platform/shared_file.h"
#include "tsuji/workload/trace_check.h"

namespace tsuji::platform {

void add_npb_keys(config::KeyTable& keys, workload::NpbConfig& npb) {
  keys.add(
      "workload.npb", npb.name,
      "NAS Parallel Benchmark to simulate instead of workload.trace, as BENCHMARK.CLASS.RANKS (cg.A.64)");
  keys.add("workload.npb_steps", npb.steps, {0, 1'000'000}, "steps",
           "NAS Parallel Benchmark: number of time steps or iterations; 0: all of the benchmark");
  keys.add("workload.npb_gflops", npb.gflops, {1e-6, 1e6}, "Gflop/s",
           "NAS Parallel Benchmark: speed of the simulated core");
  for (const char* key : {"workload.npb_steps", "workload.npb_gflops"})
    keys.only_with(key, {{"workload.npb", {}}});
}

std::string shipped_trace(const std::string& name) {
  return shared_file("platforms/traces/" + name);
}

workload::Trace load_trace(const std::string& path, const workload::NpbConfig& npb,
                           const workload::TraceLimits& limits, const std::string& shipped) {
  workload::Trace trace = npb.name.empty()
                              ? workload::read_trace(path.empty() ? shipped_trace(shipped) : path, limits)
                              : workload::make_npb_trace(npb, limits);
  workload::check_ranks(trace);
  return trace;
}

}  // namespace tsuji::platform
