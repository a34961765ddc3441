// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/compact/compact_tables.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/routing/compact/compact_builder.h"

namespace tsuji::routing {
namespace {

const graph::LivingNetwork& checked(const graph::Topology& topology, const graph::LivingNetwork& network) {
  if (topology.routers() > CompactTables::most_routers)
    throw ConfigError(
        "routing.kind", "compact",
        "computes the distances of all pairs of " + std::to_string(topology.routers()) + " routers",
        "at most " + std::to_string(CompactTables::most_routers) + " routers");
  if (network.faults().empty() && !network.cut_off().empty())
    throw ConfigError("routing.kind", "compact",
                      "router " + std::to_string(network.cut_off()[0]) + " is not connected",
                      "a connected topology");
  return network;
}

}  // namespace

CompactTables::CompactTables(const graph::Topology& topology, const graph::LivingNetwork& network,
                             const CompactConfig& config)
    : CompactTables(topology, network, graph::AllHops(checked(topology, network)), config) {}

CompactTables::CompactTables(const graph::Topology& topology, const graph::LivingNetwork& network,
                             const graph::AllHops& hops, const CompactConfig& config)
    : space_(topology, config.distance) {
  CompactBuilder builder(topology, checked(topology, network), hops, space_);
  builder.add_paths_beside();
  builder.complete();
  mandatory_ = builder.mandatory();
  const RouterId router = most_mandatory();
  const MandatoryEntries most = mandatory_[router];
  capacity_ = config.entries ? static_cast<unsigned>(*config.entries) : usual_entries(most.all());
  if (capacity_ < most.all())
    throw ConfigError("routing.entries", std::to_string(capacity_),
                      "router " + std::to_string(router) + " needs " + std::to_string(most.all()) +
                          " entries: " + std::to_string(most.beside) +
                          " on paths between adjacent routers, " + std::to_string(most.completion) +
                          " to destinations to which no other entry is nearer",
                      std::to_string(most.all()) + " or more, or auto");
  builder.fill(capacity_, config.room);
  builder.sort();
  lay_out(builder.entries());
}

CompactTables::CompactTables(CoordinateSpace space, const std::vector<std::vector<CompactEntry>>& entries)
    : space_(std::move(space)), mandatory_(entries.size()) {
  for (const auto& list : entries) capacity_ = std::max(capacity_, static_cast<unsigned>(list.size()));
  lay_out(entries);
}

void CompactTables::lay_out(const std::vector<std::vector<CompactEntry>>& entries) {
  std::size_t all = 0;
  for (const auto& list : entries) all += list.size();
  entries_.reserve(all);
  first_.push_back(0);
  for (const auto& list : entries) {
    entries_.insert(entries_.end(), list.begin(), list.end());
    first_.push_back(static_cast<std::uint32_t>(entries_.size()));
  }
}

unsigned CompactTables::choose(RouterId router, RouterId destination) const {
  const Entries list = entries(router);
  unsigned best = 0;
  std::uint64_t nearest = ~std::uint64_t{0};
  for (unsigned i = 0; i < list.size(); ++i) {
    const std::uint64_t distance = space_.distance(destination, list[i].destination);
    if (distance >= nearest) continue;
    nearest = distance;
    best = i;
  }
  return best;
}

RouterId CompactTables::most_mandatory() const {
  const auto most = std::max_element(
      mandatory_.begin(), mandatory_.end(),
      [](const MandatoryEntries& a, const MandatoryEntries& b) { return a.all() < b.all(); });
  return static_cast<RouterId>(most - mandatory_.begin());
}

unsigned CompactTables::most_entries() const {
  unsigned most = 0;
  for (RouterId router = 0; router < routers(); ++router) most = std::max(most, entries(router).size());
  return most;
}

unsigned CompactTables::usual_entries(unsigned mandatory) {
  unsigned entries = 1;
  while (entries < 2 * mandatory) entries *= 2;
  return entries;
}

}  // namespace tsuji::routing
