// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tsuji/network/config/network_config.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/results/results.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_faults.h"
#include "tsuji/session/network_feature.h"
#include "tsuji/session/network_workload.h"
#include "tsuji/session/watch_config.h"

namespace tsuji::session {

/// Configuration of a run of a flit network, with the tables of kinds that its keys choose from.
struct NetworkRunConfig {
  network::NetworkConfig machine;
  network::TrafficConfig traffic;  ///< workload.kind synthetic
  observe::MeasureConfig measure;  ///< workload.kind synthetic
  WatchConfig watch;
  NetworkWorkload workload;
  InstrumentTable instruments = instrument_table();
  std::vector<std::unique_ptr<NetworkFeature>> features;  ///< of the program's own

  /// Binds the keys of all members.
  void add_keys(config::KeyTable& keys);
  void resolve();         ///< keys that follow from others
  void validate() const;  ///< throws ConfigError
  /// Throws ConfigError for problems that all loads of a sweep have.
  void check_sweep(std::uint64_t seed) const;

  network::TrafficSources sources(const network::NetworkPlan& plan, std::uint64_t seed) const {
    return {traffic, plan.nodes, seed, network::packet_limits(machine)};
  }
};

/// Makes the network and calls `look` while it is there, without a run; elaboration has not ended.
void build_network(const NetworkRunConfig& config, const platform::RunOptions& options,
                   const std::function<void()>& look);

/// Makes the network, runs it, and fills in the results. Throws ConfigError for bad input, anything else for
/// a model failure.
void run_network(const NetworkRunConfig& config, const platform::RunOptions& options,
                 observe::Results& results);

}  // namespace tsuji::session
