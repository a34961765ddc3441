// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/machines/cenju4/bridged_nodes.h"

namespace tsuji::machines {

/// Cenju-4 nodes, with network interfaces and message library, on a virtual-channel network of any topology.
/// Such a network neither multicasts nor synchronizes; the library does both by messages.
class VcMachine final : public BridgedNodes {
 public:
  /// Checks that need no topology. Throws ConfigError for requirements that the library or the network cannot
  /// meet.
  static void validate(const network::NetworkConfig& network, const Cenju4Config& nodes);
  /// Returns the nodes' configuration, completed with the values that follow from the network. Throws
  /// ConfigError if both do not fit.
  static Cenju4Config complete_config(const Cenju4Config& nodes, const network::NetworkConfig& network,
                                      const graph::Topology& topology);

  /// Builds nodes and network, before elaboration ends. Throws ConfigError for parts that do not fit.
  explicit VcMachine(const Parts& parts);
  /// The simulation must have ended.
  ~VcMachine() override;

  /// Metrics of all nodes and of the network.
  observe::NetworkMetrics metrics() const override;

 private:
  std::uint64_t flits_in_network() const override { return flits_between_ends(); }
  std::string held_report(unsigned limit) const override { return wait_report(limit); }
  void check_conservation() const override;
};

}  // namespace tsuji::machines
