// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/hyperx_order.h"

#include <algorithm>

#include "tsuji/graph/hyperx.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {

HyperXOrder::HyperXOrder(const std::string& kind, const graph::Topology& topology,
                         std::optional<unsigned> vcs)
    : all_(require_vcs(kind, vcs.value_or(1), 1)) {
  const auto* shape = topology.shape_as<graph::HyperXShape>();
  if (shape == nullptr) refuse_topology(kind, topology, "a HyperX");
  dimensions_ = static_cast<unsigned>(shape->radices.size());
  most_trunks_ = *std::max_element(shape->trunks.begin(), shape->trunks.end());
  require_candidates(kind, most_trunks_);
  unsigned first = shape->first_network_port();
  for (unsigned d = 0; d < dimensions_; ++d) {
    axes_.push_back({static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(shape->trunks[d])});
    first += (shape->radices[d] - 1) * shape->trunks[d];
  }
  for (RouterId router = 0; router < topology.routers(); ++router)
    for (const unsigned coordinate : topology.coordinates(router))
      places_.push_back(static_cast<std::uint16_t>(coordinate));
  for (NodeId node = 0; node < topology.nodes(); ++node) nodes_.push_back(topology.node(node).eject);
}

void HyperXOrder::route(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  const graph::PortRef to = nodes_[query.destination.node()];
  if (query.router == to.router) return candidates.add(to.port, all_);
  const std::uint16_t *const here = place(query.router), *const there = place(to.router);
  unsigned d = 0;
  while (here[d] == there[d]) ++d;
  const unsigned trunks = axes_[d].trunks;
  const unsigned first = axes_[d].first_port + (there[d] - (there[d] > here[d] ? 1U : 0U)) * trunks;
  for (unsigned trunk = 0; trunk < trunks; ++trunk) candidates.add(first + trunk, all_);
}

unsigned HyperXOrder::hops(RouterId from, RouterId to) const {
  unsigned differing = 0;
  for (unsigned d = 0; d < dimensions_; ++d)
    if (place(from)[d] != place(to)[d]) ++differing;
  return differing;
}

}  // namespace tsuji::routing
