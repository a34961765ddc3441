// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/config/key_table.h"
#include "tsuji/network/config/network_plan.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/results/results.h"

namespace tsuji::session {

struct NetworkRunConfig;

/// The parts of a NetworkFeature in one network, which they outlive.
class PlacedFeature {
 public:
  virtual ~PlacedFeature() = default;
  /// After the last cycle: adds metrics, and chooses lines for the terminal.
  virtual void report(const network::LoadedNetwork&, observe::Results&) {}
};

/// Custom parts that replace models of a network, with their keys: RTL of routers.
class NetworkFeature {
 public:
  virtual ~NetworkFeature() = default;
  /// All other keys have been added.
  virtual void add_keys(config::KeyTable&) {}
  /// ConfigError for a configuration that it does not fit.
  virtual void validate(const NetworkRunConfig&) const {}
  /// Fills in `parts`, of which a network is made. ConfigError where it does not fit. Null: this run has
  /// none of its parts.
  virtual std::unique_ptr<PlacedFeature> place(const NetworkRunConfig& config,
                                               const network::NetworkPlan& plan,
                                               const platform::RunOptions& options,
                                               network::LoadedNetwork::Parts& parts) const = 0;
};

}  // namespace tsuji::session
