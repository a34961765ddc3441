// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/network/config/network_plan.h"
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

/// The order in which a network's modules run, which must not change its results.
struct RunOrder {
  ProcessMode processes = ProcessMode::one_for_all;
  std::uint64_t shuffle_seed = 0;
  bool ahead = false;  ///< VcRig::run_ahead()
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

/// A whole network under a list of packets or a synthetic load. One simulation holds several, each in a
/// separate scope, because SystemC elaborates once a process.
class VcRig {
 public:
  struct Send {
    NodeId source, destination;
    Cycle created;
    unsigned flits;
  };

  explicit VcRig(const NetworkConfig& network_config)
      : config(resolved(network_config)),
        plan(config),
        reconfiguration(make_reconfiguration(config, plan.topology, *plan.routing)) {
    route_by(*plan.routing);
  }
  /// Replaces the routing of the configuration. Resets parts.
  void route_by(const routing::Routing& routing) {
    parts.emplace(LoadedNetwork::Parts{config, plan.topology, routing});
    parts->on_delivered = [this](const observe::DeliveredPacket& packet) { delivered.push_back(packet); };
  }
  /// Lets groups of modules run ahead of each other, which changes the order of deliveries only.
  void run_ahead(bool ahead = true) { parts->deliveries_lookahead_cycles = ahead ? never : 1; }

  void build(const LoadedNetwork::MakeSource& sources) {
    static unsigned serial = 0;
    block = std::make_unique<ObjectBlock>(("rig" + std::to_string(serial++)).c_str());
    const ObjectBlock::Inside inside(*block);
    parts->make_source = sources;
    parts->fault_reaction = reconfiguration.get();
    loaded = std::make_unique<LoadedNetwork>(*parts);
  }
  void build(const std::vector<Send>& list) {
    build([&list](NodeId node) {
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
    });
  }
  void build(const TrafficConfig& traffic, std::uint64_t seed = 1) {
    const TrafficSources sources(traffic, plan.nodes, seed);
    build([&sources](NodeId node) { return sources.source(node); });
  }
  /// Runs until nothing is left to do. Returns true if that happens before `end`.
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

  NetworkConfig config;
  const NetworkPlan plan;
  std::unique_ptr<Reconfiguration> reconfiguration;  ///< null: routers do not change their tables
  std::optional<LoadedNetwork::Parts> parts;         ///< of build(), which adds sources and reconfiguration
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
