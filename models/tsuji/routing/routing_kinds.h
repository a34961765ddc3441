// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/config/kinds.h"
#include "tsuji/graph/faults.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// The network that a routing is made for.
struct RoutingParts {
  const graph::Topology& topology;  ///< the routing does not keep it
  unsigned vcs = 1;                 ///< virtual channels of a network port
  graph::FaultSet faults = {};      ///< empty unless the routing bears them (RoutingTraits)
};

struct RoutingTraits {
  static constexpr const char* selector = "routing.kind";
  static constexpr const char* unknown = "unknown routing";
  std::vector<std::string> also_called;  ///< names that others give to it, for refusals
  bool bears_faults = false;             ///< leads round dead links and routers
  bool turns_back = false;               ///< RoutingPromises::turns_back, with some parameters at least
  bool reconfigures = false;  ///< its routers change their tables when links and routers die and return
  bool recovers = false;      ///< routers have to bring heads that are blocked, or go round, into recovery
};

/// Every routing by its word in `routing.kind`, with its parameters.
using RoutingKinds = config::Kinds<RoutingTraits, std::unique_ptr<const Routing>, const RoutingParts&>;

/// The routings of CMakeLists.txt.
RoutingKinds routing_kinds();

/// The parameters of a routing that has none: R(topology, vcs).
template <class R>
struct NoParameters {
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const {
    return std::make_unique<R>(parts.topology, parts.vcs);
  }
};

}  // namespace tsuji::routing
