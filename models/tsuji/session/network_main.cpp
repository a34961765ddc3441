// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/network_main.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "tsuji/graph/topology_file.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/platform/load_sweep.h"
#include "tsuji/session/follow.h"
#include "tsuji/session/modules_option.h"
#include "tsuji/session/network_estimate.h"
#include "tsuji/session/network_prints.h"

namespace tsuji::session {

using platform::RunOptions;

namespace {

platform::LoadSweepConfig sweep_of(const NetworkRunConfig& config) {
  platform::LoadSweepConfig sweep;
  sweep.check = [&](const RunOptions& options) { config.check_sweep(options.seed); };
  sweep.length_cycles = [&] { return config.measure.interval_cycles(); };
  sweep.highest_load = [&] { return static_cast<double>(config.machine.rails.count); };
  sweep.columns = [&] {
    std::vector<observe::ResultTable::Column> columns;
    for (const auto& instrument : config.instruments)
      for (const observe::ResultTable::Column& column : instrument->sweep_columns())
        columns.push_back(column);
    return columns;
  };
  return sweep;
}

/// Returns false for a pipe, which only the run itself can read.
bool topology_can_be_read_twice(const network::TopologyConfig& topology) {
  const std::string& file = topology.of<graph::TopologyFileConfig>().file;
  return topology.kind != "file" || std::filesystem::is_regular_file(file) || !std::filesystem::exists(file);
}

/// The platform with a separate configuration.
platform::Platform make_platform(const std::string& name, const NetworkProgram& program,
                                 const std::shared_ptr<DesignFacts>& facts) {
  const auto owned = std::make_shared<NetworkRunConfig>();
  NetworkRunConfig& config = *owned;
  if (program.add_kinds) program.add_kinds(config);
  platform::Platform platform;
  platform.owned = owned;
  platform.another = [=, &program] { return make_platform(name, program, facts); };
  platform.name = name;
  platform.description = program.description;
  platform.leading_keys = {"topology.kind",
                           "topology.radices",
                           "routing.kind",
                           "router.vcs",
                           "router.buffer_flits",
                           "traffic.pattern",
                           "traffic.load_flits_per_node_cycle",
                           "traffic.packet_flits",
                           "measure.cycles",
                           "workload.kind"};
  platform.add_keys = [&config](config::KeyTable& keys) { config.add_keys(keys); };
  platform.resolve = [&config] { config.resolve(); };
  platform.validate = [&config] { config.validate(); };
  platform.estimates_runs = [&config] { return topology_can_be_read_twice(config.machine.topology); };
  platform.estimate = [&config] {
    return network_estimate(config.machine, config.traffic, config.measure, config.workload);
  };
  platform.run = [&config](const RunOptions& options, observe::Results& results) {
    run_network(config, options, results);
  };
  platform.renames = program.renames;
  platform.key_options = program.key_options;
  platform.logs = true;
  platform.threads = true;
  platform.ranks = true;
  platform.options = platform::sweep_options(sweep_of(config));
  platform.options.push_back(follow_option(config, platform.run));
  for (platform::PlatformOption& print : network_prints(config, facts))
    platform.options.push_back(std::move(print));
  platform.options.push_back(
      modules_option([&config](const RunOptions& options, const std::function<void()>& look) {
        build_network(config, options, look);
      }));
  return platform;
}

}  // namespace

int network_main(int argc, const char* const* argv, const NetworkProgram& program) {
  return platform::run_platform(argc, argv,
                                make_platform(platform::executable_name(argc, argv, "network"), program,
                                              std::make_shared<DesignFacts>()));
}

}  // namespace tsuji::session
