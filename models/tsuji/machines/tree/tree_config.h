// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tsuji/config/key_table.h"
#include "tsuji/core/units.h"

namespace tsuji::machines {

/// Units at the routers of a virtual-channel network that multicast and synchronize along a tree.
struct TreeConfig {
  static constexpr unsigned vcs = 1;  ///< the last one of each link between routers, for the tree alone

  unsigned fifo_packets = 2;          ///< of each input of a unit, in whole packets
  Cycle cycles = 4;                   ///< from a packet's last flit in a unit to its head's way out
  std::optional<std::uint64_t> root;  ///< a router; none: one with the least greatest distance to others

  void validate() const;  ///< throws ConfigError
};

/// Counters of a unit. from_nodes + from_units + copied + released = to_units + to_nodes + merged + held
/// there.
struct TreeCounters {
  std::uint64_t from_nodes = 0, from_units = 0;        ///< packets
  std::uint64_t to_nodes = 0, to_units = 0;            ///< packets
  std::uint64_t multicasts = 0, synchronizations = 0;  ///< of from_nodes
  std::uint64_t copied = 0;                            ///< beyond the first, of multicasts
  std::uint64_t merged = 0;                            ///< synchronizations that ended in a unit's table
  std::uint64_t released = 0;                          ///< synchronizations that tables sent

  TreeCounters& operator+=(const TreeCounters& other);
};

/// Binds tree.*.
void add_tree_keys(config::KeyTable& keys, TreeConfig& tree);

}  // namespace tsuji::machines
