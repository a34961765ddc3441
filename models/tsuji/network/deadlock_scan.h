// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/cycle_search.h"
#include "tsuji/core/index_or_none.h"
#include "tsuji/network/vc_network.h"

namespace tsuji::network {

/// Finds deadlocks of a network of virtual-channel routers between two cycles. A head may wait for any of
/// several virtual channels, so a cycle of waits is no deadlock while one of its members has another
/// candidate. A deadlock is a knot: a set of input virtual channels that wait only for each other. A virtual
/// channel that waits only for members of knots is stuck as well. Nodes eventually eject every packet; a
/// failed link stays down, so a head whose only candidate is a failed link is stuck without a knot.
class DeadlockScan {
 public:
  struct Knot {
    std::vector<VcNetwork::InputPlace> places;
    unsigned packets = 0;
    Cycle since = 0;  ///< Cycle since which all members have been waiting.
  };

  DeadlockScan(const VcNetwork& network, const PacketPool& pool);

  /// Knots ordered by their first places.
  const std::vector<Knot>& knots() const { return knots_; }
  /// True if the packet at the head of this input virtual channel, or one that holds an output from it, can
  /// never advance.
  bool is_stuck(const VcNetwork::InputPlace& place) const {
    return stuck_[number(place.port.router, place.port.port, place.vc)] != 0;
  }
  /// The knot that contains this input virtual channel; null: none.
  const Knot* knot_at(const VcNetwork::InputPlace& place) const {
    const IndexOrNone<std::uint32_t> knot = knot_of_[number(place.port.router, place.port.port, place.vc)];
    return knot ? &knots_[*knot] : nullptr;
  }
  /// Number of stuck input virtual channels, including members of knots.
  std::size_t stuck() const;
  /// Text for the first `most` knots, for example "3 packets wait for each other alone, since cycle 1200".
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
  bool can_be_taken(unsigned room, PacketIndex packet) const;
  void wait_for_buffer(Vertex from, graph::RouterId router, unsigned port, unsigned vc);
  void wait_for_rest(Vertex from, const VcNetwork::InputPlace& place);
  void spread();
  void collect_knots();

  static constexpr Vertex goes_on = 0;  ///< Vertex that always advances; a wait for it is never stuck.
  const VcNetwork& network_;
  const PacketPool& pool_;
  std::vector<std::size_t> first_port_;        ///< [router]: index of its port 0.
  std::vector<Vertex> first_;                  ///< [port]: vertex of its virtual channel 0.
  std::vector<VcNetwork::InputPlace> places_;  ///< [vertex]: the input virtual channel that it represents.
  std::vector<std::vector<Vertex>> waits_,
      waiters_;  ///< [vertex]: vertices that it waits for, and vertices that wait for it.
  /// Indexed by port and output virtual channel; the vertex `goes_on` if it has no holder.
  std::vector<std::vector<Vertex>> holders_;
  std::vector<std::uint8_t>
      stuck_;  ///< [vertex]: 1 if none of the vertices that it can wait for will advance.
  std::vector<IndexOrNone<std::uint32_t>> knot_of_;  ///< [vertex]: index of its knot in knots_.
  std::vector<Knot> knots_;
};

}  // namespace tsuji::network
