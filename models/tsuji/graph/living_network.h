// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/faults.h"
#include "tsuji/graph/paths.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

enum class RouterState : std::uint8_t {
  living,
  cut_off,  ///< not dead, but no living path leads to the living ones
  dead
};

/// The part of a topology that lives on under a set of faults: the connected part with the most nodes; of
/// equals, the one with the lowest router. It keeps nothing of the topology.
class LivingNetwork {
 public:
  /// ConfigError: FaultSet::validate(), a topology with one-way links (topology.kind), no living node
  /// (faults.routers).
  LivingNetwork(const Topology& topology, FaultSet faults);

  const FaultSet& faults() const { return faults_; }
  unsigned routers() const { return static_cast<unsigned>(state_.size()); }
  /// Above the highest port of any router that leads to a router.
  unsigned ports() const { return ports_; }
  RouterState state(RouterId router) const { return state_[router]; }
  bool lives(RouterId router) const { return state_[router] == RouterState::living; }
  unsigned living() const { return living_; }
  /// Routers that are not dead but out of reach, ascending.
  const std::vector<RouterId>& cut_off() const { return cut_off_; }
  /// The living router at the far end of a living link of a living router; else `none`.
  RouterId neighbour(RouterId router, unsigned port) const {
    return neighbours_[std::size_t{router} * ports_ + port];
  }
  /// A living link leads from this port of a living router.
  bool lives_at(RouterId router, unsigned port) const {
    return port < ports_ && neighbour(router, port) != none;
  }
  /// Calls visit(next) for the far end of each living link of a living router.
  template <class Visit>
  void visit_neighbours(RouterId router, const Visit& visit) const {
    for (unsigned port = 0; port < ports_; ++port)
      if (neighbour(router, port) != none) visit(neighbour(router, port));
  }
  /// Links from `router` to each router by living links; `search` keeps them.
  const std::vector<std::uint16_t>& hops_to(RouterId router, BreadthFirst& search) const;

 private:
  void join_living_ends(const Topology& topology);
  void keep_largest_part(const Topology& topology);

  FaultSet faults_;
  unsigned ports_ = 0;
  unsigned living_ = 0;
  std::vector<RouterState> state_;
  std::vector<RouterId> cut_off_;
  std::vector<RouterId> neighbours_;  ///< router * ports_ + port
};

/// Routers that are endpoints of a dead channel and live: the ends of dead links and the neighbours of dead
/// routers, ascending.
std::vector<RouterId> living_ends_of_faults(const Topology& topology, const LivingNetwork& network);

}  // namespace tsuji::graph
