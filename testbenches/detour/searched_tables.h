// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "tsuji/graph/faults.h"
#include "tsuji/graph/topology.h"

namespace tsuji::bench {

/// Fault regions, root and routing tables of Detour-UD by exhaustive search, after the paper's text
/// (Yoshinaga 2004, 2.2, 2.3 and 3; rooms/routing.md): each search is repeated until a fixed point. The class
/// shares no code with the tables of the models. All working routers must be connected.
class SearchedTables {
 public:
  static constexpr unsigned ports = 4;  ///< ports of a router to other routers
  static constexpr unsigned far_away = 1U << 20;

  SearchedTables(const graph::Topology& topology, graph::FaultSet faults, unsigned region_distance);

  bool dead(unsigned router) const;
  bool in_region(unsigned router) const { return region_[router]; }
  unsigned root() const { return root_; }
  /// Living router at the other end of a living link; graph::none without one.
  unsigned next(unsigned router, unsigned port) const;
  bool leads_up(unsigned from, unsigned to) const;
  /// First hops of all shortest paths.
  unsigned torus_word(unsigned here, unsigned to);
  /// First hops of all shortest paths that use down links only; if no such path exists, first up hops of all
  /// shortest paths that go up, then down.
  unsigned up_down_word(unsigned here, unsigned to);

 private:
  using Lengths = std::vector<unsigned>;
  struct Paths {
    Lengths any, down, legal;
  };
  void find_region(unsigned distance);
  void find_root();
  template <class May>
  void shorten(Lengths& lengths, const May& may) const;
  const Paths& paths(unsigned to);
  unsigned neighbour(unsigned router, unsigned port) const;
  bool dead_link(unsigned router, unsigned port) const;

  const graph::Topology& topology_;
  const graph::FaultSet faults_;
  const unsigned routers_;
  std::vector<bool> region_;
  unsigned root_ = 0;
  Lengths level_;
  std::map<unsigned, Paths> paths_;  ///< [destination]: path lengths of all routers
};

}  // namespace tsuji::bench
