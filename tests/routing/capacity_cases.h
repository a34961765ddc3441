// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/routing/capacity/capacity_bound.h"

namespace tsuji::test {

using graph::Topology;
using routing::CapacityBound;
using routing::CapacityConfig;
using routing::CapacityKind;
using routing::RouteQuery;
using routing::RouteSet;
using routing::Routing;

using Demand = std::function<double(NodeId, NodeId)>;

/// Every node sends to every node, itself included.
inline Demand uniform(const Topology& topology) {
  return [nodes = topology.nodes()](NodeId, NodeId) { return 1.0 / nodes; };
}

template <class F>
Demand permutation(F partner) {
  return [partner](NodeId from, NodeId to) { return partner(from) == to ? 1.0 : 0.0; };
}

/// Demands without symmetry, some of them 0.
inline Demand ragged() {
  return [](NodeId from, NodeId to) {
    const double value = CounterRandom(7, from).bits(to) % 1000 / 1000.0;
    return value < 0.3 ? 0.0 : value / 20;
  };
}

inline CapacityBound bound_of(const Topology& topology, const Routing& routing, const Demand& demand) {
  CapacityConfig config;
  config.demand = demand;
  return capacity_bound(topology, routing, config);
}

inline unsigned transposed(unsigned node, unsigned side) {
  return node % side * side + node / side;
}

struct Case {
  Topology topology;
  std::unique_ptr<const Routing> routing;
  unsigned vcs = 4;
};

template <class R, class... Parts>
Case make_case(const Topology& topology, unsigned vcs, Parts... parts) {
  return {topology, std::make_unique<const R>(topology, vcs, parts...), vcs};
}

struct Walker {
  const Case& of;
  CounterRandom random{11, 1};

  routing::VcMask one(routing::VcMask vcs) {
    std::vector<routing::VcMask> each;
    for (unsigned vc = 0; vc < of.vcs; ++vc)
      if ((vcs >> vc & 1) != 0) each.push_back(routing::vc_range(vc, 1));
    return each.at(random.below(each.size()));
  }

  /// The links of a packet's path; the packet takes any candidate and any virtual channel.
  std::vector<graph::PortRef> walk(RouteQuery query) {
    std::vector<graph::PortRef> way;
    graph::PortRef at = of.topology.node(query.source.node()).inject;
    query.in_vc =
        static_cast<unsigned>(__builtin_ctz(one(of.routing->injection_vcs(query.source, query.destination))));
    for (RouteSet candidates;; ++query.hops) {
      REQUIRE(way.size() < 200);
      query.router = at.router;
      query.in_port = at.port;
      if (of.routing->recovery() != nullptr && random.below(8) == 0)
        query.packet_class = PacketClass::recovery;
      of.routing->route(query, candidates);
      REQUIRE(candidates.size() > 0);
      const routing::RouteCandidate taken =
          candidates[static_cast<unsigned>(random.below(candidates.size()))];
      const Topology::Far& far = of.topology.far(at.router, taken.port);
      if (far.kind == Topology::Far::Kind::node) {
        REQUIRE(far.node == query.destination);
        return way;
      }
      way.push_back({at.router, taken.port});
      query.in_vc = static_cast<unsigned>(__builtin_ctz(one(taken.vcs)));
      at = far.at;
    }
  }
};

/// The bound of a routing with one candidate a head.
inline double exact(const Topology& topology, const Routing& routing, const Demand& demand) {
  const CapacityBound bound = bound_of(topology, routing, demand);
  CHECK(bound.kind == CapacityKind::exact);
  return bound.flits_per_node_cycle;
}

/// The bound of an adaptive routing.
inline double at_most(const Topology& topology, const Routing& routing, const Demand& demand) {
  const CapacityBound bound = bound_of(topology, routing, demand);
  CHECK(bound.kind == CapacityKind::upper_bound);
  return bound.flits_per_node_cycle;
}

}  // namespace tsuji::test
