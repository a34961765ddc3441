// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/routing/compact/compact_tables.h"

namespace tsuji::routing {

/// Bits of state that a router needs for routing.
struct TableBits {
  std::uint64_t table = 0;        ///< bits of the routing table
  std::uint64_t state = 0;        ///< bits of state for freedom from deadlock: turns, layers, intervals
  std::uint64_t comparators = 0;  ///< bits that comparators examine in one search; 0: the table is indexed
  std::uint64_t header = 0;       ///< bits in the header of a packet
  std::uint64_t all() const { return table + state; }
};

/// Bits of routing schemes, for routers with `degree` links to others. Numbers and ports have as many bits as
/// their largest value needs.
class TableBitsOf {
 public:
  TableBitsOf(const CoordinateSpace& space, unsigned degree);

  /// Bits of an entry: a destination and a port. The destination is given by its coordinates if routers fill
  /// a box row by row, otherwise by its number and its coordinates (Compact Tables, section 4: 8 + 2 bits).
  unsigned compact_entry() const { return place_ + port_; }
  /// With `layers` sets of turns of d (d - 1) bits each.
  TableBits compact_with_layers(unsigned entries, unsigned layers) const;
  /// With a spanning tree: two numbers for each of d intervals, and the port to the parent.
  TableBits compact_with_tree(unsigned entries) const;
  /// A port per router, without freedom from deadlock (Compact Tables, section 4).
  TableBits full() const;
  /// SourceTable: per router also the layers from which its path can be completed.
  TableBits source_table(unsigned layers) const;
  /// UpDown with one path: a port per router and phase, and the direction of each port.
  TableBits up_down() const;
  /// LASH: a port per router, and the layer of the path to it.
  TableBits lash(unsigned layers) const;

 private:
  TableBits compact(unsigned entries) const;
  std::uint64_t turns() const { return std::uint64_t{degree_} * (degree_ - 1); }

  unsigned routers_, degree_;
  unsigned number_, port_;  ///< bits of a router's number and of a port
  unsigned place_;          ///< bits of a destination in compact tables
  unsigned distance_;       ///< bits of a distance between coordinates
};

/// Number of bits for numbers below `count`.
unsigned bits_below(std::uint64_t count);

}  // namespace tsuji::routing
