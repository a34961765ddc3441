// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tsuji/config/key_table.h"
#include "tsuji/core/units.h"

namespace tsuji::machines {

/// Parameters of the units at the routers of a virtual-channel network that multicast and synchronize along a
/// spanning tree.
struct TreeConfig {
  static constexpr unsigned vcs = 1;  ///< virtual channels reserved for the tree: the last of each link

  unsigned fifo_packets = 2;  ///< capacity of each input FIFO of a unit, in whole packets
  Cycle cycles = 4;           ///< cycles from the arrival of the last flit to the departure of the head
  std::optional<std::uint64_t> root;  ///< root router; empty: a router in the centre of the network
  Cycle change_cycles = 100;          ///< cycles from the failure or return of a link to the next tree
  unsigned kept_packets = 16;         ///< multicasts of a node that its unit keeps until they are confirmed

  void validate() const;  ///< throws ConfigError
};

/// Counters of a unit. Invariant: from_nodes + from_units + copied + released + sent_again = to_units +
/// to_nodes
/// + merged + swallowed + discarded + packets held in the unit (without kept multicasts).
struct TreeCounters {
  std::uint64_t from_nodes = 0,  ///< packets from nodes
      from_units = 0;            ///< packets from neighbouring units
  std::uint64_t to_nodes = 0,    ///< packets to nodes
      to_units = 0;              ///< packets to neighbouring units
  std::uint64_t multicasts = 0,  ///< multicasts among from_nodes
      synchronizations = 0;      ///< synchronizations among from_nodes
  std::uint64_t copied = 0;      ///< copies of multicasts in addition to the first
  std::uint64_t merged = 0;      ///< synchronizations that ended in the unit's table
  std::uint64_t released = 0;    ///< synchronizations that the unit's table sent
  std::uint64_t due = 0,         ///< copies required by the members of its nodes' multicasts
      given = 0;                 ///< copies of multicasts sent to its nodes

  // For trees that change.
  std::uint64_t changes = 0;        ///< number of new trees
  std::uint64_t confirmations = 0;  ///< confirmations sent to units
  std::uint64_t discarded = 0;      ///< packets in FIFOs of tree links when the tree changed
  std::uint64_t sent_again = 0;     ///< kept multicasts that were sent again
  std::uint64_t swallowed = 0;  ///< multicasts without a copy: all members here have it, or none can have it
  std::uint64_t late = 0;       ///< packets of an earlier tree, or over a link that has failed

  /// Adds the counts of another unit.
  TreeCounters& operator+=(const TreeCounters& other);
};

/// Adds the keys tree.*.
void add_tree_keys(config::KeyTable& keys, TreeConfig& tree);

}  // namespace tsuji::machines
