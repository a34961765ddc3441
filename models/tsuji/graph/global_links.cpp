// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/global_links.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::graph {
namespace {

const std::vector<std::pair<std::string, GlobalLinks>> arrangements{{"absolute", GlobalLinks::absolute},
                                                                    {"relative", GlobalLinks::relative},
                                                                    {"palmtree", GlobalLinks::palmtree},
                                                                    {"circulant", GlobalLinks::circulant}};

/// Distance, upwards and modulo g, from a group to the far end of its link `l` < g - 1.
unsigned distance(GlobalLinks arrangement, unsigned groups, unsigned group, unsigned l) {
  switch (arrangement) {
    case GlobalLinks::absolute:
      return (l < group ? l + groups : l + 1) - group;
    case GlobalLinks::relative:
      return l + 1;
    case GlobalLinks::palmtree:
      return groups - l - 1;
    case GlobalLinks::circulant:
      return l % 2 == 0 ? l / 2 + 1 : groups - (l + 1) / 2;
  }
  throw ModelError("global links", "no such arrangement");
}

/// Number, in the far group, of the link `l` of `group` that covers `distance`.
unsigned far_link(GlobalLinks arrangement, unsigned groups, unsigned group, unsigned l) {
  const unsigned far = (group + distance(arrangement, groups, group, l)) % groups;
  if (arrangement == GlobalLinks::absolute) return group < far ? group : group - 1;
  if (arrangement != GlobalLinks::circulant) return groups - 2 - l;
  return l + 2 == groups && l % 2 == 0 ? l : l ^ 1U;  // the last link of an even number of groups is alone
}

}  // namespace

std::string global_links_word(GlobalLinks arrangement) {
  for (const auto& [word, value] : arrangements)
    if (value == arrangement) return word;
  throw ModelError("global links", "no such arrangement");
}

GlobalEnd far_end(GlobalLinks arrangement, unsigned groups, GlobalEnd here) {
  const unsigned l = here.link % (groups - 1), repeated = here.link - l;
  return {(here.group + distance(arrangement, groups, here.group, l)) % groups,
          repeated + far_link(arrangement, groups, here.group, l)};
}

unsigned count_groups(unsigned groups, std::uint64_t links) {
  constexpr std::uint64_t most_groups = 65'536;
  const std::uint64_t count = groups == 0 ? links + 1 : groups;
  if (count < 2 || count > links + 1 || count > most_groups)
    throw ConfigError(
        "topology.groups", std::to_string(count), "not every two groups would have a link",
        "2.." + std::to_string(std::min(links + 1, most_groups)) + ", or 0 for " + std::to_string(links + 1));
  return static_cast<unsigned>(count);
}

void set_group_classes(Topology& topology) {
  topology.set_link_classes({"local", "global"}, [&topology](const RouterLink& link) {
    return topology.coordinates(link.a.router)[0] == topology.coordinates(link.b.router)[0] ? 0U : 1U;
  });
}

void GroupedConfig::add_group_keys(config::KeyTable& keys) {
  keys.add("topology.nodes_per_router", nodes_per_router, {1, 256}, "nodes",
           "hyperx, dragonfly, slim_fly, polar_fly: nodes of each router; dragonfly_plus: of each leaf");
  keys.add("topology.global_links", global_links, {1, 256}, "links",
           "dragonfly: global links of each router, h; dragonfly_plus: of each spine");
  keys.add("topology.groups", groups, {0, 65'536}, "groups",
           "dragonfly, dragonfly_plus: number of groups; 0: the largest, with one link between every two");
  keys.add_choice("topology.arrangement", arrangement, arrangements,
                  "dragonfly, dragonfly_plus: group to which a group's global link l leads; absolute: l, "
                  "without itself; relative: l + 1 higher; palmtree: l + 1 lower; circulant: 1 higher, 1 "
                  "lower, 2 higher, 2 lower, ...");
  keys.add("topology.global_latency_cycles", global_latency_cycles, {0, 1'000'000}, "cycles",
           "dragonfly, dragonfly_plus: latency of global links; 0: link.latency_cycles");
}

}  // namespace tsuji::graph
