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
  cut_off,  ///< not dead, but without a path to the living part
  dead
};

/// Living part of a topology under a set of faults: the connected component with the most nodes; of equal
/// ones the one with the lowest router. Keeps no reference to the topology.
class LivingNetwork {
 public:
  /// ConfigError: FaultSet::validate(), a topology with one-way links (topology.kind), no living node
  /// (faults.routers).
  LivingNetwork(const Topology& topology, FaultSet faults);

  const FaultSet& faults() const { return faults_; }
  unsigned routers() const { return static_cast<unsigned>(state_.size()); }
  /// One more than the highest port of any router that is connected to a router.
  unsigned ports() const { return ports_; }
  RouterState state(RouterId router) const { return state_[router]; }
  bool lives(RouterId router) const { return state_[router] == RouterState::living; }
  unsigned living() const { return living_; }
  /// Routers that are not dead but have no path to the living part, ascending.
  const std::vector<RouterId>& cut_off() const { return cut_off_; }
  /// The living router at the other end of a living link of a living router; otherwise `none`.
  RouterId neighbour(RouterId router, unsigned port) const {
    return neighbours_[std::size_t{router} * ports_ + port];
  }
  /// Returns true if this port of a living router has a living link.
  bool lives_at(RouterId router, unsigned port) const {
    return port < ports_ && neighbour(router, port) != none;
  }
  /// Calls visit(next) for the other end of each living link of a living router.
  template <class Visit>
  void visit_neighbours(RouterId router, const Visit& visit) const {
    for (unsigned port = 0; port < ports_; ++port)
      if (neighbour(router, port) != none) visit(neighbour(router, port));
  }
  /// Number of living links on the shortest path from `router` to each router; stored in `search`.
  const std::vector<std::uint16_t>& hops_to(RouterId router, BreadthFirst& search) const;

 private:
  void join_living_ends(const Topology& topology);
  void keep_largest_part(const Topology& topology);

  FaultSet faults_;
  unsigned ports_ = 0;
  unsigned living_ = 0;
  std::vector<RouterState> state_;
  std::vector<RouterId> cut_off_;
  std::vector<RouterId> neighbours_;  ///< [router * ports_ + port]
};

/// Living routers that are ends of a dead channel: the ends of dead links and the neighbours of dead routers,
/// ascending.
std::vector<RouterId> living_ends_of_faults(const Topology& topology, const LivingNetwork& network);

}  // namespace tsuji::graph
