#include "tsuji/platform/trace_source.h"

#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

void add_npb_keys(config::KeyTable& keys, workload::NpbConfig& npb) {
  keys.add("workload.npb", npb.name,
           "in the place of workload.trace: a NAS Parallel Benchmark, made here, as BENCHMARK.CLASS.RANKS "
           "(cg.A.64)");
  keys.add("workload.npb_steps", npb.steps, {0, 1'000'000}, "steps",
           "npb: time steps or iterations; 0: all that the benchmark has");
  keys.add(
      "workload.npb_gflops", npb.gflops, {1e-6, 1e6}, "10^9 operations/s",
      "npb: of the core whose nanoseconds are a flop of the trace; 1: a flop is one of the benchmark's own");
  for (const char* key : {"workload.npb_steps", "workload.npb_gflops"})
    keys.only_with(key, {{"workload.npb", {}}});
}

workload::Trace load_trace(const std::string& path, const workload::NpbConfig& npb,
                           const workload::TraceLimits& limits) {
  return npb.name.empty() ? workload::read_trace(find_input(path), limits)
                          : workload::make_npb_trace(npb, limits);
}

}  // namespace tsuji::platform
