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

/// Follows a packet through every decision, candidate and virtual channel by simple recursion, independently
/// of the deadlock checker, and REQUIREs that each branch ends at the destination within `most_hops` links.
/// Calls `visit` with every step between routers. Returns the links of the longest path.
unsigned follow(const graph::Topology& topology, const routing::Routing& routing, unsigned vcs,
                const routing::RouteQuery& packet, unsigned most_hops,
                const std::function<void(const Step&)>& visit = nullptr);

/// Links of a shortest path between two nodes.
unsigned distance(const graph::Topology& topology, NodeId from, NodeId to);

/// Requires for every pair and branch, with some packets for random choices, that the path is shortest and
/// route() never gives more candidates than declared.
void require_minimal_delivery(const graph::Topology& topology, const routing::Routing& routing, unsigned vcs,
                              unsigned packets = 1);

}  // namespace tsuji::test
