// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/node_tree.h"

#include <algorithm>
#include <string>

#include "tsuji/core/cycle_search.h"
#include "tsuji/core/error.h"

namespace tsuji::machines {

using graph::RouterId;

namespace {

std::uint16_t farthest(const graph::LivingNetwork& network, RouterId from, graph::BreadthFirst& search) {
  std::uint16_t most = 0;
  for (const std::uint16_t hops : network.hops_to(from, search))
    if (hops != graph::unreachable) most = std::max(most, hops);
  return most;
}

/// The lowest router among those from which the farthest one is nearest.
RouterId centre(const graph::LivingNetwork& network) {
  graph::BreadthFirst search;
  RouterId best = graph::none;
  std::uint16_t least = graph::unreachable;
  for (RouterId router = 0; router < network.routers(); ++router) {
    if (!network.lives(router)) continue;
    const std::uint16_t most = farthest(network, router, search);
    if (most >= least) continue;
    least = most;
    best = router;
  }
  return best;
}

RouterId chosen_root(const graph::LivingNetwork& network, std::optional<std::uint64_t> root) {
  if (!root) return centre(network);
  if (*root < network.routers() && network.lives(static_cast<RouterId>(*root)))
    return static_cast<RouterId>(*root);
  throw ConfigError("tree.root", std::to_string(*root),
                    *root < network.routers() ? "is dead or cut off" : "there is no such router",
                    "a living router of 0.." + std::to_string(network.routers() - 1) + ", or auto");
}

void refuse(const graph::Topology& topology, const std::string& what, const std::string& accepted) {
  throw ConfigError("topology.kind", topology.name(), what, accepted);
}

}  // namespace

NodeTree::NodeTree(const graph::Topology& topology, const graph::FaultSet& faults,
                   std::optional<std::uint64_t> root)
    : groups_((topology.nodes() + map_nodes - 1) / map_nodes),
      units_(topology.routers()),
      parent_(topology.routers(), graph::none) {
  for (const graph::RouterLink& link : topology.links())
    if (link.one_way) refuse(topology, "a tree of its links needs both directions", "two-way links");
  const graph::LivingNetwork network(topology, faults);
  root_ = chosen_root(network, root);
  join(topology, network);
}

void NodeTree::join(const graph::Topology& topology, const graph::LivingNetwork& network) {
  graph::BreadthFirst search;
  const std::vector<std::uint16_t>& hops = network.hops_to(root_, search);
  for (const RouterId router : search.order()) {
    depth_ = hops[router];
    network.visit_neighbours(router, [&](RouterId next) {
      if (hops[next] == hops[router] + 1 && parent_[next] == graph::none) parent_[next] = router;
    });
    if (parent_[router] != graph::none) link(topology, network, router);
  }
  attach_nodes(topology, network);
  spread(search.order());
}

/// Links a child to its parent by the parent's lowest port that connects to the child.
void NodeTree::link(const graph::Topology& topology, const graph::LivingNetwork& network, RouterId child) {
  const RouterId parent = parent_[child];
  unsigned port = 0;
  while (network.neighbour(parent, port) != child) ++port;
  const graph::Topology::Far& far = topology.far(parent, port);
  const bool parent_at_a = topology.links()[far.link].a == graph::PortRef{parent, port};
  units_[parent].links.push_back({port, child, 0, far.link, parent_at_a});
  units_[child].links.push_back({far.at.port, parent, 0, far.link, !parent_at_a});
}

void NodeTree::attach_nodes(const graph::Topology& topology, const graph::LivingNetwork& network) {
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const graph::NodePorts& ports = topology.node(node);
    if (ports.inject.router != ports.eject.router)
      refuse(topology, "a node injects at another router than it ejects from", "nodes with one router each");
    units_[ports.inject.router].nodes.push_back(node);
  }
  for (RouterId router = 0; router < routers(); ++router) {
    std::vector<TreeLink>& own = units_[router].links;
    std::sort(own.begin(), own.end(), [](const TreeLink& a, const TreeLink& b) { return a.port < b.port; });
    if (network.lives(router) && branches(router) > most_branches)
      refuse(topology,
             "router " + std::to_string(router) + " has " + std::to_string(branches(router)) +
                 " tree links and nodes",
             "at most " + std::to_string(most_branches));
  }
  for (Unit& unit : units_)
    for (TreeLink& one : unit.links) {
      const std::vector<TreeLink>& there = units_[one.neighbour].links;
      const auto same = [&one](const TreeLink& other) { return other.link == one.link; };
      one.branch_there =
          static_cast<unsigned>(std::find_if(there.begin(), there.end(), same) - there.begin());
    }
}

/// The nodes below each router, from the leaves up, and of all of them those that are not below.
void NodeTree::spread(const std::vector<RouterId>& nearest_first) {
  std::vector<std::uint64_t> below(std::size_t{routers()} * groups_);
  const auto add = [&](RouterId to, std::uint32_t group, std::uint64_t nodes) {
    below[std::size_t{to} * groups_ + group] |= nodes;
  };
  for (auto at = nearest_first.rbegin(); at != nearest_first.rend(); ++at) {
    for (const NodeId node : nodes(*at)) add(*at, node / map_nodes, std::uint64_t{1} << node % map_nodes);
    for (unsigned group = 0; group < groups_ && parent_[*at] != graph::none; ++group)
      add(parent_[*at], group, below[std::size_t{*at} * groups_ + group]);
  }
  for (unsigned group = 0; group < groups_; ++group)
    in_tree_.push_back(below[std::size_t{root_} * groups_ + group]);
  for (RouterId router = 0; router < routers(); ++router) {
    units_[router].nodes_of.resize(std::size_t{branches(router)} * groups_);
    for (unsigned branch = 0; branch < links(router).size(); ++branch)
      for (unsigned group = 0; group < groups_; ++group) {
        const RouterId next = links(router)[branch].neighbour;
        const auto all_below = [&](RouterId of) { return below[std::size_t{of} * groups_ + group]; };
        nodes_of(router, branch, group) =
            next == parent_[router] ? all_below(root_) & ~all_below(router) : all_below(next);
      }
    for (const NodeId node : nodes(router))
      nodes_of(router, branch_of_node(router, node), node / map_nodes) = std::uint64_t{1} << node % map_nodes;
  }
}

bool NodeTree::same_as(const NodeTree& other) const {
  if (root_ != other.root_) return false;
  for (RouterId router = 0; router < routers(); ++router) {
    const std::vector<TreeLink>&one = links(router), &two = other.links(router);
    const auto same = [](const TreeLink& a, const TreeLink& b) { return a.link == b.link; };
    if (!std::equal(one.begin(), one.end(), two.begin(), two.end(), same)) return false;
  }
  return true;
}

unsigned NodeTree::branch_of_node(RouterId router, NodeId node) const {
  const std::vector<NodeId>& own = nodes(router);
  const auto place = std::find(own.begin(), own.end(), node) - own.begin();
  return static_cast<unsigned>(links(router).size()) + static_cast<unsigned>(place);
}

const NodeTree::TreeLink* NodeTree::link_to(RouterId router, RouterId neighbour) const {
  for (const TreeLink& one : links(router))
    if (one.neighbour == neighbour) return &one;
  return nullptr;
}

NodeTree::Branches NodeTree::branches_towards(RouterId router, std::uint32_t group, std::uint64_t map) const {
  if (group >= groups_) return 0;
  Branches towards = 0;
  for (unsigned branch = 0; branch < branches(router); ++branch)
    if ((units_[router].nodes_of[std::size_t{branch} * groups_ + group] & map) != 0)
      towards |= Branches{1} << branch;
  return towards;
}

std::vector<std::pair<RouterId, RouterId>> NodeTree::circle() const {
  std::vector<std::size_t> first(routers() + 1);  // of a router's FIFOs that tree links fill
  for (RouterId router = 0; router < routers(); ++router)
    first[router + 1] = first[router] + links(router).size();
  std::vector<std::pair<RouterId, RouterId>> fifos;  // (from, to)
  for (RouterId router = 0; router < routers(); ++router)
    for (const TreeLink& from : links(router)) fifos.emplace_back(from.neighbour, router);
  const auto visit = [&](Vertex fifo, const VisitNext& next) {
    const auto [from, here] = fifos[fifo];
    for (const TreeLink& onward : links(here))
      if (onward.neighbour != from) next(static_cast<Vertex>(first[onward.neighbour] + onward.branch_there));
  };
  std::vector<std::pair<RouterId, RouterId>> circle;
  for (const Vertex fifo : find_cycle(fifos.size(), visit)) circle.push_back(fifos[fifo]);
  return circle;
}

}  // namespace tsuji::machines
