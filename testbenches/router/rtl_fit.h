// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "router/router_rtl.h"
#include "tsuji/graph/topology.h"
#include "tsuji/router/flit_router.h"

// Checks that a router's RTL fits the network in which it is used.

namespace tsuji::bench {

/// The network around a router, beside its channels. Outlives it.
struct RtlSurroundings {
  const graph::Topology& topology;
  Cycle credit_process_cycles = 1;    ///< VcNetworkConfig
  unsigned longest_packet_flits = 0;  ///< 0: not known
  Picoseconds clock_period_ps = 1000;
};

/// A place in a network, and the RTL for it.
struct RtlPlace {
  graph::RouterId id;
  const std::vector<router::RouterPort>& ends;
  const routing::Routing& routing;
  const RtlSurroundings& around;
  const RouterRtl& rtl;
};

/// Candidates of a head, in the table of a router whose RTL has several (RouterRtl::table_candidates).
routing::RouteSet table_routes(const routing::Routing& routing, graph::RouterId router, std::uint32_t in_port,
                               std::uint32_t in_vc, NodeId destination);

/// Refuses a network that the RTL was not made for, before the first cycle: ConfigError.
void check_fit(const RtlPlace& place);

}  // namespace tsuji::bench
