// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tsuji/graph/topology.h"
#include "tsuji/routing/routing.h"

namespace tsuji::platform {

/// Follows one packet from source to destination by the first of equal candidates. `visit` is told every
/// input port on it. ModelError where the routing does not get there.
void walk(const graph::Topology& topology, const routing::Routing& routing, NodeId source, NodeId destination,
          const std::function<void(const graph::PortRef&)>& visit);

}  // namespace tsuji::platform
