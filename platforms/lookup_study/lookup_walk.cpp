// SPDX-License-Identifier: Apache-2.0
#include "platforms/lookup_study/lookup_walk.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::platform {

void walk(const graph::Topology& topology, const routing::Routing& routing, NodeId source, NodeId destination,
          const std::function<void(const graph::PortRef&)>& visit) {
  using Far = graph::Topology::Far;
  graph::PortRef in = topology.node(source).inject;
  routing::RouteQuery query;
  query.source = source;
  query.destination = destination;
  routing::RouteSet candidates;
  for (unsigned hop = 0; hop < topology.routers(); ++hop) {
    visit(in);
    query.router = in.router;
    query.in_port = in.port;
    routing.route(query, candidates);
    if (candidates.size() == 0) break;
    const Far& far = topology.far(in.router, candidates[0].port);
    if (far.kind == Far::Kind::node) return;
    in = far.at;
    query.in_vc = static_cast<unsigned>(__builtin_ctz(candidates[0].vcs));
  }
  throw ModelError("routing", 0, "",
                   "node " + std::to_string(source) + " does not reach node " + std::to_string(destination));
}

}  // namespace tsuji::platform
