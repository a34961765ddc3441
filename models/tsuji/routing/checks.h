// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/graph/topology.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// A router in messages.
std::string router_name(graph::RouterId router);

/// Refusals common to the routings' constructors, as ConfigErrors. `kind` is the routing's name in
/// routing.kind.

/// A topology that the routing is not made for; `accepted` names those that it is.
[[noreturn]] void refuse_topology(const std::string& kind, const graph::Topology& topology,
                                  const std::string& accepted);
/// Virtual channels outside needed..16 (key router.vcs). Gives the mask of them all.
VcMask require_vcs(const std::string& kind, unsigned vcs, unsigned needed);
/// More candidates than a RouteSet holds.
void require_candidates(const std::string& kind, unsigned candidates);
/// More routers than a table with an entry for every pair is made for.
void require_table_size(const std::string& kind, const graph::Topology& topology);

/// ModelError for a packet to a router, from a routing that knows nodes only. Not marked [[noreturn]]: as the
/// last call of route() it is a jump, and route() needs no stack frame for it.
void refuse_router_destination(const RouteQuery& query);

}  // namespace tsuji::routing
