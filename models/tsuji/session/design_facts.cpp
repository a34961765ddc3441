// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/design_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "tsuji/core/error.h"
#include "tsuji/instruments/network_energy.h"
#include "tsuji/routing/compact/compact.h"
#include "tsuji/routing/compact/table_bits.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/session/network_capacity.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {

/// Sums over the channels of a bound.
struct DesignFacts::Flows {
  double injected = 0, links = 0, link_cycles = 0, node_cycles = 0;
  std::map<double, std::uint64_t> channels;  ///< number of channels by load

  Flows(const routing::CapacityBound& bound, const graph::Topology& topology,
        const network::VcNetworkConfig& network) {
    for (const routing::LoadedChannel& channel : bound.channels) {
      const double flits = channel.flits_per_cycle;
      ++channels[std::round(channel.use() * 1e4) / 1e4];
      if (channel.kind != routing::LoadedChannel::Kind::link) {
        const bool injects = channel.kind == routing::LoadedChannel::Kind::injection;
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

/// Loads of the channels under the traffic of a configuration.
struct DesignFacts::ChannelLoads {
  routing::CapacityBound bound;
  std::optional<Flows> flows;  ///< empty: the bound is unknown

  ChannelLoads(const NetworkRunConfig& config, const network::NetworkPlan& plan,
               const network::TrafficSources& sources)
      : bound(network_capacity(config.machine, plan, config.traffic, sources, config.workload.retry.on(),
                               CapacityEffort::design)) {
    if (bound.kind != routing::CapacityKind::none)
      flows.emplace(bound, plan.topology, config.machine.network);
  }
};

/// Hardware of a network whose buffers have room for one flit.
struct DesignFacts::Hardware {
  unsigned largest_router_ports = 0;
  std::uint64_t ports = 0;
  instruments::NetworkHardware channels;

  Hardware(const graph::Topology& topology, const network::VcNetworkConfig& network)
      : channels(topology, instruments::HardwareChannel::of(topology, with_one_flit(network)),
                 one_bit_and_1_mm) {
    for (graph::RouterId router = 0; router < topology.routers(); ++router) {
      unsigned connected = 0;
      for (unsigned port = 0; port < topology.ports(router); ++port)
        if (topology.far(router, port).kind != graph::Topology::Far::Kind::nothing) ++connected;
      largest_router_ports = std::max(largest_router_ports, connected);
      ports += connected;
    }
  }

 private:
  /// So that bits are flits, wires channels, and mm tiles.
  static constexpr instruments::PlaneConfig one_bit_and_1_mm{1, 1.0};
  static network::VcNetworkConfig with_one_flit(network::VcNetworkConfig network) {
    network.buffer_flits = 1;
    return network;
  }
};

namespace {

unsigned most_links(const graph::Topology& topology) {
  std::vector<unsigned> links(topology.routers(), 0);
  for (const graph::RouterLink& link : topology.links()) {
    ++links[link.a.router];
    ++links[link.b.router];
  }
  return links.empty() ? 0 : *std::max_element(links.begin(), links.end());
}

/// Bits of the tables of all routers and of their state against deadlock; empty for a routing without tables
/// of which the bits are known, and for routers without coordinates.
std::optional<std::uint64_t> table_bits(const network::NetworkPlan& plan) {
  const graph::Topology& topology = plan.topology;
  const auto* const compact = dynamic_cast<const routing::Compact*>(plan.routing.get());
  const auto* const full = dynamic_cast<const routing::SourceTable*>(plan.routing.get());
  const unsigned links = most_links(topology);
  if (full != nullptr) {
    try {
      const routing::CoordinateSpace space(topology, routing::CoordinateDistance::manhattan);
      return topology.routers() * routing::TableBitsOf(space, links).source_table(full->layers()).all();
    } catch (const ConfigError&) {
      return std::nullopt;  // routers without coordinates of their own
    }
  }
  if (compact == nullptr) return std::nullopt;
  const routing::CompactTables& tables = compact->tables();
  const routing::TableBitsOf bits(tables.space(), links);
  const routing::TableBits of_router =
      compact->layers() != nullptr ? bits.compact_with_layers(tables.capacity(), compact->layers()->layers())
                                   : bits.compact_with_tree(tables.capacity());
  return topology.routers() * of_router.all();
}

}  // namespace

/// Plan of a network with its hardware, and the loads of its channels once they are known.
struct DesignFacts::Paths {
  network::NetworkPlan plan;
  Hardware hardware;
  std::optional<std::uint64_t> bits_of_tables;
  std::optional<ChannelLoads> loads;

  explicit Paths(const NetworkRunConfig& config)
      : plan(network::NetworkPlan::unchecked(config.machine)),
        hardware(plan.topology, config.machine.network),
        bits_of_tables(table_bits(plan)) {}
};

namespace {

using Json = nlohmann::ordered_json;

void add_hardware(const graph::Topology& topology, const DesignFacts::Hardware& hardware,
                  unsigned buffer_flits, Json& facts) {
  const instruments::NetworkHardware& channels = hardware.channels;
  facts["routers"] = topology.routers();
  facts["nodes"] = topology.nodes();
  facts["router_ports"] = hardware.largest_router_ports;
  facts["router_ports_total"] = hardware.ports;
  facts["link_channels"] = channels.wires;
  facts["link_tiles"] = channels.wire_mm;
  facts["bisection_channels"] = channels.bisection_wires ? Json(*channels.bisection_wires) : Json(nullptr);
  facts["buffer_flits"] = channels.buffer_bits * buffer_flits;
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

double latency_without_contention(const network::NetworkConfig& machine, const DesignFacts::Flows& flows,
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

void add_traffic(const NetworkRunConfig& config, const network::NetworkPlan& plan,
                 const DesignFacts::ChannelLoads& loads_of_channels, const RouterLatency& router,
                 Json& facts) {
  const routing::CapacityBound& bound = loads_of_channels.bound;
  const bool known = bound.kind != routing::CapacityKind::none;
  facts["capacity_bound_kind"] = routing::capacity_kind_name(bound.kind);
  facts["capacity_bound_at"] = routing::full_text(bound, plan.topology);
  facts["capacity_bound_flits_per_node_cycle"] = known ? Json(bound.flits_per_node_cycle) : Json(nullptr);
  if (!known) return;
  const DesignFacts::Flows& flows = *loads_of_channels.flows;
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

/// Keys on which neither the topology nor paths nor the traffic's shares of the nodes depend. Any other key
/// is one on which they may depend.
constexpr std::array keys_beside_paths{"measure.",
                                       "run.",
                                       "observe.",
                                       "energy.",
                                       "limits.",
                                       "prediction.",
                                       "lookup.",
                                       "router.buffer_flits",
                                       "router.switching",
                                       "router.rc_cycles",
                                       "router.va_cycles",
                                       "router.sa_cycles",
                                       "router.st_cycles",
                                       "router.va_allocator",
                                       "router.sa_allocator",
                                       "traffic.load_flits_per_node_cycle"};

/// Appends the keys of a section on which paths may depend, with their values.
void add_keys_of_paths(const Json& section, const std::string& before, std::string& text) {
  for (const auto& [name, value] : section.items()) {
    const std::string key = before + name;
    const auto is_beside = [&](const char* beside) {
      const std::string_view other = beside;
      return other.back() == '.' ? key + "." == other || key.rfind(other, 0) == 0 : key == other;
    };
    if (std::any_of(keys_beside_paths.begin(), keys_beside_paths.end(), is_beside)) continue;
    if (value.is_object())
      add_keys_of_paths(value, key + ".", text);
    else
      text += key + "=" + value.dump() + "\n";
  }
}

}  // namespace

DesignFacts::DesignFacts() = default;
DesignFacts::~DesignFacts() = default;

void DesignFacts::find_paths(const NetworkRunConfig& config, const Json* keys) {
  std::string of_paths;
  if (keys != nullptr) add_keys_of_paths(*keys, "", of_paths);
  if (of_paths.empty() || of_paths != of_paths_) {
    paths_.reset();  // two large networks at once would take twice the memory
    refusal_ = nullptr;
    of_paths_ = of_paths;
    try {
      paths_ = std::make_unique<Paths>(config);
    } catch (const ConfigError&) {
      refusal_ = std::current_exception();
    }
  }
  if (refusal_) std::rethrow_exception(refusal_);
  paths_->plan.check(config.machine);
}

Json DesignFacts::of(const NetworkRunConfig& config, std::uint64_t seed, const Json* keys) {
  find_paths(config, keys);
  const network::NetworkPlan& plan = paths_->plan;
  const RouterLatency router(config.machine);
  Json facts;
  add_hardware(plan.topology, paths_->hardware, config.machine.network.buffer_flits, facts);
  facts["table_bits"] = paths_->bits_of_tables ? Json(*paths_->bits_of_tables) : Json(nullptr);
  facts["router_cycles"] = router.hit;
  facts["router_cycles_miss"] = router.miss;
  if (config.workload.has_ranks()) {
    facts["capacity_bound_kind"] = "none";
    facts["capacity_bound_at"] = "an application offers no load";
    return facts;
  }
  const network::TrafficSources sources = config.sources(plan, seed);
  if (!paths_->loads) paths_->loads.emplace(config, plan, sources);
  add_traffic(config, plan, *paths_->loads, router, facts);
  return facts;
}

}  // namespace tsuji::session
