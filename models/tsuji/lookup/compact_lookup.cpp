// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/compact_lookup.h"

#include <algorithm>
#include <optional>

#include "tsuji/core/error.h"
#include "tsuji/lookup/compact_search.h"

namespace tsuji::lookup {
namespace {

const routing::Compact& compact(const LookupParts& parts) {
  const auto* const routing = dynamic_cast<const routing::Compact*>(&parts.routing);
  if (routing == nullptr) throw ModelError("route look-up", "the routing has no compact tables to search");
  return *routing;
}

}  // namespace

CompactSearches::CompactSearches(const routing::Compact& routing, const CompactSearchTiming& timing,
                                 graph::RouterId router, unsigned ports)
    : routing_(routing),
      timing_(timing),
      router_(router),
      entries_(routing.tables().entries(router).size()),
      free_at_(timing.of_switch ? 1 : ports, 0) {
  const routing::CompactTables::Entries entries = routing.tables().entries(router);
  for (unsigned index = 0; index < entries_; ++index)
    index_of_.emplace_back(entries[index].destination, index);
  std::sort(index_of_.begin(), index_of_.end());
}

unsigned CompactSearches::entry_for(graph::RouterId to) const {
  const auto found =
      std::lower_bound(index_of_.begin(), index_of_.end(), std::pair<graph::RouterId, unsigned>(to, 0));
  return found == index_of_.end() || found->first != to ? entries_ : found->second;
}

CompactSearches::Search CompactSearches::search(NodeId destination) const {
  const graph::RouterId to = routing_.router_of(destination);
  // The router's own coordinates need no search; a destination out of reach is marked by a separate bit.
  if (to == router_ || to == graph::none) return {};
  // No entry is nearer than the destination itself.
  const unsigned index = timing_.ends_early ? entry_for(to) : entries_;
  const std::optional<std::uint32_t> exact =
      index < entries_ ? std::optional<std::uint32_t>(index) : std::nullopt;
  const Cycle cycles = compare_cycles(entries_, timing_.entries_per_cycle, exact);
  return {static_cast<unsigned>(std::min<Cycle>(entries_, cycles * timing_.entries_per_cycle)), cycles + 1};
}

Cycle CompactSearches::start(unsigned port, NodeId destination, Cycle arrival) {
  const Search own = search(destination);
  Cycle& free_at = free_at_[timing_.of_switch ? 0 : port];
  const Cycle start = std::max(arrival, free_at);
  free_at = start + own.cycles;
  ++searches_;
  compared_ += own.entries;
  busy_cycles_ += own.cycles;
  wait_sum_ += start - arrival;
  wait_most_ = std::max(wait_most_, start - arrival);
  return free_at;
}

void CompactSearches::add_to(LookupCounters& counters) const {
  counters.searches += searches_;
  counters.entries_compared += compared_;
  counters.search_busy_cycles += busy_cycles_;
  counters.search_wait_sum += wait_sum_;
  counters.search_wait_most = std::max(counters.search_wait_most, wait_most_);
}

CompactLookup::CompactLookup(const LookupParts& parts, graph::RouterId router, unsigned ports)
    : SwitchLookup(parts, router, ports),
      routing_(compact(parts)),
      searches_(routing_, parts.timing.search, router, ports) {}

Cycle CompactLookup::request(Cycle now, const routing::RouteQuery& query, std::uint32_t,
                             routing::RouteSet& candidates) {
  if (routing_.table_image() != nullptr) {
    give(query, table_.entry(query.in_port, query.destination.node()), candidates);
  } else {
    routing_.route(query, candidates);
    if (routing_.escaped(query)) return now + 1;
  }
  tell(query.in_port, query.destination.node(), false, now);
  return searches_.start(query.in_port, query.destination.node(), now);
}

LookupCounters CompactLookup::counters() const {
  LookupCounters counters;
  searches_.add_to(counters);
  counters.cache.lookups = counters.searches;
  return counters;
}

CompactMemory::CompactMemory(const LookupParts& parts, graph::RouterId router, unsigned ports)
    : searches_(compact(parts), parts.timing.search, router, ports) {}

}  // namespace tsuji::lookup
