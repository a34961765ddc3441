// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/config/kinds.h"
#include "tsuji/graph/faults.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Network for which a routing is constructed.
struct RoutingParts {
  const graph::Topology& topology;  ///< not referenced after construction
  unsigned vcs = 1;                 ///< number of virtual channels of a network port
  graph::FaultSet faults = {};      ///< empty unless the routing supports faults (RoutingTraits)
};

/// Properties of a value of `routing.kind`.
struct RoutingTraits {
  static constexpr const char* selector = "routing.kind";    ///< Key that selects the routing.
  static constexpr const char* unknown = "unknown routing";  ///< Refusal of an unknown value.
  std::vector<std::string> also_called;  ///< other names of it in the literature, for error messages
  bool bears_faults = false;             ///< routes around dead links and routers
  bool turns_back = false;               ///< RoutingPromises::turns_back, for some parameters at least
  bool reconfigures = false;  ///< routers change their tables when links and routers fail and return
  bool recovers = false;      ///< routers must take heads that are blocked, or circulate, into recovery
};

/// All routings by their value of `routing.kind`, with their parameters.
using RoutingKinds = config::Kinds<RoutingTraits, std::unique_ptr<const Routing>, const RoutingParts&>;

/// Returns the routings that CMakeLists.txt lists.
RoutingKinds routing_kinds();

/// Parameters of a routing without keys, constructed as R(topology, vcs).
template <class R>
struct NoParameters {
  /// Constructs the routing. Throws ConfigError if it does not fit the topology or the virtual channels.
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const {
    return std::make_unique<R>(parts.topology, parts.vcs);
  }
};

}  // namespace tsuji::routing
