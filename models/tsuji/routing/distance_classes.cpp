// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/distance_classes.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/paths.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/vc_classes.h"

namespace tsuji::routing {

using graph::Topology;

DistanceClasses::DistanceClasses(const std::string& kind, const Topology& topology,
                                 std::optional<unsigned> vcs)
    : routers_(topology.routers()) {
  require_table_size(kind, topology);
  for (RouterId router = 0; router < routers_; ++router) {
    first_port_.push_back(static_cast<std::uint32_t>(far_.size()));
    for (unsigned port = 0; port < topology.ports(router); ++port)
      far_.push_back(topology.far(router, port).kind == Topology::Far::Kind::router
                         ? topology.far(router, port).at.router
                         : graph::none);
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) nodes_.push_back(topology.node(node).eject);
  next_port_.resize(std::size_t{routers_} * routers_);
  for (NodeId node = 0; node < topology.nodes(); ++node)
    if (node == 0 || nodes_[node].router != nodes_[node - 1].router)
      find_ports(topology, nodes_[node].router, kind);
  all_ = require_vcs(kind, vcs.value_or(classes_), classes_);
  const VcClasses classes(vcs.value_or(classes_), classes_);
  first_vcs_ = classes.of(0);
  for (unsigned vc = 0; vc < classes.vcs(); ++vc) {
    const unsigned next = classes.class_of(vc) + 1;
    next_vcs_.push_back(next < classes_ ? classes.of(next) : VcMask{0});
  }
}

/// Sets the next ports of all routers towards `to`.
void DistanceClasses::find_ports(const Topology& topology, RouterId to, const std::string& kind) {
  constexpr unsigned most_classes = 16;
  const std::vector<std::uint16_t> hops = graph::hops_to(topology, to);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const unsigned links = hops[topology.node(node).inject.router];
    if (links > most_classes)
      refuse_topology(kind, topology,
                      "a topology in which every two nodes have a path of at most " +
                          std::to_string(most_classes) + " links");
    classes_ = std::max(classes_, links);
  }
  std::vector<std::uint16_t> ports;
  for (RouterId router = 0; router < routers_; ++router) {
    ports.clear();
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      const RouterId next = far_[port_index(router, port)];
      if (next != graph::none && topology.far(router, port).sends && hops[next] + 1 == hops[router])
        ports.push_back(static_cast<std::uint16_t>(port));
    }
    if (!ports.empty())  // neighbouring destinations and routers take different ones
      next_port_[std::size_t{router} * routers_ + to] = ports[(router + to) % ports.size()];
  }
}

void DistanceClasses::route(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  const graph::PortRef to = nodes_[query.destination.node()];
  if (query.router == to.router) return candidates.add(to.port, all_);
  const bool starts = far_[port_index(query.router, query.in_port)] == graph::none;
  candidates.add(next_port_[std::size_t{query.router} * routers_ + to.router],
                 starts ? first_vcs_ : next_vcs_[query.in_vc]);
}

RouteCandidate DistanceClasses::table_entry(RouterId router, std::uint32_t, NodeId destination) const {
  const graph::PortRef to = nodes_[destination];
  if (to.router == router) return {static_cast<std::uint16_t>(to.port), all_, 0};
  return {next_port_[std::size_t{router} * routers_ + to.router], all_, 0};
}

VcMap DistanceClasses::vc_map(RouterId router, std::uint32_t in_port, std::uint32_t in_vc,
                              std::uint32_t out_port) const {
  if (far_[port_index(router, out_port)] == graph::none) return {};
  if (far_[port_index(router, in_port)] == graph::none) return {first_vcs_, 0};
  return {in_vc < next_vcs_.size() ? next_vcs_[in_vc] : VcMask{0}, 0};
}

unsigned DistanceClasses::hops(RouterId from, RouterId to) const {
  unsigned links = 0;
  for (RouterId here = from; here != to; ++links)
    here = far_[port_index(here, next_port_[std::size_t{here} * routers_ + to])];
  return links;
}

}  // namespace tsuji::routing
