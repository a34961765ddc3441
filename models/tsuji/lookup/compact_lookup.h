// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tsuji/lookup/cached_lookup.h"
#include "tsuji/lookup/switch_lookup.h"
#include "tsuji/routing/compact/compact.h"

namespace tsuji::lookup {

/// Searches of the compact routing table of a switch, by a unit at each input port or by one for all ports
/// (Compact Tables, section 3; rooms/lookup.md, Searches of compact tables). A unit compares a number of
/// entries per cycle, over all entries of the router, and selects in one more cycle. For a destination at the
/// router itself that cycle suffices. One search at a time, first come first served.
class CompactSearches {
 public:
  /// Size and duration of one search.
  struct Search {
    unsigned entries = 0;  ///< number of entries compared
    Cycle cycles = 1;      ///< cycles from the start of the search to its answer
  };

  /// The routing's tables outlive this object.
  CompactSearches(const routing::Compact& routing, const CompactSearchTiming& timing, graph::RouterId router,
                  unsigned ports);

  Search search(NodeId destination) const;
  /// A head requests its route in cycle `arrival` (non-decreasing per unit). Returns the cycle from which the
  /// answer may be used.
  Cycle start(unsigned port, NodeId destination, Cycle arrival);
  void add_to(LookupCounters& counters) const;

 private:
  /// Index of the entry for that router; without an entry a number not below the number of entries.
  unsigned entry_for(graph::RouterId to) const;

  const routing::Compact& routing_;
  const CompactSearchTiming timing_;
  const graph::RouterId router_;
  const unsigned entries_;
  std::vector<std::pair<graph::RouterId, unsigned>> index_of_;  ///< sorted by router
  std::vector<Cycle> free_at_;                                  ///< [unit]
  std::uint64_t searches_ = 0, compared_ = 0, busy_cycles_ = 0, wait_sum_ = 0, wait_most_ = 0;
};

/// Look-up by table searches for every head, in a switch without caches. A head that has entered the escape
/// channel of a tree needs only the tree's labels, which are compared in one cycle.
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

/// Memory of a switch with caches whose misses are answered by searches, with one unit per port.
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
