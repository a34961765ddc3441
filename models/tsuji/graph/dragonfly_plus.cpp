// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/dragonfly_plus.h"

#include "tsuji/graph/network_limits.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {
namespace {

std::string dragonfly_plus_name(const DragonflyPlusShape& shape) {
  return "dragonfly+, " + std::to_string(shape.groups) + " groups of " + std::to_string(shape.leaves) +
         " leaves and " + std::to_string(shape.spines) + " spines, " +
         std::to_string(shape.nodes_per_router) + " nodes a leaf, " + std::to_string(shape.global_links) +
         " global links a spine, " + global_links_word(shape.arrangement);
}

/// Links of one group, each from its lower end.
void add_dragonfly_plus_links(const DragonflyPlusShape& shape, unsigned group, Cycle local_cycles,
                              Cycle global_cycles, std::vector<RouterLink>& links) {
  const unsigned h = shape.global_links;
  const RouterId first = group * shape.group_routers();
  for (unsigned leaf = 0; leaf < shape.leaves; ++leaf)
    for (unsigned spine = 0; spine < shape.spines; ++spine)
      links.push_back({{first + leaf, spine}, {first + shape.leaves + spine, leaf}, local_cycles});
  const auto port = [&](GlobalEnd end) {
    const RouterId spine = end.group * shape.group_routers() + shape.leaves + end.link / h;
    return PortRef{spine, shape.leaves + end.link % h};
  };
  for (unsigned link = 0; link < connected_links(shape.groups, shape.spines * h); ++link) {
    const GlobalEnd here{group, link}, far = far_end(shape.arrangement, shape.groups, here);
    if (far.group > group) links.push_back({port(here), port(far), global_cycles});
  }
}

}  // namespace

Topology make_dragonfly_plus(const DragonflyPlusShape& shape, Cycle local_cycles, Cycle global_cycles) {
  count_groups(shape.groups, std::uint64_t{shape.spines} * shape.global_links);
  check_routers("topology.leaves", shape.leaves, std::uint64_t{shape.groups} * shape.group_routers());
  check_nodes(std::uint64_t{shape.groups} * shape.leaves, shape.nodes_per_router);
  std::vector<unsigned> ports;
  std::vector<RouterLink> links;
  std::vector<NodePorts> nodes;
  std::vector<std::vector<unsigned>> coordinates;
  for (unsigned group = 0; group < shape.groups; ++group) {
    add_dragonfly_plus_links(shape, group, local_cycles, global_cycles, links);
    for (unsigned r = 0; r < shape.group_routers(); ++r) {
      const bool leaf = r < shape.leaves;
      coordinates.push_back({group, r});
      ports.push_back(leaf ? shape.spines + shape.nodes_per_router : shape.leaves + shape.global_links);
      for (unsigned n = 0; leaf && n < shape.nodes_per_router; ++n) {
        const PortRef port{group * shape.group_routers() + r, shape.spines + n};
        nodes.push_back({port, port});
      }
    }
  }
  Topology network(dragonfly_plus_name(shape), ports, std::move(links), std::move(nodes), shape,
                   std::move(coordinates));
  set_group_classes(network);
  return network;
}

void DragonflyPlusConfig::add_keys(config::KeyTable& keys) {
  keys.add("topology.leaves", leaves, {1, 256}, "routers", "dragonfly_plus: routers with nodes in a group");
  keys.add("topology.spines", spines, {1, 256}, "routers",
           "dragonfly_plus: routers with global links in a group");
  add_group_keys(keys);
}

Topology DragonflyPlusConfig::make(Cycle link_latency_cycles) const {
  const unsigned count = count_groups(groups, std::uint64_t{spines} * global_links);
  return with_own_latency(
      make_dragonfly_plus({leaves, spines, nodes_per_router, global_links, count, arrangement},
                          link_latency_cycles, global_cycles(link_latency_cycles)));
}

void add_dragonfly_plus(TopologyKinds& kinds) {
  kinds.add<DragonflyPlusConfig>("dragonfly_plus", {"minimal"});
}

}  // namespace tsuji::graph
