// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/core/units.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Arrangement of the global links between groups. Global link l of group i, of g - 1 links to one group
/// each:
enum class GlobalLinks : std::uint8_t {
  absolute,  ///< to group l, or l + 1 from l = i on (BookSim2)
  relative,  ///< to group i + l + 1 modulo g (Hastings 2015)
  palmtree,  ///< to group i - l - 1 modulo g (Camarero 2014)
  circulant  ///< to groups i + 1, i - 1, i + 2, i - 2, ... modulo g (Hastings 2015)
};

/// Word of `topology.arrangement`.
std::string global_links_word(GlobalLinks arrangement);

/// End of a global link: a group, and the link's number in that group.
struct GlobalEnd {
  unsigned group = 0, link = 0;
};

/// Other end of a global link of `here`. Links g - 1 and up repeat the arrangement.
GlobalEnd far_end(GlobalLinks arrangement, unsigned groups, GlobalEnd here);

/// Largest multiple of groups - 1 that is at most `links`: the global links of a group that are connected.
inline unsigned connected_links(unsigned groups, unsigned links) {
  return links / (groups - 1) * (groups - 1);
}

/// Number of groups for the keys topology.groups and .global_links: `groups`, or `links` + 1 if that is 0.
/// ConfigError for fewer than 2 groups, and for more than there are links.
unsigned count_groups(unsigned groups, std::uint64_t links);

/// Names the classes local and global of a topology of groups, whose first coordinate is the group.
void set_group_classes(Topology& topology);

/// Parameters of topologies of groups with global links.
struct GroupedConfig {
  unsigned nodes_per_router = 1, global_links = 2;
  unsigned groups = 0;  ///< 0: the largest number
  GlobalLinks arrangement = GlobalLinks::absolute;
  Cycle global_latency_cycles = 0;  ///< 0: the common latency

  /// Binds the members to their keys.
  void add_group_keys(config::KeyTable& keys);
  /// Latency of global links.
  Cycle global_cycles(Cycle link_latency_cycles) const {
    return global_latency_cycles == 0 ? link_latency_cycles : global_latency_cycles;
  }
  /// The topology, whose global links keep a latency that these parameters set.
  Topology with_own_latency(Topology topology) const {
    if (global_latency_cycles != 0) topology.keep_latencies("global");
    return topology;
  }
};

}  // namespace tsuji::graph
