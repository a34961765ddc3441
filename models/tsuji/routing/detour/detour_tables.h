// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/graph/fault_regions.h"
#include "tsuji/graph/living_network.h"
#include "tsuji/graph/up_down_order.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Set of output ports, bit p for port p.
using PortWord = std::uint16_t;

/// Array of words of equal length, packed into bytes.
class PackedWords {
 public:
  PackedWords() = default;
  PackedWords(std::size_t words, unsigned bits_of_word);
  PortWord operator[](std::size_t i) const {
    const std::size_t bit = i << shift_;
    return static_cast<PortWord>(units_[bit / unit] >> bit % unit & mask_);
  }
  /// Sets a word, once per word.
  void set(std::size_t i, PortWord word) {
    const std::size_t bit = i << shift_;
    units_[bit / unit] = static_cast<std::uint16_t>(units_[bit / unit] | word << bit % unit);
  }
  std::size_t bytes() const { return units_.size() * sizeof units_[0]; }

 private:
  static constexpr std::size_t unit = 16;
  unsigned shift_ = 0;  ///< the length of a word is 2^shift bits
  PortWord mask_ = 0;
  std::vector<std::uint16_t> units_;
};

/// Routing tables of Detour-UD (Yoshinaga 2004, 2.3) for all routers of a living network: for each router and
/// destination's router one word per column, with all candidates set.
///   torus    first hops of all shortest paths over living links; for routers of a fault region only
///   up/down  if links downwards alone reach the destination, first hops of the shortest of these paths;
///            otherwise the first hops, all upwards, of the shortest legal paths (rooms/routing.md, Where the
///            paper is silent, 7)
/// Words for the router itself, and for routers that are dead or cut off, are 0. A message that follows any
/// up/down candidates never goes up after down, and arrives: once links downwards suffice, each hop is one of
/// them.
class DetourTables {
 public:
  static constexpr unsigned most_ports = 16;

  /// `all_paths`: up/down words have all candidates; otherwise one, spread over the destinations.
  DetourTables(const graph::LivingNetwork& network, const graph::FaultRegions& regions,
               const graph::UpDownOrder& order, bool all_paths);

  unsigned ports() const { return ports_; }
  bool has_torus(RouterId router) const { return row_[router] != graph::none; }
  /// Requires has_torus().
  PortWord torus(RouterId router, RouterId to) const {
    return torus_[std::size_t{to} * torus_rows_ + row_[router]];
  }
  PortWord up_down(RouterId router, RouterId to) const {
    return up_down_[std::size_t{to} * row_.size() + router];
  }
  std::size_t bytes() const { return torus_.bytes() + up_down_.bytes(); }

 private:
  class UpDownWords;
  void fill_torus(const graph::LivingNetwork& network);

  unsigned ports_;
  std::vector<std::uint32_t> row_;  ///< [router]: index among those with torus words
  std::size_t torus_rows_ = 0;
  // Ordered by destination, then by router, since the tables are filled by destination.
  PackedWords torus_, up_down_;
};

}  // namespace tsuji::routing
