// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/graph/living_network.h"
#include "tsuji/graph/topology.h"

namespace tsuji::machines {

/// A tree of the living routers of a network, breadth first from its root, and for each end of a router's
/// unit the nodes that lie behind it: those of the neighbour's side of a tree link, or one node. Nodes are
/// numbered in groups of 64, as in a multicast's map (Kanoh 2000, 4.2).
class NodeTree {
 public:
  static constexpr unsigned map_nodes = 64;
  static constexpr unsigned most_ends = 64;
  /// A bit for each end of a router's unit: its tree links, in the order of their ports, then its nodes.
  using Ends = std::uint64_t;

  struct TreeLink {
    std::uint32_t port = 0;  ///< of this router
    graph::RouterId neighbour = 0;
    unsigned end_there = 0;  ///< the same link among the neighbour's ends
    std::uint32_t link = 0;  ///< of the topology
    bool at_a = true;        ///< this router is at its end a
  };

  /// ConfigError: a root that is not alive (tree.root), one-way links (topology.kind), a router with more
  /// links and nodes than `most_ends`.
  NodeTree(const graph::Topology& topology, const graph::FaultSet& faults, std::optional<std::uint64_t> root);

  graph::RouterId root() const { return root_; }
  unsigned routers() const { return static_cast<unsigned>(units_.size()); }
  /// Routers outside of the tree are dead or cut off, and have no ends.
  bool contains(graph::RouterId router) const { return !units_[router].behind.empty(); }
  const std::vector<TreeLink>& links(graph::RouterId router) const { return units_[router].links; }
  const std::vector<NodeId>& nodes(graph::RouterId router) const { return units_[router].nodes; }
  unsigned ends(graph::RouterId router) const {
    return static_cast<unsigned>(links(router).size() + nodes(router).size());
  }
  /// The end at which a node of this router, or a tree link of its, is.
  unsigned end_of_node(graph::RouterId router, NodeId node) const;
  unsigned end_at(graph::RouterId router, const TreeLink& link) const {
    return static_cast<unsigned>(&link - links(router).data());
  }
  /// Null: no tree link leads there.
  const TreeLink* link_to(graph::RouterId router, graph::RouterId neighbour) const;
  /// The ends behind which nodes of a map lie.
  Ends ends_towards(graph::RouterId router, std::uint32_t group, std::uint64_t map) const;
  /// The largest number of tree links from the root.
  unsigned depth() const { return depth_; }

  /// A row of FIFOs of units each of which may wait for room in the next, and the last for the first: from
  /// router to router over tree links, as (from, to). Empty: nothing ever waits in a circle. A packet that
  /// came by a tree link leaves by all others, and never by that one.
  std::vector<std::pair<graph::RouterId, graph::RouterId>> circle() const;

 private:
  struct Unit {
    std::vector<TreeLink> links;
    std::vector<NodeId> nodes;
    std::vector<std::uint64_t> behind;  ///< [end * groups + group]
  };
  void join(const graph::Topology& topology, const graph::LivingNetwork& network);
  void link(const graph::Topology& topology, const graph::LivingNetwork& network, graph::RouterId child);
  void attach_nodes(const graph::Topology& topology, const graph::LivingNetwork& network);
  void spread(const std::vector<graph::RouterId>& nearest_first);
  std::uint64_t& behind(graph::RouterId router, unsigned end, unsigned group) {
    return units_[router].behind[std::size_t{end} * groups_ + group];
  }

  graph::RouterId root_ = 0;
  unsigned groups_;
  unsigned depth_ = 0;
  std::vector<Unit> units_;
  std::vector<graph::RouterId> parent_;
};

}  // namespace tsuji::machines
