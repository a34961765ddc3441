// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::routing {

using graph::RouterId;

/// Distance between the coordinates of two routers.
enum class CoordinateDistance : std::uint8_t {
  euclid,     ///< its square, a whole number
  manhattan,  ///< sum over the dimensions
  wrapped     ///< Manhattan, the short way round each ring
};

/// Coordinates of a topology's routers and the distances between them. A distance is a sum of one term a
/// dimension. It keeps nothing of the topology.
class CoordinateSpace {
 public:
  static constexpr unsigned largest_span = 65'535;  ///< between coordinates of one dimension

  /// ConfigError (routing.kind, routing.distance): routers without coordinates, with the same ones, or too
  /// far apart; `wrapped` on a topology without rings.
  CoordinateSpace(const graph::Topology& topology, CoordinateDistance distance);

  unsigned routers() const { return routers_; }
  unsigned dimensions() const { return static_cast<unsigned>(axes_.size()); }
  /// From the lowest coordinate of the dimension on.
  unsigned at(unsigned dimension, RouterId router) const { return axes_[dimension].at[router]; }
  /// Largest at() of the dimension.
  unsigned span(unsigned dimension) const { return axes_[dimension].span; }
  /// Terms of the distances in one dimension, by at(a) - at(b): from -span to span, 0 in the middle.
  const std::uint32_t* terms(unsigned dimension) const {
    return &axes_[dimension].terms[axes_[dimension].span];
  }

  std::uint64_t distance(RouterId a, RouterId b) const { return term(0, a, b) + distance_beyond_first(a, b); }
  /// Share of all dimensions but the first.
  std::uint64_t distance_beyond_first(RouterId a, RouterId b) const {
    std::uint64_t sum = 0;
    for (unsigned d = 1; d < dimensions(); ++d) sum += term(d, a, b);
    return sum;
  }
  /// No distance is larger.
  std::uint64_t farthest() const;

  /// Routers at Manhattan distance 1 (round rings, too, if distances are), ascending.
  std::vector<RouterId> beside(RouterId router) const;
  /// `count` routers fill a box, so that from each of them one beside it lies nearer to any other one.
  bool fill_box(unsigned count) const;
  /// All routers fill a box and are numbered row by row, so that a number says the coordinates.
  bool box_by_rows() const;

  /// Routers with consecutive numbers of which only the first coordinate differs, and rises by one.
  struct Run {
    RouterId first = 0;
    unsigned length = 0;
  };
  /// All routers, ascending.
  const std::vector<Run>& runs() const { return runs_; }

 private:
  struct Axis {
    std::vector<std::uint32_t> at;  ///< per router
    unsigned span = 0;
    unsigned ring = 0;  ///< routers of a ring; 0: none
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
  /// The router there; none: graph::none.
  RouterId find(const std::vector<std::uint32_t>& place) const;
  bool before(RouterId router, const std::vector<std::uint32_t>& place) const;

  unsigned routers_;
  std::vector<Axis> axes_;
  std::vector<RouterId> by_place_;  ///< by rising coordinates, the last dimension first
  std::vector<Run> runs_;
};

}  // namespace tsuji::routing
