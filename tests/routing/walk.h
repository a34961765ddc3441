// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "tsuji/graph/topology.h"
#include "tsuji/routing/routing.h"

namespace tsuji::test {

/// One step of a packet: the query, and the candidate that was taken.
struct Step {
  routing::RouteQuery query;
  unsigned port, vc;
  unsigned hop;  ///< links before it
};

/// Follows a packet through every decision, candidate and virtual channel by plain recursion, independently
/// of the deadlock checker, and REQUIREs that each branch ends at the destination within `most_hops` links.
/// `visit` sees every step between routers. Gives the longest path's links.
unsigned follow(const graph::Topology& topology, const routing::Routing& routing, unsigned vcs,
                const routing::RouteQuery& packet, unsigned most_hops,
                const std::function<void(const Step&)>& visit = nullptr);

/// Links of a shortest path between two nodes.
unsigned distance(const graph::Topology& topology, NodeId from, NodeId to);

/// Every pair, every branch, some packets for random choices: arrives by a shortest path, and route() never
/// gives more candidates than it declares.
void require_minimal_delivery(const graph::Topology& topology, const routing::Routing& routing, unsigned vcs,
                              unsigned packets = 1);

}  // namespace tsuji::test
