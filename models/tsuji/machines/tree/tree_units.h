// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/machines/tree/node_tree.h"
#include "tsuji/machines/tree/tree_channel.h"
#include "tsuji/machines/tree/tree_port.h"
#include "tsuji/network/fault_observer.h"
#include "tsuji/traffic/link_bridge.h"

namespace tsuji::machines {

/// Units of a network, with the channels between them and to the nodes (rooms/tree.md).
///
/// If links fail or return in the run, the units are the network's fault observer. `tree.change_cycles` after
/// each such event all units adopt, in one cycle, the tree of the links that are then alive.
///
/// Contract: made before the network, which is given routing() and make_port(). Packets on the channels
/// belong to the network's pool, so drop_channels(), or the destructor, is called before the pool is
/// destroyed.
class TreeUnits final : public network::FaultObserver {
 public:
  struct Parts {
    const TreeConfig& config;
    const graph::Topology& topology;
    const graph::FaultSet& faults;
    const routing::Routing& of_nodes;  ///< routing of the nodes' packets; outlives the units
    unsigned vc;                       ///< virtual channel between routers that is reserved for the tree
    bool changes = false;              ///< links fail or return in the run
  };
  /// Throws the ConfigErrors of NodeTree and, for a tree that changes, ConfigError for a router with more
  /// links and nodes than NodeTree::most_branches (topology.kind).
  explicit TreeUnits(const Parts& parts);
  TreeUnits(const TreeUnits&) = delete;
  TreeUnits& operator=(const TreeUnits&) = delete;

  const NodeTree& tree() const { return tree_; }
  const routing::Routing& routing() const { return channel_; }
  bool changes() const { return changes_; }
  /// Tree without the dead parts. A root that is dead or cut off is replaced by the default root.
  static NodeTree tree_of(const graph::Topology& topology, const graph::FaultSet& faults,
                          std::optional<std::uint64_t> root);
  /// Makes the unit at a router's control port (LoadedNetwork::Parts::make_control).
  std::unique_ptr<traffic::EmissionSource> make_port(graph::RouterId router);
  /// The node's ends of its channels; null for a node outside the tree.
  traffic::BridgeUnit channels_of(NodeId node) {
    return {of_nodes_[node].out.get(), of_nodes_[node].in.get(), &numbers_, changes_};
  }
  void drop_channels();

  void attach(network::NetworkSupervisor& supervisor) override { supervisor_ = &supervisor; }
  void link_changed(std::uint32_t link, bool lives, Cycle now) override;
  void between_cycles(Cycle now) override;
  Cycle last_event() const override { return changes_at_.empty() ? 0 : changes_at_.back(); }

  /// Unit of a router; null for a router outside the tree.
  const TreeUnit* unit(graph::RouterId router) const {
    return ports_[router] == nullptr ? nullptr : &ports_[router]->unit();
  }
  /// Port of a router that has a unit.
  TreePort& port(graph::RouterId router) { return *ports_[router]; }
  /// Adds the signals of the unit of a router in the tree to a waveform.
  void add_wave(graph::RouterId router, observe::Wave& wave) { ports_[router]->add_wave(wave); }
  TreeCounters counters() const;
  /// Number of lists of multicast numbers that members have not read yet.
  std::size_t numbers_kept() const { return numbers_.kept(); }
  /// Number of flits in units and on channels to and from nodes; flits between units belong to the network.
  std::uint64_t flits_held() const;
  /// Most copies of multicasts that share the memory of a packet: those that are to leave units, and those on
  /// channels to nodes.
  std::uint64_t copies_under_way() const;
  /// Report of the units that hold packets or wait, in at most `limit` lines.
  std::string held_report(unsigned limit) const;

 private:
  struct Pair {
    std::unique_ptr<PacketLink> out, in;
  };
  void make_channels();
  static Pair make_pair(const std::string& out, const std::string& in, Cycle cycles);
  void make_link(std::uint32_t link);
  void refuse_large_routers() const;
  bool has_unit(graph::RouterId router) const { return changes_ || tree_.contains(router); }
  std::vector<TreePort::Channels> channels_of_tree(graph::RouterId router) const;
  std::vector<TreePort::Channels> all_channels(graph::RouterId router) const;
  TreePort::Channels channels_at(std::uint32_t link, bool at_a) const;
  void use(const NodeTree& next, Cycle now);
  void note_death(std::uint32_t link);
  template <class Visit>
  void visit_units(const Visit& visit) const;

  const TreeConfig config_;
  const graph::Topology& topology_;
  const bool changes_;
  NodeTree tree_;
  const TreeChannel channel_;
  traffic::MulticastNumbers numbers_;
  std::vector<Pair> of_links_;  ///< [link of the topology]: out from its end a, in to it
  std::vector<Pair> of_nodes_;  ///< [node]: out to the unit, in from it
  std::vector<TreePort*> ports_;
  network::NetworkSupervisor* supervisor_ = nullptr;
  std::deque<Cycle> changes_at_;  ///< cycles of pending changes
};

}  // namespace tsuji::machines
