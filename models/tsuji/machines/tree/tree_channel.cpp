// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_channel.h"

#include "tsuji/core/error.h"

namespace tsuji::machines {

std::string TreeChannel::stands_for() const {
  return of_nodes_.stands_for() + "; beside it a tree of units on a virtual channel of its own (in no paper)";
}

void TreeChannel::route_unit(const routing::RouteQuery& query, routing::RouteSet& candidates) const {
  candidates.clear();
  const graph::RouterId to = query.destination.router();
  if (to == query.router) return candidates.add(topology_.ports(to), vc_);  // the control port
  const NodeTree::TreeLink* const link = tree_.link_to(query.router, to);
  if (link == nullptr)
    throw ModelError("router " + std::to_string(query.router),
                     packet_name(query.packet) + " is for the unit of router " + std::to_string(to) +
                         ", no neighbour in the tree");
  candidates.add(link->port, vc_);
}

}  // namespace tsuji::machines
