// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/network_lookup.h"

#include <algorithm>
#include <numeric>

#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/coordinate_lookup.h"

namespace tsuji::network {

using graph::Topology;

/// The cycles of one switch's shared memory.
class NetworkLookup::Steps final : public Clocked {
 public:
  Steps(ClockDomain& domain, lookup::SteppingLookup& lookup) : Clocked(domain), lookup_(lookup) {
    lookup.bind_wake([this](Cycle cycle) { wake_at(cycle); });
  }
  void step(Cycle now) override { lookup_.step(now); }

 private:
  lookup::SteppingLookup& lookup_;
};

NetworkLookup::NetworkLookup(const lookup::LookupConfig& config, const Topology& topology,
                             const routing::Routing& routing, const std::string& routing_kind,
                             const VcNetworkConfig& network, std::uint64_t seed)
    : config_((config.validate_with(topology, routing.of_nodes(), routing_kind), config)),
      topology_(topology),
      routing_(routing),
      image_(routing.table_image()),
      rc_cycles_(network.rc_cycles),
      keys_(topology.nodes(), config.identifiers, config.identifier_seed),
      shape_(config.cache),
      parts_{routing.of_nodes(),
             keys_,
             &shape_,
             config.timing,
             std::max(network.vcs, network.vcs_of_nodes()),
             seed},
      switches_(topology.routers()) {
  keys_.remember_sets(lookup::KeyHash(config.hash), shape_.sets());
  std::uint32_t ports = 0;
  for (graph::RouterId router = 0; router < topology.routers(); ++router) {
    first_port_.push_back(ports);
    ports += topology.ports(router);
  }
  first_port_.push_back(ports);
}

NetworkLookup::~NetworkLookup() = default;

void NetworkLookup::replace(lookup::ModuleRtl rtl) {
  if (rtl.any() && !config_.as_modules())
    throw ModelError("network", "there are no look-up modules that RTL could replace");
  module_rtl_ = std::move(rtl);
}

std::unique_ptr<RouteLookup> NetworkLookup::make(graph::RouterId router, ClockDomain& domain) {
  std::unique_ptr<lookup::SwitchLookup> made;
  if (make_switch_) made = make_switch_(place_of(router, domain));
  if (!made && config_.as_modules()) made = make_modules(place_of(router, domain));
  if (!made) {
    made = config_.kinds.make(config_.kind, parts_, router, topology_.ports(router));
    if (auto* const stepping = made->stepping()) steps_.push_back(std::make_unique<Steps>(domain, *stepping));
  }
  switches_[router] = made.get();
  if (!by_words() && &routing_ == &routing_.of_nodes()) return made;
  return std::make_unique<lookup::CoordinateLookup>(routing_, rc_cycles_, std::move(made));
}

lookup::SwitchModules* NetworkLookup::modules_at(graph::RouterId router) {
  return dynamic_cast<lookup::SwitchModules*>(switches_[router]);
}

NetworkLookup::SwitchPlace NetworkLookup::place_of(graph::RouterId router, ClockDomain& domain) {
  if (!pin_clock_) pin_clock_ = std::make_unique<PinClock>("lookup_clock", domain.period());
  return {parts_, domain, *pin_clock_, router, topology_.ports(router)};
}

std::unique_ptr<lookup::SwitchLookup> NetworkLookup::make_modules(const SwitchPlace& place) {
  lookup::SwitchModules::Parts parts{place.parts, place.domain, place.pin_clock, module_rtl_};
  parts.cam.entries = config_.cam_entries;
  parts.cam.key_bits = config_.cam_key_bits;
  parts.cam.access_cycles = config_.cam_chip_cycles;
  parts.router = place.router;
  parts.ports = place.ports;
  return std::make_unique<lookup::SwitchModules>(("lookup" + std::to_string(place.router)).c_str(), parts);
}

/// Adds the candidate routes of a head to an empty set. Returns true if they are looked up in the memory.
/// Includes virtual channels of an entry that the head's current virtual channel may not use.
bool NetworkLookup::ask(graph::PortRef at, NodeId destination, routing::RouteSet& candidates) const {
  routing::RouteQuery query;
  query.router = at.router;
  query.in_port = at.port;
  query.destination = destination;
  if (by_words()) {
    routing_.route(query, candidates);
    return routing_.table_reads()->reads_table(query);
  }
  const routing::RouteCandidate candidate =
      image_ != nullptr ? image_->table_entry(at.router, at.port, destination)
                        : routing::only_candidate(routing_, at.router, at.port, destination);
  if (candidate.vcs != 0) candidates.add(candidate.port, candidate.vcs);
  return true;
}

template <class Visit>
void NetworkLookup::walk(NodeId destination, std::vector<NodeId>& seen, const Visit& visit) const {
  std::vector<graph::PortRef> ahead;
  for (NodeId source = 0; source < topology_.nodes(); ++source)
    if (source != destination) ahead.push_back(topology_.node(source).inject);
  while (!ahead.empty()) {
    const graph::PortRef at = ahead.back();
    ahead.pop_back();
    NodeId& mark = seen[first_port_[at.router] + at.port];
    if (mark == destination + 1) continue;
    mark = destination + 1;
    routing::RouteSet candidates;
    if (ask(at, destination, candidates)) visit(at);
    for (const routing::RouteCandidate& candidate : candidates) {
      const Topology::Far& far = topology_.far(at.router, candidate.port);
      if (far.kind == Topology::Far::Kind::router) ahead.push_back(far.at);
    }
  }
}

void NetworkLookup::warm_all() {
  std::vector<NodeId> order(topology_.nodes()), seen(first_port_.back());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<std::uint64_t> draws;
  for (const NodeId node : order) draws.push_back(CounterRandom(parts_.seed, node).bits(1));
  std::sort(order.begin(), order.end(), [&](NodeId a, NodeId b) { return draws[a] < draws[b]; });
  for (const NodeId destination : order) {
    walk(destination, seen, [&](graph::PortRef at) { switches_[at.router]->warm(at.port, destination); });
  }
}

void NetworkLookup::warm(graph::PortRef port, const std::vector<NodeId>& destinations) {
  for (const NodeId destination : destinations) switches_[port.router]->warm(port.port, destination);
}

std::vector<std::vector<std::vector<NodeId>>> NetworkLookup::destinations_of_ports() const {
  std::vector<std::vector<std::vector<NodeId>>> lists(topology_.routers());
  for (graph::RouterId router = 0; router < topology_.routers(); ++router)
    lists[router].resize(topology_.ports(router));
  std::vector<NodeId> seen(first_port_.back());
  for (NodeId destination = 0; destination < topology_.nodes(); ++destination)
    walk(destination, seen, [&](graph::PortRef at) { lists[at.router][at.port].push_back(destination); });
  return lists;
}

void NetworkLookup::flush_all(Cycle now) {
  for (lookup::SwitchLookup* const one : switches_) one->flush(now);
}

lookup::LookupCounters NetworkLookup::counters(graph::RouterId router) const {
  if (ranks_ == nullptr) return switches_[router]->counters();
  return ranks_->sum_of(is_here_(router) ? switches_[router]->counters() : lookup::LookupCounters{});
}

lookup::LookupCounters NetworkLookup::counters() const {
  lookup::LookupCounters sum;
  for (graph::RouterId router = 0; router < switches_.size(); ++router)
    if (ranks_ == nullptr || is_here_(router)) sum += switches_[router]->counters();
  return ranks_ == nullptr ? sum : ranks_->sum_of(sum);
}

std::uint64_t NetworkLookup::search_units() const {
  return config_.timing.search.of_switch ? switches_.size() : inputs();
}

std::uint64_t NetworkLookup::caches() const {
  return config_.has_caches() ? inputs() : 0;
}

std::uint64_t NetworkLookup::inputs() const {
  std::uint64_t inputs = 0;
  for (graph::RouterId router = 0; router < topology_.routers(); ++router) {
    for (unsigned port = 0; port < topology_.ports(router); ++port) {
      const Topology::Far& far = topology_.far(router, port);
      if (far.kind != Topology::Far::Kind::nothing && far.receives) ++inputs;
    }
  }
  return inputs;
}

void NetworkLookup::add_to(observe::Results& results, Cycle cycles, ClockPeriod period) const {
  const lookup::LookupCounters all = counters();
  const lookup::CacheCounters& cache = all.cache;
  const auto ratio = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? observe::Value(nullptr)
                      : observe::Value(static_cast<double>(part) / static_cast<double>(whole));
  };
  results.metric("lookups", cache.lookups, "look-ups");
  if (config_.has_caches()) {
    results.metric("lookup_hits", cache.hits, "look-ups");
    results.metric("lookup_misses", cache.misses, "look-ups");
    results.metric("lookup_hit_rate", ratio(cache.hits, cache.lookups), "");
    if (config_.cache.classify_misses) {
      results.metric("lookup_misses_compulsory", cache.compulsory, "look-ups");
      results.metric("lookup_misses_conflict", cache.conflict, "look-ups");
      results.metric("lookup_misses_capacity", cache.capacity, "look-ups");
    }
    results.metric("lookup_entries_warmed", cache.warmed, "entries");
    results.metric("lookup_fills", cache.fills, "entries");
    results.metric("lookup_refills", cache.refills, "entries");
    results.metric("lookup_evictions", cache.evictions, "entries");
    results.metric("lookup_flushes", cache.flushes, "flushes of a cache");
    results.metric("lookup_stale_answers", all.stale_answers, "entries");
  }
  if (config_.searches()) {
    results.metric("searches", all.searches, "searches");
    results.metric("search_entries_mean", ratio(all.entries_compared, all.searches), "entries");
    results.metric("search_cycles_mean", ratio(all.search_busy_cycles, all.searches), "cycles");
    results.metric("search_wait_cycles_mean", ratio(all.search_wait_sum, all.searches), "cycles");
    results.metric("search_wait_cycles_max", all.search_wait_most, "cycles");
    results.metric("search_utilization", ratio(all.search_busy_cycles, cycles * search_units()), "");
  } else {
    results.metric("cam_accesses", all.cam_accesses, "accesses");
    results.metric("cam_writes", all.cam_writes, "accesses");
    results.metric("cam_wait_cycles_mean", ratio(all.cam_wait_sum, all.cam_accesses), "cycles");
    results.metric("cam_wait_cycles_max", all.cam_wait_most, "cycles");
    results.metric("cam_utilization", ratio(all.cam_busy_cycles, cycles * switches_.size()), "");
  }
  add_energy(results, cycles, period);
}

void NetworkLookup::add_energy(observe::Results& results, Cycle cycles, ClockPeriod period) const {
  const double ns = period.ns(cycles);
  const double dynamic = config_.energy.dynamic_nj(counters(), config_.has_caches());
  // mW times ns are pJ.
  const std::size_t cams = config_.searches() ? 0 : switches_.size();
  const double at_rest = config_.energy.static_mw(cams, caches()) * ns / 1000.0;
  results.metric("lookup_dynamic_energy_nj", dynamic, "nJ");
  results.metric("lookup_energy_nj", dynamic + at_rest, "nJ");
  const double per_switch = (dynamic + at_rest) * 1000.0 / static_cast<double>(switches_.size());
  results.metric("lookup_power_mw_per_switch",
                 ns > 0 ? observe::Value(per_switch / ns) : observe::Value(nullptr), "mW");
}

}  // namespace tsuji::network
