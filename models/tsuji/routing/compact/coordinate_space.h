// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::routing {

using graph::RouterId;

/// Metric for the distance between the coordinates of two routers.
enum class CoordinateDistance : std::uint8_t {
  euclid,     ///< squared Euclidean distance, an integer
  manhattan,  ///< sum over the dimensions
  wrapped     ///< Manhattan distance, the shorter direction on each ring
};

/// Coordinates of a topology's routers and their distances, which are sums of one term per dimension. Keeps
/// no reference to the topology.
class CoordinateSpace {
 public:
  static constexpr unsigned largest_span = 65'535;  ///< between coordinates in one dimension

  /// ConfigError (routing.kind, routing.distance): routers without coordinates, with equal ones, or too far
  /// apart; `wrapped` on a topology without rings.
  CoordinateSpace(const graph::Topology& topology, CoordinateDistance distance);

  unsigned routers() const { return routers_; }
  unsigned dimensions() const { return static_cast<unsigned>(axes_.size()); }
  /// Coordinate relative to the lowest one of the dimension.
  unsigned at(unsigned dimension, RouterId router) const { return axes_[dimension].at[router]; }
  /// Largest at() of the dimension.
  unsigned span(unsigned dimension) const { return axes_[dimension].span; }
  /// Terms of the distance in one dimension, indexed by at(a) - at(b): from -span to span, with 0 in the
  /// middle.
  const std::uint32_t* terms(unsigned dimension) const {
    return &axes_[dimension].terms[axes_[dimension].span];
  }

  std::uint64_t distance(RouterId a, RouterId b) const { return term(0, a, b) + distance_beyond_first(a, b); }
  /// Sum of the terms of all dimensions except the first.
  std::uint64_t distance_beyond_first(RouterId a, RouterId b) const {
    std::uint64_t sum = 0;
    for (unsigned d = 1; d < dimensions(); ++d) sum += term(d, a, b);
    return sum;
  }
  /// Upper bound of all distances.
  std::uint64_t farthest() const;

  /// Routers at Manhattan distance 1 (around rings, if distances wrap), ascending.
  std::vector<RouterId> beside(RouterId router) const;
  /// Returns true if `count` routers fill a box, so that each has a neighbour nearer to any other one.
  bool fill_box(unsigned count) const;
  /// Returns true if all routers fill a box and are numbered row by row, so that the number gives the
  /// coordinates.
  bool box_by_rows() const;

  /// Consecutive routers that differ in the first coordinate only, which rises by one.
  struct Run {
    RouterId first = 0;
    unsigned length = 0;
  };
  /// Runs that cover all routers, ascending.
  const std::vector<Run>& runs() const { return runs_; }

 private:
  struct Axis {
    std::vector<std::uint32_t> at;  ///< [router]
    unsigned span = 0;
    unsigned ring = 0;  ///< length of the ring; 0: none
    std::vector<std::uint32_t> terms;
  };
  std::uint32_t term(unsigned dimension, RouterId a, RouterId b) const {
    const Axis& axis = axes_[dimension];
    return axis.terms[axis.span + axis.at[a] - axis.at[b]];
  }
  void read_axes(const graph::Topology& topology);
  void find_rings(const graph::Topology& topology);
  void find_terms(CoordinateDistance distance);
  void sort_places(const graph::Topology& topology);
  void find_runs();
  /// Router at these coordinates; graph::none: none.
  RouterId find(const std::vector<std::uint32_t>& place) const;
  bool before(RouterId router, const std::vector<std::uint32_t>& place) const;

  unsigned routers_;
  std::vector<Axis> axes_;
  /// Sorted by coordinates, with the last dimension as the most significant.
  std::vector<RouterId> by_place_;
  std::vector<Run> runs_;
};

}  // namespace tsuji::routing
