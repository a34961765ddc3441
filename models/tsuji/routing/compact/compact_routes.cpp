// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/compact/compact_routes.h"

#include <algorithm>

#include "tsuji/routing/checks.h"
#include "tsuji/routing/compact/nearest_entry.h"

namespace tsuji::routing {

CompactRoutes::CompactRoutes(const graph::Topology& topology, const graph::LivingNetwork& network,
                             const CompactTables& tables)
    : routers_(topology.routers()), ports_(std::size_t{routers_} * routers_, no_port) {
  if (network.ports() > no_port)
    refuse_topology("compact", topology, "routers with at most 255 ports to others");
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const graph::NodePorts& at = topology.node(node);
    injects_.push_back(network.lives(at.inject.router) ? at.inject : graph::PortRef{});
    ejects_.push_back(network.lives(at.eject.router) ? at.eject : graph::PortRef{});
  }
  find_ports(network, tables);
}

void CompactRoutes::find_ports(const graph::LivingNetwork& network, const CompactTables& tables) {
  CompactChoice choice(tables);
  for (const CoordinateSpace::Run& run : tables.space().runs()) {
    for (RouterId router = 0; router < routers_; ++router) {
      if (!choice.has_entries(router)) continue;
      const std::vector<std::uint32_t>& indices = choice.choose(run, router);
      const CompactTables::Entries entries = tables.entries(router);
      for (unsigned k = 0; k < run.length; ++k)
        if (run.first + k != router && network.lives(run.first + k))
          ports_[pair(router, run.first + k)] = static_cast<std::uint8_t>(entries[indices[k]].port);
    }
  }
}

TurnLayers::Paths CompactRoutes::paths() const {
  TurnLayers::Paths paths;
  paths.sends.assign(routers_, 0);
  std::vector<bool> receives(routers_, false);
  for (const graph::PortRef& at : injects_)
    if (at.router != graph::none) paths.sends[at.router] = 1;
  for (const graph::PortRef& at : ejects_)
    if (at.router != graph::none) receives[at.router] = true;
  paths.ports = [this, receives](RouterId to, std::vector<std::uint16_t>& ports) {
    if (!receives[to]) return;
    const std::uint8_t* const row = &ports_[pair(0, to)];
    for (RouterId router = 0; router < routers_; ++router)
      if (row[router] != no_port) ports[router] = row[router];
  };
  return paths;
}

}  // namespace tsuji::routing
