// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/network/crosspoint/crosspoint_traffic.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/results/results.h"

namespace tsuji::session {

struct Cenju4WatchConfig;

/// Configuration of synthetic traffic of the network alone, without network interfaces and processors.
struct NetworkAlone {
  network::TrafficConfig traffic;
  network::MulticastTrafficConfig multicast;
  observe::MeasureConfig measure;

  NetworkAlone();  ///< default: packets of 256 bytes
  void add_keys(config::KeyTable& keys);
  void validate(const machines::Cenju4Config& machine) const;
  /// ConfigError if there is no load to sweep.
  void check_sweep(const machines::Cenju4Config& machine, std::uint64_t seed) const;
};

/// Modules that write to its log.
std::vector<observe::LogModules> network_alone_log_modules(const machines::Cenju4Config& machine);

/// Constructs the network with its sources and sinks, and calls look(), without a run.
void build_network_alone(const machines::Cenju4Config& machine, const NetworkAlone& load,
                         const platform::RunOptions& options, const std::function<void()>& look);

void run_network_alone(const machines::Cenju4Config& machine, const NetworkAlone& load,
                       const Cenju4WatchConfig& watch, const platform::RunOptions& options,
                       observe::Results& results);

}  // namespace tsuji::session
