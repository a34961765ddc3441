// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/graph/cube.h"

namespace tsuji::routing {

using graph::CubeShape;
using graph::RouterId;

/// Coordinates of routers and nodes of a torus or mesh, laid out for look-ups without divisions.
class CubeTables {
 public:
  /// Refuses every other topology in the name of the routing `kind`.
  CubeTables(const graph::Topology& topology, const std::string& kind);

  unsigned dimensions() const { return dimensions_; }
  /// One coordinate a dimension.
  const std::uint16_t* router(RouterId router) const { return &routers_[router * dimensions_]; }
  const std::uint16_t* node(NodeId node) const { return &nodes_[node * dimensions_]; }
  unsigned node_port(NodeId node) const { return node_ports_[node]; }

  unsigned radix(unsigned d) const { return axes_[d].radix; }
  bool wraps(unsigned d) const { return axes_[d].wraps; }
  bool any_wraps() const;
  /// A ring on which a shortest path can be two hops or more, so that paths can wait for each other all the
  /// way round.
  bool is_long_ring(unsigned d) const { return axes_[d].long_ring; }
  bool any_long_ring() const;

  /// A packet that goes up (or down) to a coordinate has the link between k-1 and 0 still before it.
  static bool dateline_ahead(bool up, unsigned here, unsigned to) { return up ? here > to : here < to; }

  /// The directions of the shortest routes from one coordinate to another; both on a ring between opposites.
  struct Directions {
    bool up, down;
  };
  Directions directions(unsigned d, unsigned from, unsigned to) const {
    if (!wraps(d)) return {from < to, to < from};
    const unsigned twice = 2 * (to >= from ? to - from : to + radix(d) - from);
    return {twice <= radix(d) && from != to, twice >= radix(d)};
  }
  /// Hops of a shortest route between two places.
  unsigned hops(const std::uint16_t* from, const std::uint16_t* to) const;

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
