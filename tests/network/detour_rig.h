// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "network/vc_rig.h"
#include "tsuji/core/random.h"
#include "tsuji/routing/detour/detour_ud.h"

namespace tsuji::network::test {

/// A torus or mesh with Detour-UD, by default with one adaptive channel and one for recovery.
struct DetourCase {
  std::vector<unsigned> radices;
  const char* kind = "torus";
  unsigned flits = 16;
  unsigned dead_links = 0, dead_routers = 0;
  router::Switching switching = router::Switching::wormhole;
  Cycle timeout_cycles = 64;
  unsigned vcs = 2, hop_limit = 0;
  bool classify_timeouts = false;
  unsigned nodes_per_router = 1;
};

inline NetworkConfig config_of(const DetourCase& one) {
  NetworkConfig config;
  config.topology.kind = one.kind;
  config.topology.of<graph::CubeConfig>().radices = one.radices;
  config.network.vcs = one.vcs;
  config.network.buffer_flits = 8;
  config.network.router.switching = one.switching;
  config.network.router.uturn_network = true;
  config.network.router.block_timeout_cycles = one.timeout_cycles;
  config.network.router.hop_limit = one.hop_limit;
  config.topology.of<graph::CubeConfig>().nodes_per_router = one.nodes_per_router;
  config.classify_timeouts = one.classify_timeouts;
  config.watchdog_cycles = 2000;
  return config;
}

/// A network with Detour-UD, and a burst of messages at its living nodes.
struct DetourRig {
  DetourRig(const DetourCase& one, const graph::FaultSet& faults, const RunOrder& order, unsigned distance)
      : rig(in_order(config_of(one), order)), flits(one.flits) {
    routing::DetourConfig detour;
    detour.region_distance = distance;
    generation = std::make_shared<routing::DetourGeneration>(rig.plan.topology, faults, detour);
    routing = std::make_unique<routing::DetourUd>(rig.plan.topology, one.vcs, generation);
    rig.route_by(*routing);
    rig.run_ahead(order.ahead);
    for (NodeId node = 0; node < rig.plan.topology.nodes(); ++node)
      if (generation->network().lives(rig.plan.topology.node(node).inject.router)) living.push_back(node);
  }
  DetourRig(const DetourCase& one, std::uint64_t seed, const RunOrder& order = {}, unsigned distance = 2)
      : DetourRig(one, drawn_faults(one, seed), order, distance) {}
  static graph::FaultSet drawn_faults(const DetourCase& one, std::uint64_t seed) {
    if (one.dead_links + one.dead_routers == 0) return {};
    return graph::draw_connected_faults(make_topology(config_of(one).topology, 1),
                                        {one.dead_links, one.dead_routers, seed});
  }
  /// `messages` of each living node, one every `apart` cycles.
  void burst(unsigned messages, std::uint64_t seed, Cycle apart = 1) {
    CounterRandom random(seed, 5);
    for (unsigned m = 0; m < messages; ++m) {
      for (const NodeId source : living) {
        const NodeId destination = living[random.below(living.size())];
        if (destination != source) list.push_back({source, destination, 10 + m * apart, flits});
      }
    }
  }
  void build() { rig.build(list); }
  router::RouterCounters counters() const { return rig.loaded->network().counters(); }

  VcRig rig;
  std::shared_ptr<const routing::DetourGeneration> generation;
  std::unique_ptr<const routing::DetourUd> routing;
  std::vector<NodeId> living;
  std::vector<VcRig::Send> list;
  const unsigned flits;
};

}  // namespace tsuji::network::test
