// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/routing/compact/compact_tables.h"

namespace tsuji::routing {

/// Bits that a router keeps to find its way, whatever memory they are in.
struct TableBits {
  std::uint64_t table = 0;        ///< of its routing table
  std::uint64_t state = 0;        ///< against deadlock: of turns, layers, intervals
  std::uint64_t comparators = 0;  ///< bits that comparators look at in one search; 0: the table is indexed
  std::uint64_t header = 0;       ///< that a packet carries to be led
  std::uint64_t all() const { return table + state; }
};

/// Bits of the schemes, for routers with `degree` links to others. Numbers and ports are written in as many
/// bits as their largest value needs.
class TableBitsOf {
 public:
  TableBitsOf(const CoordinateSpace& space, unsigned degree);

  /// An entry is a destination and a port. A destination is its coordinates where routers fill a box row by
  /// row, else its number with its coordinates (Compact Tables, section 4: 8 + 2 bits).
  unsigned compact_entry() const { return place_ + port_; }
  /// `layers` of turns: d (d - 1) bits each.
  TableBits compact_with_layers(unsigned entries, unsigned layers) const;
  /// A spanning tree: two numbers for each of d intervals, and the port to the parent.
  TableBits compact_with_tree(unsigned entries) const;
  /// A port for each router, without anything against deadlock (Compact Tables, section 4).
  TableBits full() const;
  /// SourceTable: for each router the layers from which its path can be completed, too.
  TableBits source_table(unsigned layers) const;
  /// UpDown with one path: a port for each router and phase, and the direction of each port.
  TableBits up_down() const;
  /// A port for each router, and the layer of the path to it.
  TableBits lash(unsigned layers) const;

 private:
  TableBits compact(unsigned entries) const;
  std::uint64_t turns() const { return std::uint64_t{degree_} * (degree_ - 1); }

  unsigned routers_, degree_;
  unsigned number_, port_;  ///< bits
  unsigned place_;          ///< bits of a destination in compact tables
  unsigned distance_;       ///< bits of a distance between coordinates
};

/// Bits in which numbers below `count` are written.
unsigned bits_below(std::uint64_t count);

}  // namespace tsuji::routing
