// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/cycle_search.h"
#include "tsuji/core/index_or_none.h"
#include "tsuji/network/vc_network.h"

namespace tsuji::network {

/// Deadlocks of a network of virtual-channel routers between two cycles. A head waits for any of several
/// virtual channels, so a circle of waits is no deadlock as long as one of its members may go elsewhere: a
/// deadlock is a knot, input virtual channels that wait for each other alone. Whoever waits for members of
/// knots alone is stuck with them. Nodes take what comes to them, sooner or later; a link that is down stays
/// down, so a head with no other way is stuck without a knot.
class DeadlockScan {
 public:
  struct Knot {
    std::vector<VcNetwork::InputPlace> places;
    unsigned packets = 0;
    Cycle since = 0;  ///< the last of them has waited since then
  };

  DeadlockScan(const VcNetwork& network, const PacketPool& pool);

  /// By their first places.
  const std::vector<Knot>& knots() const { return knots_; }
  /// The packet at the front of this input virtual channel, or one that holds an output from there, never
  /// goes on.
  bool is_stuck(const VcNetwork::InputPlace& place) const {
    return stuck_[number(place.port.router, place.port.port, place.vc)] != 0;
  }
  /// The knot that this input virtual channel is in; null: none.
  const Knot* knot_at(const VcNetwork::InputPlace& place) const {
    const IndexOrNone<std::uint32_t> knot = knot_of_[number(place.port.router, place.port.port, place.vc)];
    return knot ? &knots_[*knot] : nullptr;
  }
  /// Input virtual channels, those of knots among them.
  std::size_t stuck() const;
  /// "3 packets wait for each other alone, since cycle 1200" for the first `most` knots.
  std::string text(unsigned most) const;

 private:
  Vertex number(graph::RouterId router, unsigned port, unsigned vc) const {
    return first_[first_port_[router] + port] + vc;
  }
  void number_places();
  void find_holders();
  void add_waits(const VcNetwork::InputPlace& place);
  void add_candidate(Vertex from, const VcNetwork::InputPlace& place, const router::VcView& view,
                     const routing::RouteCandidate& candidate);
  bool can_be_taken(const FlitRing& ring, PacketIndex packet) const;
  void wait_for_buffer(Vertex from, graph::RouterId router, unsigned port, unsigned vc);
  void wait_for_rest(Vertex from, const VcNetwork::InputPlace& place);
  void spread();
  void collect_knots();

  static constexpr Vertex goes_on = 0;  ///< a wait for it is none
  const VcNetwork& network_;
  const PacketPool& pool_;
  std::vector<std::size_t> first_port_;               ///< per router
  std::vector<Vertex> first_;                         ///< per port
  std::vector<VcNetwork::InputPlace> places_;         ///< per vertex
  std::vector<std::vector<Vertex>> waits_, waiters_;  ///< per vertex
  std::vector<std::vector<Vertex>> holders_;         ///< per port and output virtual channel; goes_on: nobody
  std::vector<std::uint8_t> stuck_;                  ///< per vertex
  std::vector<IndexOrNone<std::uint32_t>> knot_of_;  ///< per vertex
  std::vector<Knot> knots_;
};

}  // namespace tsuji::network
