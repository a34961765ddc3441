// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_channel.h"

#include "tsuji/core/error.h"

namespace tsuji::machines {

std::string TreeChannel::stands_for() const {
  return of_nodes_.stands_for() + "; with a tree of units on a dedicated virtual channel (in no paper)";
}

void TreeChannel::route_unit(const routing::RouteQuery& query, routing::RouteSet& candidates) const {
  candidates.clear();
  const graph::RouterId to = query.destination.router();
  if (to == query.router) return candidates.add(topology_.ports(to), vc_);  // the control port
  candidates.add(port_to(query, to), vc_);
}

/// The lowest port where the tree, which has changed, has no link there any more.
std::uint32_t TreeChannel::port_to(const routing::RouteQuery& query, graph::RouterId to) const {
  if (const NodeTree::TreeLink* const link = tree_.link_to(query.router, to)) return link->port;
  for (std::uint32_t port = 0; port < topology_.ports(query.router); ++port) {
    const graph::Topology::Far& far = topology_.far(query.router, port);
    if (far.kind == graph::Topology::Far::Kind::router && far.at.router == to) return port;
  }
  throw ModelError(
      "router " + std::to_string(query.router),
      packet_name(query.packet) + " is for the unit of router " + std::to_string(to) + ", no neighbour");
}

}  // namespace tsuji::machines
