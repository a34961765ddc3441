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
  Cycle change_cycles = 100;          ///< from the death or return of a link to the next tree
  unsigned kept_packets = 16;         ///< multicasts of a node that its unit keeps until members confirm them

  void validate() const;  ///< throws ConfigError
};

/// Counters of a unit. from_nodes + from_units + copied + released + sent_again = to_units + to_nodes +
/// merged + swallowed + discarded + held there, without those that are kept.
struct TreeCounters {
  std::uint64_t from_nodes = 0, from_units = 0;        ///< packets
  std::uint64_t to_nodes = 0, to_units = 0;            ///< packets
  std::uint64_t multicasts = 0, synchronizations = 0;  ///< of from_nodes
  std::uint64_t copied = 0;                            ///< beyond the first, of multicasts
  std::uint64_t merged = 0;                            ///< synchronizations that ended in a unit's table
  std::uint64_t released = 0;                          ///< synchronizations that tables sent
  std::uint64_t due = 0, given = 0;  ///< copies of multicasts: for the members of its nodes', to its nodes

  // Of a tree that changes.
  std::uint64_t changes = 0;        ///< new trees
  std::uint64_t confirmations = 0;  ///< to units
  std::uint64_t discarded = 0;      ///< packets in its FIFOs of tree links when the tree changed
  std::uint64_t sent_again = 0;     ///< kept multicasts
  std::uint64_t swallowed = 0;      ///< multicasts that all members here had already, or none can have yet
  std::uint64_t late = 0;           ///< packets of an earlier tree, or over a link that has died

  TreeCounters& operator+=(const TreeCounters& other);
};

/// Binds tree.*.
void add_tree_keys(config::KeyTable& keys, TreeConfig& tree);

}  // namespace tsuji::machines
