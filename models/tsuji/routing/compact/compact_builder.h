// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/graph/all_hops.h"
#include "tsuji/routing/compact/compact_tables.h"

namespace tsuji::routing {

/// Construction of compact tables (Compact Tables, section 2): entries beside, completion, then all other
/// pairs as long as there is room.
class CompactBuilder {
 public:
  CompactBuilder(const graph::Topology& topology, const graph::LivingNetwork& network,
                 const graph::AllHops& hops, const CoordinateSpace& space);

  /// Shortest paths between routers at Manhattan distance 1.
  void add_paths_beside();
  /// Where no entry of a router lies nearer to some destination than the router itself, the shortest path to
  /// that destination. None where routers fill a box; `search_boxes`: looks there, too.
  void complete(bool search_boxes = false);
  /// All pairs by hops, source, destination: a path's entries all or none.
  void fill(unsigned capacity, CompactRoom room);
  /// Sorts by hops; equals stay in the order of insertion.
  void sort();

  const std::vector<std::vector<CompactEntry>>& entries() const { return entries_; }
  const std::vector<MandatoryEntries>& mandatory() const { return mandatory_; }

 private:
  struct Link {
    RouterId to;
    std::uint16_t port;
  };
  /// A pair whose path's entries are all in the tables.
  struct Pair {
    RouterId from, to;
    std::uint32_t step;  ///< into steps_
  };
  /// The first router of such a path, and the step of the path from the next router on.
  struct Step {
    RouterId at;
    std::uint32_t next;
  };

  bool holds(RouterId router, RouterId destination) const {
    const std::size_t bit = std::size_t{router} * entries_.size() + destination;
    return (held_[bit / 64] >> (bit % 64) & 1) != 0;
  }
  bool full(RouterId router, unsigned capacity) const { return entries_[router].size() >= capacity; }
  /// On the way to the destination with these hops: by the lowest of the next routers on shortest paths.
  const Link& next(RouterId router, const std::uint8_t* hops) const;
  bool insert(RouterId router, RouterId destination);
  void add_mandatory_path(RouterId from, RouterId to, std::uint16_t MandatoryEntries::*count);
  std::vector<RouterId> without_nearer_entry(RouterId router) const;

  std::vector<Pair> candidates(std::vector<Pair>& nearer, unsigned hops, unsigned capacity,
                               CompactRoom room) const;
  bool fits(const Pair& pair, unsigned capacity, CompactRoom room) const;

  const graph::LivingNetwork& network_;
  const graph::AllHops& hops_;
  const CoordinateSpace& space_;
  std::vector<std::uint32_t> first_link_;  ///< per router and one more, into links_
  std::vector<Link> links_;                ///< of each router one to each neighbour, ascending
  std::vector<std::vector<CompactEntry>> entries_;
  std::vector<MandatoryEntries> mandatory_;
  std::vector<std::uint64_t> held_;  ///< a bit for each router and destination
  std::vector<Step> steps_;
};

}  // namespace tsuji::routing
