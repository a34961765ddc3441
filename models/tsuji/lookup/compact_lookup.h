// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tsuji/lookup/cached_lookup.h"
#include "tsuji/lookup/switch_lookup.h"
#include "tsuji/routing/compact/compact.h"

namespace tsuji::lookup {

/// Searches of the compact routing table of one switch, by a unit at each input port or by one for all of
/// them (Compact Tables, section 3; rooms/lookup.md, Searches of compact tables). A unit compares so many
/// entries a cycle, all that the router has, and chooses in one cycle more; a destination at the router
/// itself needs that one alone. One search at a time, first come first served.
class CompactSearches {
 public:
  /// Numbers of one search.
  struct Search {
    unsigned entries = 0;  ///< compared
    Cycle cycles = 1;      ///< from its start to the answer
  };

  /// The tables outlive the searches.
  CompactSearches(const routing::Compact& routing, const CompactSearchTiming& timing, graph::RouterId router,
                  unsigned ports);

  Search search(NodeId destination) const;
  /// A head asks for its route in cycle `arrival`, which is not before any earlier one's of its unit. Gives
  /// the cycle from which the answer may be used.
  Cycle start(unsigned port, NodeId destination, Cycle arrival);
  void add_to(LookupCounters& counters) const;

 private:
  /// Index of the entry for that router; none: not below the number of entries.
  unsigned entry_for(graph::RouterId to) const;

  const routing::Compact& routing_;
  const CompactSearchTiming timing_;
  const graph::RouterId router_;
  const unsigned entries_;
  std::vector<std::pair<graph::RouterId, unsigned>> index_of_;  ///< by router
  std::vector<Cycle> free_at_;                                  ///< per unit
  std::uint64_t searches_ = 0, compared_ = 0, busy_cycles_ = 0, wait_sum_ = 0, wait_most_ = 0;
};

/// Every head has the table searched: a switch without caches. A head that has entered the escape channel of
/// a tree needs only the tree's labels, which are compared in one cycle.
class CompactLookup final : public SwitchLookup {
 public:
  /// ModelError for a routing without compact tables.
  CompactLookup(const LookupParts& parts, graph::RouterId router, unsigned ports);
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                routing::RouteSet& candidates) override;
  LookupCounters counters() const override;

 private:
  const routing::Compact& routing_;
  CompactSearches searches_;
};

/// Behind the caches of a switch, whose misses are searched for; a unit at each port.
class CompactMemory final : public MissMemory {
 public:
  CompactMemory(const LookupParts& parts, graph::RouterId router, unsigned ports);
  Cycle start(unsigned port, NodeId destination, Cycle arrival) override {
    return searches_.start(port, destination, arrival);
  }
  void add_to(LookupCounters& counters) const override { searches_.add_to(counters); }

 private:
  CompactSearches searches_;
};

}  // namespace tsuji::lookup
