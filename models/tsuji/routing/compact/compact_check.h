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

/// Findings of following compact tables from every router to every other one.
struct CompactReport {
  std::uint64_t pairs = 0;          ///< ordered, of different living routers
  std::uint64_t hops = 0;           ///< of the ways, summed over the pairs
  std::uint64_t shortest_hops = 0;  ///< of shortest paths
  unsigned longest = 0, longest_shortest = 0;
  double stretch = 1;  ///< largest ratio of a way to the shortest path of its pair

  /// Entries that are not in the order of their hops, lead nowhere, not by a shortest path, or to a router
  /// that does not lead on.
  std::uint64_t wrong_entries = 0;
  std::uint64_t no_nearer_entry = 0;  ///< pairs where the chosen entry lies no nearer than the router itself
  std::uint64_t no_fall = 0;          ///< hops at which (distance to entry, hops to entry) does not fall
  std::uint64_t turns_back = 0;       ///< hops to the router before
  std::uint64_t not_arriving = 0;     ///< pairs whose way goes round
  std::vector<std::string> problems;  ///< the first of what went wrong, for people

  double average() const { return static_cast<double>(hops) / static_cast<double>(pairs); }
  double shortest_average() const { return static_cast<double>(shortest_hops) / static_cast<double>(pairs); }
  /// No packet goes round: each hop brings (distance to entry, hops to entry) down.
  bool good() const { return failures() == 0; }
  std::uint64_t failures() const {
    return wrong_entries + no_nearer_entry + no_fall + turns_back + not_arriving;
  }
};

/// Pairs to follow.
struct CompactCheckConfig {
  std::vector<RouterId> destinations;                         ///< empty: all
  std::function<void(double share_done)> progress = nullptr;  ///< called now and then; may be empty
};

/// Proves the tables free of livelock, or says where they are not, and measures the ways. Every entry and
/// every pair is looked at; time in proportion to pairs, and what NearestEntry takes.
CompactReport check_compact(const graph::LivingNetwork& network, const graph::AllHops& hops,
                            const CompactTables& tables, const CompactCheckConfig& config = {});

}  // namespace tsuji::routing
