// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tsuji/graph/all_hops.h"
#include "tsuji/graph/living_network.h"
#include "tsuji/routing/compact/compact_tables.h"

namespace tsuji::routing {

/// Result of following compact tables from every router to every other one.
struct CompactReport {
  std::uint64_t pairs = 0;          ///< ordered pairs of different living routers
  std::uint64_t hops = 0;           ///< hops of the routes, summed over the pairs
  std::uint64_t shortest_hops = 0;  ///< hops of shortest paths, summed over the pairs
  unsigned longest = 0, longest_shortest = 0;
  double stretch = 1;  ///< largest ratio of a route's length to the shortest path of its pair

  /// Entries that are not in the order of their hops, or whose port has no router, is not on a shortest path,
  /// or goes to a router without a continuation.
  std::uint64_t wrong_entries = 0;
  /// Pairs for which the chosen entry is not nearer than the router itself.
  std::uint64_t no_nearer_entry = 0;
  std::uint64_t no_fall = 0;          ///< hops at which (distance to entry, hops to entry) does not decrease
  std::uint64_t turns_back = 0;       ///< hops back to the previous router
  std::uint64_t not_arriving = 0;     ///< pairs whose route is cyclic
  std::vector<std::string> problems;  ///< texts of the first problems found

  double average() const { return static_cast<double>(hops) / static_cast<double>(pairs); }
  double shortest_average() const { return static_cast<double>(shortest_hops) / static_cast<double>(pairs); }
  /// Returns true if no packet circulates: each hop decreases (distance to entry, hops to entry).
  bool good() const { return failures() == 0; }
  std::uint64_t failures() const {
    return wrong_entries + no_nearer_entry + no_fall + turns_back + not_arriving;
  }
};

/// Pairs to check.
struct CompactCheckConfig {
  std::vector<RouterId> destinations;                         ///< empty: all
  std::function<void(double share_done)> progress = nullptr;  ///< called from time to time; may be empty
};

/// Proves that the tables are free of livelock, or finds where they are not, and measures the routes.
/// Examines every entry and every pair; time is proportional to the pairs, plus that of NearestEntry.
CompactReport check_compact(const graph::LivingNetwork& network, const graph::AllHops& hops,
                            const CompactTables& tables, const CompactCheckConfig& config = {});

}  // namespace tsuji::routing
