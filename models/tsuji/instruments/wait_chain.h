// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/network/vc_network.h"

namespace tsuji::instruments {

/// Reason for which the packet at the front of an input virtual channel does not leave in the next cycle.
///   routing     its route is not known
///   no_vc       no virtual channel of its candidates is free
///   no_credit   the buffer after its output is full
///   link_down   all links of its candidates have failed
///   no_flit     its next flits have not arrived
///   node        the node after its output accepts no flit
///   none        it may leave: it requests the switch
enum class WaitReason : std::uint8_t { routing, no_vc, no_credit, link_down, no_flit, node, none };
const char* name_of(WaitReason reason);

/// A packet at the front of an input virtual channel, and the place of the packet that it waits for.
struct WaitLink {
  PacketId packet = 0;
  network::VcNetwork::InputPlace place;
  WaitReason reason = WaitReason::none;
  std::optional<network::VcNetwork::InputPlace> held_by;  ///< empty: it waits for no packet
};

/// Follows waits from packet to packet through the buffers of a network, between two cycles.
class WaitChain {
 public:
  using Place = network::VcNetwork::InputPlace;
  WaitChain(network::VcNetwork& network, const PacketPool& pool) : network_(network), pool_(pool) {}

  /// The packet at the front of `place` after cycle `last`; empty if no packet has begun there.
  std::optional<WaitLink> at(const Place& place, Cycle last) const;
  /// The waits from `place` on, at most `most`. Ends at a packet that waits for no other, and at a place that
  /// is in the chain already.
  std::vector<WaitLink> from(const Place& place, Cycle last, std::size_t most) const;
  /// Places of packets that hold a virtual channel among the candidates of the head at `place`, or fill the
  /// buffer after one.
  std::optional<Place> holder_of_vc(const Place& place) const;
  /// Candidates of the head at `place`, as "port:vc port:vc".
  std::string wanted(const Place& place) const;
  /// Input virtual channel after an output; empty if a node is there.
  std::optional<Place> after(graph::RouterId router, unsigned out_port, unsigned out_vc) const;
  /// "router:port:vc".
  static std::string text(const Place& place);

 private:
  const router::FlitRouter& router(const Place& place) const { return network_.router(place.port.router); }
  WaitReason reason_of_vc(const Place& place) const;

  network::VcNetwork& network_;
  const PacketPool& pool_;
};

}  // namespace tsuji::instruments
