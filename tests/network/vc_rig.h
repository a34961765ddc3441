// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/network/object_block.h"
#include "tsuji/network/reconfiguration/reconfiguration.h"
#include "tsuji/observe/load_measurement.h"

namespace tsuji::network::test {

inline NetworkConfig torus(unsigned k) {
  NetworkConfig config;
  config.topology.kind = "torus";
  config.topology.of<graph::CubeConfig>().radices = {k, k};
  config.network.vcs = 2;
  config.network.buffer_flits = 4;
  return config;
}

inline NetworkConfig resolved(NetworkConfig config) {
  config.resolve();
  return config;
}

/// A topology and a routing for it, with the virtual channels that it needs.
struct RoutedFabric {
  const char *topology, *routing;
  unsigned vcs;
};
inline NetworkConfig network_on(const RoutedFabric& fabric) {
  NetworkConfig config;
  config.topology.kind = fabric.topology;
  config.routing.kind = fabric.routing;
  return config;
}

/// The order in which a network's modules run, which must not show in its results.
struct RunOrder {
  ProcessMode processes = ProcessMode::one_for_all;
  std::uint64_t shuffle_seed = 0;
  bool ahead = false;  ///< VcRig::group_cycles: groups of modules run ahead of each other
};
constexpr RunOrder run_orders[] = {{ProcessMode::one_for_all, 0, false},
                                   {ProcessMode::process_each, 0, false},
                                   {ProcessMode::one_for_all, 41, false},
                                   {ProcessMode::process_each, 42, false},
                                   {ProcessMode::one_for_all, 0, true}};

inline NetworkConfig in_order(NetworkConfig config, const RunOrder& order) {
  config.process_mode = order.processes;
  config.shuffle_seed = order.shuffle_seed;
  return config;
}

inline TrafficConfig load(double flits, unsigned packet_flits, Cycle last_cycle) {
  TrafficConfig traffic;
  auto& open_loop = traffic.of<traffic::OpenLoopConfig>();
  open_loop.load_flits_per_node_cycle = flits;
  open_loop.last_cycle = last_cycle;
  traffic.lengths.of<workload::LengthRange>().packet_flits = packet_flits;
  return traffic;
}

/// A whole network under a list of packets or a synthetic load. Several of them live in one simulation, each
/// in a scope of its own, because SystemC elaborates once a process.
class VcRig {
 public:
  struct Send {
    NodeId source, destination;
    Cycle created;
    unsigned flits;
  };

  explicit VcRig(const NetworkConfig& network_config)
      : config(resolved(network_config)),
        topology(make_topology(config.topology, config.link_latency_cycles)),
        routing(make_routing(config.routing, topology, config.network.vcs, config.dead.on(topology))) {
    config.network.validate_with(topology, *routing);
  }

  void build(const LoadedNetwork::MakeSource& sources, observe::LoadMeasurement* measurement = nullptr,
             const routing::Routing* other_routing = nullptr) {
    static unsigned serial = 0;
    block = std::make_unique<ObjectBlock>(("rig" + std::to_string(serial++)).c_str());
    const ObjectBlock::Inside inside(*block);
    LoadedNetwork::Parts parts{config, topology, other_routing == nullptr ? *routing : *other_routing};
    parts.make_source = sources;
    parts.measurement = measurement;
    parts.on_delivered = [this](const observe::DeliveredPacket& packet) { delivered.push_back(packet); };
    parts.sources_have_channels = sources_have_channels;
    parts.deliveries_lookahead_cycles = group_cycles ? never : 1;
    parts.router_kind = router_kind;
    parts.over_pins = over_pins;
    parts.make_control = make_control;
    parts.retry = retry;
    reconfiguration = make_reconfiguration(config, topology, *routing);
    parts.fault_reaction = reconfiguration.get();
    loaded = std::make_unique<LoadedNetwork>(parts);
  }
  void build(const std::vector<Send>& list, const routing::Routing* other_routing = nullptr,
             observe::LoadMeasurement* measurement = nullptr) {
    const auto sources = [&list](NodeId node) {
      std::vector<traffic::Emission> own;
      for (const Send& send : list) {
        if (send.source != node) continue;
        traffic::Emission emission;
        emission.created = send.created;
        emission.destination = send.destination;
        emission.flits = static_cast<std::uint16_t>(send.flits);
        emission.payload_bytes = 0;
        own.push_back(emission);
      }
      return std::make_unique<traffic::ListedEmissions>(std::move(own));
    };
    build(sources, measurement, other_routing);
  }
  void build(const TrafficConfig& traffic, std::uint64_t seed = 1,
             observe::LoadMeasurement* measurement = nullptr,
             const routing::Routing* other_routing = nullptr) {
    const TrafficSources sources(traffic, TrafficNodes::of(topology), seed);
    build([&sources](NodeId node) { return sources.source(node); }, measurement, other_routing);
  }
  /// Until nothing is left to do; true if that happens before `end`.
  bool run_until_idle(Cycle end) {
    do {
      loaded->run_to(loaded->now() + 500);
    } while (loaded->now() < end && !loaded->idle());
    return loaded->idle();
  }
  /// Deliveries by packet, independent of the order within a cycle.
  std::map<PacketId, observe::DeliveredPacket> by_packet() const {
    std::map<PacketId, observe::DeliveredPacket> map;
    for (const observe::DeliveredPacket& packet : delivered) map[packet.id] = packet;
    return map;
  }

  bool sources_have_channels = false;  ///< LoadedNetwork::Parts
  bool group_cycles = false;           ///< groups of modules may run ahead of each other
  router::RouterKind router_kind;      ///< LoadedNetwork::Parts
  VcNetwork::PinChoice over_pins;      ///< LoadedNetwork::Parts
  traffic::RetryConfig retry;          ///< LoadedNetwork::Parts
  std::function<std::unique_ptr<traffic::EmissionSource>(graph::RouterId)> make_control;  ///< the same
  std::function<std::unique_ptr<Reconfiguration>(const NetworkConfig&, const graph::Topology&,
                                                 const routing::Routing&)>
      make_reconfiguration = network::make_reconfiguration;
  NetworkConfig config;
  graph::Topology topology;
  std::unique_ptr<const routing::Routing> routing;
  std::unique_ptr<Reconfiguration> reconfiguration;  ///< null: routers do not change their tables
  std::unique_ptr<ObjectBlock> block;
  std::unique_ptr<LoadedNetwork> loaded;
  std::vector<observe::DeliveredPacket> delivered;
};

/// Cycles in which the tails of delivered packets came.
inline std::map<PacketId, Cycle> tails(const VcRig& rig) {
  std::map<PacketId, Cycle> cycles;
  for (const observe::DeliveredPacket& packet : rig.delivered) cycles[packet.id] = packet.tail_cycle;
  return cycles;
}

}  // namespace tsuji::network::test
