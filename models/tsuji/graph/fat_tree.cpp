// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/fat_tree.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {
namespace {

constexpr std::uint64_t most_switches = 1U << 20;

}  // namespace

void check_fat_tree(unsigned up_links, unsigned down_links, unsigned levels) {
  const auto refuse = [](const char* key, unsigned value, const std::string& accepted) {
    throw ConfigError(std::string("topology.") + key, std::to_string(value), "no such fat tree", accepted);
  };
  if (up_links < 1 || up_links > 256) refuse("up_links", up_links, "1..256");
  if (down_links < 2 || down_links > 256) refuse("down_links", down_links, "2..256");
  if (levels < 1 || levels > 16) refuse("levels", levels, "1..16");
  std::uint64_t nodes = 1, top = 1;
  for (unsigned level = 0; level < levels; ++level) {
    nodes *= down_links;
    if (level != 0) top *= up_links;
    if (nodes > most_switches || top > most_switches)
      refuse("levels", levels, "at most " + std::to_string(most_switches) + " nodes, or switches on a level");
  }
}

Topology make_fat_tree(unsigned up_links, unsigned down_links, unsigned levels, Cycle link_latency_cycles) {
  check_fat_tree(up_links, down_links, levels);
  FatTreeShape shape{up_links, down_links, levels, {0}};
  std::vector<unsigned> subtrees_of(levels, 1);  // q^(r-1-l) on level l
  for (unsigned level = levels - 1; level > 0; --level)
    subtrees_of[level - 1] = subtrees_of[level] * down_links;

  std::vector<NodePorts> nodes;
  for (NodeId node = 0; node < subtrees_of.front() * down_links; ++node) {
    const PortRef port{node / down_links, node % down_links};
    nodes.push_back({port, port});
  }
  std::vector<unsigned> ports;
  std::vector<RouterLink> links;
  std::vector<std::vector<unsigned>> coordinates;
  unsigned width = 1;  // p^l
  for (unsigned level = 0; level < levels; ++level, width *= up_links) {
    const bool top = level + 1 == levels;
    const unsigned subtrees = subtrees_of[level];
    const RouterId first = shape.first_of_level.back(), above = first + subtrees * width;
    for (unsigned place = 0; place < subtrees * width; ++place) {
      ports.push_back(down_links + (top ? 0 : up_links));
      coordinates.push_back({level, place});
      const unsigned subtree = place / width, number = place % width;
      for (unsigned j = 0; j < (top ? 0 : up_links); ++j) {
        const RouterId parent = above + subtree / down_links * width * up_links + j * width + number;
        links.push_back(
            {{first + place, down_links + j}, {parent, subtree % down_links}, link_latency_cycles});
      }
    }
    shape.first_of_level.push_back(above);
  }
  const std::string name = "fat tree (" + std::to_string(up_links) + "," + std::to_string(down_links) + "," +
                           std::to_string(levels) + ")";
  Topology tree(name, ports, std::move(links), std::move(nodes), shape, std::move(coordinates));
  Directions directions;
  directions.leads_up = [down_links](RouterId, unsigned port) { return port >= down_links; };
  if (up_links == down_links) {
    const RouterId first_of_top = shape.first_of_level[levels - 1];
    directions.opposite = [down_links, first_of_top](RouterId router, unsigned port) {
      if (router >= first_of_top) return none;
      return port < down_links ? port + down_links : port - down_links;
    };
  }
  tree.set_directions(std::move(directions));
  // A tree of one level has no links between routers.
  tree.set_link_classes(numbered_classes("level", std::max(levels, 2U) - 1),
                        [&tree](const RouterLink& link) { return tree.coordinates(link.a.router)[0]; });
  return tree;
}

void FatTreeConfig::add_keys(config::KeyTable& keys) {
  keys.add("topology.up_links", up_links, {1, 256}, "links",
           "fat_tree: up links of each router, p of (p,q,r)");
  keys.add("topology.down_links", down_links, {2, 256}, "links",
           "fat_tree: down links of each router, q of (p,q,r)");
  keys.add("topology.levels", levels, {1, 16}, "levels", "fat_tree: levels of routers, r of (p,q,r)");
}

void add_fat_tree(TopologyKinds& kinds) {
  kinds.add<FatTreeConfig>("fat_tree", {"least_common_ancestor"});
}

}  // namespace tsuji::graph
