// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/machines/cenju4/bridged_nodes.h"
#include "tsuji/machines/tree/tree_units.h"

namespace tsuji::machines {

/// Cenju-4 nodes on a virtual-channel network of any topology with bidirectional links, with a unit at each
/// router that multicasts and synchronizes along a spanning tree of the network (rooms/tree.md).
class TreeMachine final : public BridgedNodes {
 public:
  /// Checks that need no topology. Throws ConfigError for requirements that the library or the network cannot
  /// meet.
  static void validate(const network::NetworkConfig& network, const Cenju4Config& nodes,
                       const TreeConfig& tree);
  /// True if links fail or return in the run, so that the tree changes.
  static bool changes(const network::NetworkConfig& network);
  /// Returns the nodes' configuration, completed with the values that follow from the network. Throws
  /// ConfigError if both do not fit.
  static Cenju4Config complete_config(const Cenju4Config& nodes, const network::NetworkConfig& network,
                                      const graph::Topology& topology, const TreeConfig& tree);

  /// Builds nodes, units and network. The routing of `parts` has VcNetworkConfig::vcs_of_routing() virtual
  /// channels; `faults` are the dead links and routers.
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
  UnitPackets unit_packets(Cycle now) const override;
  void check_tree(const TreeCounters& units) const;
  static void validate_changes(const network::NetworkConfig& network);

  TreeUnits units_;
};

}  // namespace tsuji::machines
