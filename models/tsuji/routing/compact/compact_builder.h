// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/graph/all_hops.h"
#include "tsuji/routing/compact/compact_tables.h"

namespace tsuji::routing {

/// Constructs compact tables (Compact Tables, section 2): entries for adjacent routers, completion, then all
/// other pairs as long as entries are free.
class CompactBuilder {
 public:
  CompactBuilder(const graph::Topology& topology, const graph::LivingNetwork& network,
                 const graph::AllHops& hops, const CoordinateSpace& space);

  /// Adds shortest paths between routers at Manhattan distance 1.
  void add_paths_beside();
  /// Adds the shortest path to each destination to which no entry of a router is nearer than the router
  /// itself. There is none if routers fill a box; with `search_boxes` they are searched, too.
  void complete(bool search_boxes = false);
  /// Adds all pairs by hops, source and destination; the entries of a path are added all or none.
  void fill(unsigned capacity, CompactRoom room);
  /// Sorts by hops; equal ones remain in the order of insertion.
  void sort();

  const std::vector<std::vector<CompactEntry>>& entries() const { return entries_; }
  const std::vector<MandatoryEntries>& mandatory() const { return mandatory_; }

 private:
  struct Link {
    RouterId to;
    std::uint16_t port;
  };
  /// A pair for whose path all entries are in the tables.
  struct Pair {
    RouterId from, to;
    std::uint32_t step;  ///< index into steps_
  };
  /// First router of a path, and the step from the next router on.
  struct Step {
    RouterId at;
    std::uint32_t next;
  };

  bool holds(RouterId router, RouterId destination) const {
    const std::size_t bit = std::size_t{router} * entries_.size() + destination;
    return (held_[bit / 64] >> (bit % 64) & 1) != 0;
  }
  bool full(RouterId router, unsigned capacity) const { return entries_[router].size() >= capacity; }
  /// Link from `router` on a shortest path with these hops: to the next router with the lowest number.
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
  std::vector<std::uint32_t> first_link_;  ///< [router], with one more element: index into links_
  std::vector<Link> links_;                ///< one link of each router to each neighbour, ascending
  std::vector<std::vector<CompactEntry>> entries_;
  std::vector<MandatoryEntries> mandatory_;
  std::vector<std::uint64_t> held_;  ///< a bit for each router and destination
  std::vector<Step> steps_;
};

}  // namespace tsuji::routing
