// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tsuji/graph/topology.h"
#include "tsuji/routing/routing.h"

namespace tsuji::platform {

/// Follows one packet from source to destination by the first of equal candidates. `visit` is called with
/// every input port of the route. ModelError if the routing does not reach the destination.
void walk(const graph::Topology& topology, const routing::Routing& routing, NodeId source, NodeId destination,
          const std::function<void(const graph::PortRef&)>& visit);

}  // namespace tsuji::platform
