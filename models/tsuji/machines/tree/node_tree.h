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

/// Breadth-first spanning tree of the living routers of a network, with the nodes of each branch of a
/// router's unit. A branch is a tree link, with all nodes beyond it, or a node of the router. Maps have 64
/// nodes each (Kanoh 2000, 4.2).
class NodeTree {
 public:
  static constexpr unsigned map_nodes = 64;      ///< nodes of a map
  static constexpr unsigned most_branches = 63;  ///< largest number of branches of a unit
  /// One bit for each branch of a router's unit: tree links in the order of their ports, then nodes.
  using Branches = std::uint64_t;

  /// Tree link of a router.
  struct TreeLink {
    std::uint32_t port = 0;         ///< port of this router
    graph::RouterId neighbour = 0;  ///< router at the other end
    unsigned branch_there = 0;      ///< index of this link among the neighbour's branches
    std::uint32_t link = 0;         ///< index into Topology::links()
    bool at_a = true;               ///< this router is at end a of the link
  };

  /// Throws ConfigError for a root that is not alive (tree.root), one-way links (topology.kind), and a router
  /// with more links and nodes than `most_branches`.
  NodeTree(const graph::Topology& topology, const graph::FaultSet& faults, std::optional<std::uint64_t> root);

  graph::RouterId root() const { return root_; }
  unsigned routers() const { return static_cast<unsigned>(units_.size()); }
  /// True if the router is in the tree; false if it is dead or cut off from the root.
  bool contains(graph::RouterId router) const { return router == root_ || parent_[router] != graph::none; }
  const std::vector<TreeLink>& links(graph::RouterId router) const { return units_[router].links; }
  const std::vector<NodeId>& nodes(graph::RouterId router) const { return units_[router].nodes; }
  unsigned branches(graph::RouterId router) const {
    return static_cast<unsigned>(links(router).size() + nodes(router).size());
  }
  /// Branch of a node of this router.
  unsigned branch_of_node(graph::RouterId router, NodeId node) const;
  /// Branch of one of links(router).
  unsigned branch_at(graph::RouterId router, const TreeLink& link) const {
    return static_cast<unsigned>(&link - links(router).data());
  }
  /// Tree link between two routers; null if they are no neighbours in the tree.
  const TreeLink* link_to(graph::RouterId router, graph::RouterId neighbour) const;
  /// Branches with nodes of a map.
  Branches branches_towards(graph::RouterId router, std::uint32_t group, std::uint64_t map) const;
  /// Nodes of a map that are in the tree.
  std::uint64_t in_tree(std::uint32_t group, std::uint64_t map) const {
    return group < groups_ ? map & in_tree_[group] : 0;
  }
  /// True if root and links are equal.
  bool same_as(const NodeTree& other) const;
  /// Largest number of tree links between the root and a router.
  unsigned depth() const { return depth_; }

  /// Cycle in the dependency graph of the FIFOs of tree links, as (from, to); each may wait for room in the
  /// next. Empty: no cycle, so that units are free of deadlock. A packet from a tree link leaves by other
  /// branches only.
  std::vector<std::pair<graph::RouterId, graph::RouterId>> circle() const;

 private:
  struct Unit {
    std::vector<TreeLink> links;
    std::vector<NodeId> nodes;
    std::vector<std::uint64_t> nodes_of;  ///< [branch * groups + group]
  };
  void join(const graph::Topology& topology, const graph::LivingNetwork& network);
  void link(const graph::Topology& topology, const graph::LivingNetwork& network, graph::RouterId child);
  void attach_nodes(const graph::Topology& topology, const graph::LivingNetwork& network);
  void spread(const std::vector<graph::RouterId>& nearest_first);
  std::uint64_t& nodes_of(graph::RouterId router, unsigned branch, unsigned group) {
    return units_[router].nodes_of[std::size_t{branch} * groups_ + group];
  }

  graph::RouterId root_ = 0;
  unsigned groups_;
  unsigned depth_ = 0;
  std::vector<Unit> units_;
  std::vector<graph::RouterId> parent_;
  std::vector<std::uint64_t> in_tree_;  ///< [group]: nodes
};

}  // namespace tsuji::machines
