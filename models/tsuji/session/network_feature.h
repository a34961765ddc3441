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

/// The parts of a NetworkFeature in one network; they outlive the network.
class PlacedFeature {
 public:
  virtual ~PlacedFeature() = default;
  /// Adds metrics and selects lines for the terminal, after the last cycle.
  virtual void report(const network::LoadedNetwork&, observe::Results&) {}
};

/// Custom parts that replace models of a network, such as RTL of routers, with their keys.
///
/// Contract: add_keys() after all other keys were added; validate() for each configuration; place() before a
/// network is made; PlacedFeature::report() after its last cycle.
class NetworkFeature {
 public:
  virtual ~NetworkFeature() = default;
  /// Adds the keys of the feature.
  virtual void add_keys(config::KeyTable&) {}
  /// ConfigError for a configuration that the feature does not fit.
  virtual void validate(const NetworkRunConfig&) const {}
  /// Writes the custom parts to `parts`, from which the network is made. ConfigError if they do not fit.
  /// Returns null if this run has no custom part.
  virtual std::unique_ptr<PlacedFeature> place(const NetworkRunConfig& config,
                                               const network::NetworkPlan& plan,
                                               const platform::RunOptions& options,
                                               network::LoadedNetwork::Parts& parts) const = 0;
};

}  // namespace tsuji::session
