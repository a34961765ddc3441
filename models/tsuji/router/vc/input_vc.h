// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/core/packet.h"
#include "tsuji/link/flit_channel.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/route_computation.h"

namespace tsuji::router {

/// An input virtual channel: its buffer, and the state of the packet at the front of it. One line of the
/// processor's cache; the slots of the buffer lie apart.
///
///     idle -> routing -> waiting -> active -> idle
///
/// A head begins to route when it comes to the front, waits for an output virtual channel when its routes are
/// known, and holds the output virtual channel until its tail has left.
struct alignas(64) InputVc : FlitRing {
  FlitRing* out = nullptr;  ///< active: the buffer at the far end
  Cycle ready = 0;          ///< routing: the routes' time, `never` if open; active: the first cycle of SA
  Cycle since = 0;          ///< the last movement, or the head's coming to the front
  PacketIndex packet = 0;
  std::uint16_t sequence = 0;  ///< of the flit that is due at the front
  std::uint16_t number = 0;    ///< among all inputs; its line on the router's board
  std::uint8_t port = 0;
  std::uint8_t out_port = 0, out_vc = 0;
  std::uint8_t candidates = 0;  ///< of the packet
  VcState state = VcState::idle;
  bool reported = false;  ///< as blocked

  /// As a part of its router, for all of them.
  static std::string stands_for() { return "input virtual channels: buffer and state of a packet each"; }

  RouteComputation::Input route_input() const { return {number, port, vc}; }
  /// The flit at the front is the next one of the packet.
  bool front_is_due() const { return front().holds(packet, sequence); }
  /// The packet is here, and its head still is.
  bool head_waits() const { return state != VcState::idle && !head_left(); }
  bool head_left() const { return state == VcState::active && sequence != 0; }

  void begin(PacketIndex next, Cycle now) {
    packet = next;
    sequence = 0;
    since = now;
    reported = false;
    state = VcState::routing;
  }
  void wait() { state = VcState::waiting; }
  void hold(FlitRing& far_end, unsigned of_port, unsigned of_vc, Cycle from) {
    state = VcState::active;
    out = &far_end;
    out_port = static_cast<std::uint8_t>(of_port);
    out_vc = static_cast<std::uint8_t>(of_vc);
    ready = from;
  }
  void flit_left(Cycle now) {
    ++sequence;
    since = now;
  }
  void finish() { state = VcState::idle; }
};
static_assert(sizeof(InputVc) == 64);

}  // namespace tsuji::router
