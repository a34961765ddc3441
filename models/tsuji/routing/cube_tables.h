// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/graph/cube.h"

namespace tsuji::routing {

using graph::CubeShape;
using graph::RouterId;

/// Coordinates of the routers and nodes of a torus or mesh, stored for access without divisions.
class CubeTables {
 public:
  /// ConfigError for any other topology; `kind` is the routing's value of routing.kind.
  CubeTables(const graph::Topology& topology, const std::string& kind);

  unsigned dimensions() const { return dimensions_; }
  /// Coordinates of a router, one per dimension.
  const std::uint16_t* router(RouterId router) const { return &routers_[router * dimensions_]; }
  const std::uint16_t* node(NodeId node) const { return &nodes_[node * dimensions_]; }
  unsigned node_port(NodeId node) const { return node_ports_[node]; }

  unsigned radix(unsigned d) const { return axes_[d].radix; }
  bool wraps(unsigned d) const { return axes_[d].wraps; }
  bool any_wraps() const;
  /// Returns true for a ring on which shortest paths may have two or more hops, so that paths can form a
  /// cycle of waits around it.
  bool is_long_ring(unsigned d) const { return axes_[d].long_ring; }
  bool any_long_ring() const;

  /// Returns true if a packet that goes up (or down) to a coordinate has yet to cross the link between k-1
  /// and 0.
  static bool dateline_ahead(bool up, unsigned here, unsigned to) { return up ? here > to : here < to; }

  /// Directions of the shortest routes between two coordinates; both are set for opposite places of a ring.
  struct Directions {
    bool up, down;
  };
  Directions directions(unsigned d, unsigned from, unsigned to) const {
    if (!wraps(d)) return {from < to, to < from};
    const unsigned twice = 2 * (to >= from ? to - from : to + radix(d) - from);
    return {twice <= radix(d) && from != to, twice >= radix(d)};
  }
  /// Number of hops of a shortest route between two places.
  unsigned hops(const std::uint16_t* from, const std::uint16_t* to) const;
  /// Number of hops between the routers that are farthest from each other.
  unsigned longest() const;

 private:
  struct Axis {
    std::uint16_t radix;
    bool wraps, long_ring;
  };
  unsigned dimensions_;
  std::vector<Axis> axes_;
  std::vector<std::uint16_t> routers_, nodes_, node_ports_;
};

}  // namespace tsuji::routing
