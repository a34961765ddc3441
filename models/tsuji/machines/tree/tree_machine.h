// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/machines/cenju4/bridged_nodes.h"
#include "tsuji/machines/tree/tree_units.h"

namespace tsuji::machines {

/// Cenju-4 nodes on a virtual-channel network of any topology whose links go both ways, with a unit at each
/// router that multicasts and synchronizes along a tree of the network's links (rooms/tree.md).
class TreeMachine final : public BridgedNodes {
 public:
  /// Checks before the topology is known: ConfigError for demands that the library or the network cannot
  /// meet.
  static void validate(const network::NetworkConfig& network, const Cenju4Config& nodes,
                       const TreeConfig& tree);
  /// Links die or return in the run, and the tree follows.
  static bool changes(const network::NetworkConfig& network);
  /// The configuration of the nodes with what follows from the network; ConfigError where it does not fit.
  static Cenju4Config complete_config(const Cenju4Config& nodes, const network::NetworkConfig& network,
                                      const graph::Topology& topology, const TreeConfig& tree);

  /// The routing of `parts` has VcNetworkConfig::vcs_of_routing() virtual channels. `faults`: what is dead.
  TreeMachine(const Parts& parts, const TreeConfig& tree, const graph::FaultSet& faults);
  /// The simulation must have ended.
  ~TreeMachine() override;

  /// Units that multicast and synchronize.
  TreeUnits& units() { return units_; }
  /// Units that multicast and synchronize.
  const TreeUnits& units() const { return units_; }
  /// Metrics of all nodes, the network and the units.
  observe::NetworkMetrics metrics() const override;

 private:
  std::uint64_t flits_in_network() const override { return flits_between_ends() + units_.flits_held(); }
  std::string held_report(unsigned limit) const override {
    return units_.held_report(limit) + wait_report(limit);
  }
  bool reports_empty() const override { return units_.changes(); }
  bool may_still_arrive() const override;
  std::uint64_t flits_held_in_vain() const override { return units_.changes() ? units_.flits_held() : 0; }
  void check_conservation() const override;
  void check_tree(const TreeCounters& units) const;
  static void validate_changes(const network::NetworkConfig& network);

  TreeUnits units_;
};

}  // namespace tsuji::machines
