// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/cenju4/cenju4_main.h"

#include <functional>

#include "tsuji/platform/load_sweep.h"
#include "tsuji/session/modules_option.h"

namespace tsuji::session {

using platform::RunOptions;

int cenju4_main(int argc, const char* const* argv, const Cenju4Program& program) {
  Cenju4RunConfig config;
  if (program.add_kinds) program.add_kinds(config);
  platform::Platform platform;
  platform.name = platform::executable_name(argc, argv, "cenju4");
  platform.description = program.description;
  platform.leading_keys = {"network.nodes",       "network.radix",   "workload.kind",
                           "workload.trace",      "workload.npb",    "workload.message_bytes",
                           "workload.collective", "traffic.pattern", "traffic.load_flits_per_node_cycle",
                           "library.broadcast"};
  platform.add_keys = [&](config::KeyTable& keys) {
    config.add_keys(keys);
    if (program.add_keys) program.add_keys(keys);
  };
  platform.validate = [&] {
    config.resolve_and_validate();
    if (program.validate) program.validate(config);
  };
  platform.key_options = program.key_options;
  platform.estimate = [&] { return config.estimate(); };
  platform.logs = true;
  platform.run = [&](const RunOptions& options, observe::Results& results) {
    run_cenju4(config, options, results);
  };
  platform::LoadSweepConfig sweep;
  sweep.check = [&](const RunOptions& options) { config.check_sweep(options.seed); };
  sweep.length_cycles = [&] { return config.load.measure.interval_cycles(); };
  platform.options = platform::sweep_options(sweep);
  platform.options.push_back(
      modules_option([&](const RunOptions& options, const std::function<void()>& look) {
        build_cenju4(config, options, look);
      }));
  return platform::run_platform(argc, argv, platform);
}

}  // namespace tsuji::session
