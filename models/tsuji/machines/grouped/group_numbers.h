// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::machines {

/// Numbers of nodes in groups of equal size: node = group * members + member.
struct GroupNumbers {
  static constexpr unsigned map_nodes = 64;  ///< nodes of a multicast's map (Kanoh 2000)
  unsigned members = 1;                      ///< nodes of a group

  unsigned group_of(NodeId node) const { return node / members; }
  unsigned member_of(NodeId node) const { return node % members; }
  NodeId first_of(unsigned group) const { return group * members; }
  /// Members of a group in the map of a node group.
  std::uint64_t map_of(unsigned group, std::uint32_t node_group) const {
    const std::uint64_t map_first = std::uint64_t{node_group} * map_nodes;
    const std::uint64_t first = std::max<std::uint64_t>(first_of(group), map_first);
    const std::uint64_t last = std::min<std::uint64_t>(first_of(group + 1), map_first + map_nodes);
    if (first >= last) return 0;
    const std::uint64_t all = last - first == map_nodes ? ~0ULL : (1ULL << (last - first)) - 1;
    return all << (first - map_first);
  }
  /// Group of the first node of a map, which must not be empty.
  unsigned first_group(std::uint32_t node_group, std::uint64_t map) const {
    return group_of(node_group * map_nodes + static_cast<unsigned>(__builtin_ctzll(map)));
  }
};

}  // namespace tsuji::machines
