// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/dragonfly.h"

#include "tsuji/graph/network_limits.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {
namespace {

std::string dragonfly_name(const DragonflyShape& shape) {
  return "dragonfly, " + std::to_string(shape.groups) + " groups of " + std::to_string(shape.group_routers) +
         " routers, " + std::to_string(shape.nodes_per_router) + " nodes and " +
         std::to_string(shape.global_links) + " global links a router, " +
         global_links_word(shape.arrangement);
}

/// Links of one group, each from its lower end.
void add_dragonfly_links(const DragonflyShape& shape, unsigned group, Cycle local_cycles, Cycle global_cycles,
                         std::vector<RouterLink>& links) {
  const unsigned a = shape.group_routers, h = shape.global_links;
  const RouterId first = group * a;
  const unsigned local = shape.first_local_port();
  for (unsigned from = 0; from < a; ++from)
    for (unsigned to = from + 1; to < a; ++to)
      links.push_back({{first + from, local + to - 1}, {first + to, local + from}, local_cycles});
  const auto port = [&](GlobalEnd end) {
    return PortRef{end.group * a + end.link / h, shape.first_global_port() + end.link % h};
  };
  for (unsigned link = 0; link < connected_links(shape.groups, a * h); ++link) {
    const GlobalEnd here{group, link}, far = far_end(shape.arrangement, shape.groups, here);
    if (far.group > group) links.push_back({port(here), port(far), global_cycles});
  }
}

}  // namespace

Topology make_dragonfly(const DragonflyShape& shape, Cycle local_cycles, Cycle global_cycles) {
  count_groups(shape.groups, std::uint64_t{shape.group_routers} * shape.global_links);
  const std::uint64_t routers = std::uint64_t{shape.groups} * shape.group_routers;
  check_routers("topology.group_routers", shape.group_routers, routers);
  check_nodes(routers, shape.nodes_per_router);
  std::vector<RouterLink> links;
  std::vector<NodePorts> nodes;
  std::vector<std::vector<unsigned>> coordinates;
  for (unsigned group = 0; group < shape.groups; ++group) {
    add_dragonfly_links(shape, group, local_cycles, global_cycles, links);
    for (unsigned r = 0; r < shape.group_routers; ++r) {
      coordinates.push_back({group, r});
      for (unsigned n = 0; n < shape.nodes_per_router; ++n) {
        const PortRef port{group * shape.group_routers + r, shape.first_node_port() + n};
        nodes.push_back({port, port});
      }
    }
  }
  Topology dragonfly(dragonfly_name(shape), std::vector<unsigned>(routers, shape.ports()), std::move(links),
                     std::move(nodes), shape, std::move(coordinates));
  set_group_classes(dragonfly);
  return dragonfly;
}

void DragonflyConfig::add_keys(config::KeyTable& keys) {
  keys.add("topology.group_routers", group_routers, {1, 256}, "routers", "dragonfly: routers of a group, a");
  keys.add("topology.nodes_first", nodes_first,
           "dragonfly: whether a router's first ports, at which arbiters begin, are those of its nodes "
           "(BookSim2); "
           "false: those of its links");
  add_group_keys(keys);
}

Topology DragonflyConfig::make(Cycle link_latency_cycles) const {
  const unsigned count = count_groups(groups, std::uint64_t{group_routers} * global_links);
  return with_own_latency(
      make_dragonfly({group_routers, nodes_per_router, global_links, count, arrangement, nodes_first},
                     link_latency_cycles, global_cycles(link_latency_cycles)));
}

void add_dragonfly(TopologyKinds& kinds) {
  kinds.add<DragonflyConfig>("dragonfly", {"minimal"});
}

}  // namespace tsuji::graph
