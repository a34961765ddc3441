// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/design_facts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tsuji/instruments/network_energy.h"
#include "tsuji/session/network_capacity.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

using Json = nlohmann::ordered_json;
using routing::LoadedChannel;

void add_hardware(const network::NetworkPlan& plan, const network::VcNetworkConfig& network, Json& facts) {
  const graph::Topology& topology = plan.topology;
  unsigned largest = 0;
  std::uint64_t ports = 0;
  for (graph::RouterId router = 0; router < topology.routers(); ++router) {
    unsigned connected = 0;
    for (unsigned port = 0; port < topology.ports(router); ++port)
      if (topology.far(router, port).kind != graph::Topology::Far::Kind::nothing) ++connected;
    largest = std::max(largest, connected);
    ports += connected;
  }
  // With flits of one bit and tiles of 1 mm, bits are flits, wires channels, and mm tiles.
  const instruments::NetworkHardware hardware(topology, instruments::HardwareChannel::of(topology, network),
                                              {1, 1.0});
  facts["routers"] = topology.routers();
  facts["nodes"] = topology.nodes();
  facts["router_ports"] = largest;
  facts["router_ports_total"] = ports;
  facts["link_channels"] = hardware.wires;
  facts["link_tiles"] = hardware.wire_mm;
  facts["bisection_channels"] = hardware.bisection_wires ? Json(*hardware.bisection_wires) : Json(nullptr);
  facts["buffer_flits"] = hardware.buffer_bits;
}

/// Latency of a head through a router in which it waits nowhere. Look-up hardware takes the place of the
/// route computation in a router.
struct RouterLatency {
  Cycle hit, miss;

  explicit RouterLatency(const network::NetworkConfig& machine)
      : hit(machine.network.router_cycles()), miss(hit) {
    const lookup::LookupConfig& lookup = machine.lookup;
    if (!lookup.in_switch() || lookup.searches() || machine.decides_by_coordinates()) return;
    const Cycle others = machine.network.router.allocate_and_traverse();
    const Cycle cached = lookup.timing.hash_cycles + lookup.timing.cache_cycles;
    hit = others + (lookup.has_caches() ? cached : lookup.timing.cam_cycles);
    miss = others + (lookup.has_caches() ? cached : 0) + lookup.timing.cam_cycles;
  }
};

/// Sums over the channels of a bound.
struct Flows {
  double injected = 0, links = 0, link_cycles = 0, node_cycles = 0;
  std::map<double, std::uint64_t> channels;  ///< number of channels by load

  Flows(const routing::CapacityBound& bound, const graph::Topology& topology,
        const network::VcNetworkConfig& network) {
    for (const LoadedChannel& channel : bound.channels) {
      const double flits = channel.flits_per_cycle;
      ++channels[std::round(channel.use() * 1e4) / 1e4];
      if (channel.kind != LoadedChannel::Kind::link) {
        const bool injects = channel.kind == LoadedChannel::Kind::injection;
        if (injects) injected += flits;
        node_cycles += flits * static_cast<double>(topology.node(channel.node)
                                                       .latency_or(injects ? network.inject_latency_cycles
                                                                           : network.eject_latency_cycles));
        continue;
      }
      links += flits;
      const std::uint32_t link = topology.far(channel.from.router, channel.from.port).link;
      link_cycles += flits * static_cast<double>(topology.links()[link].latency_cycles);
    }
  }
};

double latency_without_contention(const network::NetworkConfig& machine, const Flows& flows,
                                  double packet_flits, Cycle router_cycles) {
  const network::VcNetworkConfig& network = machine.network;
  const double hops = flows.links / flows.injected;
  const auto flit = static_cast<double>(network.flit_cycles);
  // A packet leaves its source in the cycle after its birth; each of its channels adds what whole_flit and
  // forward error correction take.
  const double of_channels = (hops + 2) * static_cast<double>(network.fec_cycles) +
                             (network.whole_flit ? (hops + 1) * (flit - 1) : 0.0);
  const double of_packet = packet_flits * flit - 1;  // a packet is delivered with its last word
  const bool stores = network.router.switching == router::Switching::store_and_forward;
  return 1 + (flows.node_cycles + flows.link_cycles) / flows.injected +
         (hops + 1) * static_cast<double>(router_cycles) + of_channels + of_packet +
         (stores ? (hops + 1) * (packet_flits - 1) * flit : 0.0);
}

void add_traffic(const NetworkRunConfig& config, const network::NetworkPlan& plan, std::uint64_t seed,
                 const RouterLatency& router, Json& facts) {
  const network::TrafficSources sources = config.sources(plan, seed);
  const routing::CapacityBound bound = network_capacity(config.machine, plan, config.traffic, sources,
                                                        config.workload.retry.on(), CapacityEffort::run);
  const bool known = bound.kind != routing::CapacityKind::none;
  facts["capacity_bound_kind"] = routing::capacity_kind_name(bound.kind);
  facts["capacity_bound_at"] = routing::full_text(bound, plan.topology);
  facts["capacity_bound_flits_per_node_cycle"] = known ? Json(bound.flits_per_node_cycle) : Json(nullptr);
  if (!known) return;
  const Flows flows(bound, plan.topology, config.machine.network);
  const double packet_flits = config.traffic.packet_lengths().mean();
  facts["hops_mean"] = flows.links / flows.injected;
  facts["link_cycles_mean"] = flows.link_cycles / flows.injected;
  facts["packet_flits_mean"] = packet_flits;
  // The time of a search depends on the destination, that of a packet on the narrowest link of its path.
  facts["latency_cycles_without_contention"] =
      config.machine.lookup.searches() || !plan.topology.is_equally_wide()
          ? Json(nullptr)
          : Json(latency_without_contention(config.machine, flows, packet_flits, router.hit));
  Json& loads = facts["channel_loads"] = Json::array();
  for (const auto& [load, channels] : flows.channels) loads.push_back({load, channels});
}

}  // namespace

Json design_facts(const NetworkRunConfig& config, std::uint64_t seed) {
  const network::NetworkPlan plan(config.machine);
  const RouterLatency router(config.machine);
  Json facts;
  add_hardware(plan, config.machine.network, facts);
  facts["router_cycles"] = router.hit;
  facts["router_cycles_miss"] = router.miss;
  if (config.workload.has_ranks()) {
    facts["capacity_bound_kind"] = "none";
    facts["capacity_bound_at"] = "an application offers no load";
  } else {
    add_traffic(config, plan, seed, router, facts);
  }
  return facts;
}

}  // namespace tsuji::session
