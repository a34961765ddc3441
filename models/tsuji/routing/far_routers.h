// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Routers at the other ends of all routers' ports.
class FarRouters {
 public:
  explicit FarRouters(const graph::Topology& topology) {
    for (RouterId router = 0; router < topology.routers(); ++router) {
      first_port_.push_back(static_cast<std::uint32_t>(next_.size()));
      for (unsigned port = 0; port < topology.ports(router); ++port) {
        const graph::Topology::Far& far = topology.far(router, port);
        next_.push_back(far.kind == graph::Topology::Far::Kind::router ? far.at.router : graph::none);
      }
    }
    first_port_.push_back(static_cast<std::uint32_t>(next_.size()));
  }

  /// Router at the other end of a port; graph::none: no router.
  RouterId at(RouterId router, unsigned port) const { return next_[first_port_[router] + port]; }
  unsigned ports(RouterId router) const { return first_port_[router + 1] - first_port_[router]; }
  /// Returns true for a head at its first router.
  bool comes_from_node(const RouteQuery& query) const {
    return at(query.router, query.in_port) == graph::none;
  }

 private:
  std::vector<std::uint32_t> first_port_;  ///< [router], with one more element: index into next_
  std::vector<RouterId> next_;             ///< [port]
};

}  // namespace tsuji::routing
