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

class NodeWork;
struct NodeWorkParts;

/// Configuration of a run of a flit network, with the tables of kinds that its keys select from.
struct NetworkRunConfig {
  network::NetworkConfig machine;  ///< The network.
  network::TrafficConfig traffic;  ///< packets (workload.kind synthetic)
  observe::MeasureConfig measure;  ///< measured interval (workload.kind synthetic)
  WatchConfig watch;               ///< Settings of waveforms and records.
  NetworkWorkload workload;        ///< Workload of the nodes.
  /// Instruments of the run, in the order in which they report.
  InstrumentTable instruments = instrument_table();
  std::vector<std::unique_ptr<NetworkFeature>> features;  ///< custom parts of the program
  /// Makes the nodes' work of a program with custom work; empty: that of `workload`.
  std::function<std::unique_ptr<NodeWork>(const NodeWorkParts&)> make_work = {};

  /// Adds the keys of all members.
  void add_keys(config::KeyTable& keys);
  void resolve();         ///< computes keys that follow from others
  void validate() const;  ///< throws ConfigError
  /// ConfigError for problems that all loads of a sweep have.
  void check_sweep(std::uint64_t seed) const;

  /// Sources of the packets of all nodes, for a synthetic load.
  network::TrafficSources sources(const network::NetworkPlan& plan, std::uint64_t seed) const {
    return {traffic, plan.nodes, seed, network::packet_limits(machine), machine.message_classes()};
  }
};

/// Constructs the network and calls look() before elaboration ends, without a run. ConfigError for bad input.
void build_network(const NetworkRunConfig& config, const platform::RunOptions& options,
                   const std::function<void()>& look);

/// Constructs the network, runs it, and writes the results to `results`. ConfigError for bad input; any other
/// exception is a model failure.
void run_network(const NetworkRunConfig& config, const platform::RunOptions& options,
                 observe::Results& results);

}  // namespace tsuji::session
