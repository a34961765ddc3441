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

/// Output ports as bits, bit p for port p.
using PortWord = std::uint16_t;

/// Words of equal length, as many to a byte as fit.
class PackedWords {
 public:
  PackedWords() = default;
  PackedWords(std::size_t words, unsigned bits_of_word);
  PortWord operator[](std::size_t i) const {
    const std::size_t bit = i << shift_;
    return static_cast<PortWord>(units_[bit / unit] >> bit % unit & mask_);
  }
  /// Once for each word.
  void set(std::size_t i, PortWord word) {
    const std::size_t bit = i << shift_;
    units_[bit / unit] = static_cast<std::uint16_t>(units_[bit / unit] | word << bit % unit);
  }
  std::size_t bytes() const { return units_.size() * sizeof units_[0]; }

 private:
  static constexpr std::size_t unit = 16;
  unsigned shift_ = 0;  ///< a word has 2^shift bits
  PortWord mask_ = 0;
  std::vector<std::uint16_t> units_;
};

/// Routing tables of Detour-UD (Yoshinaga 2004, 2.3) for all routers of a living network: per router and
/// destination's router a word for each column, with all candidates set.
///   torus     first hops of all shortest paths over living links; kept for routers of a fault region only
///   up/down   where links down alone lead to the destination, first hops of the shortest of such paths; else
///             the first hops, all up, of the shortest legal paths (rooms/routing.md, Where the paper is
///             silent, 7)
/// Words for the router itself, and for dead or cut-off ones and theirs, are 0. A message that takes any
/// up/down candidates never goes up after down, and arrives: once links down suffice, each hop is one of
/// them.
class DetourTables {
 public:
  static constexpr unsigned most_ports = 16;

  /// `all_paths`: up/down words with all candidates; else with one of them, spread over the destinations.
  DetourTables(const graph::LivingNetwork& network, const graph::FaultRegions& regions,
               const graph::UpDownOrder& order, bool all_paths);

  unsigned ports() const { return ports_; }
  bool has_torus(RouterId router) const { return row_[router] != graph::none; }
  /// Only where has_torus().
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
  std::vector<std::uint32_t> row_;  ///< per router, among those with torus words
  std::size_t torus_rows_ = 0;
  // By destination, then by router: a destination is filled at a time.
  PackedWords torus_, up_down_;
};

}  // namespace tsuji::routing
