// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/core/packet.h"
#include "tsuji/link/flit_channel.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/route_computation.h"

namespace tsuji::router {

/// An input virtual channel: its buffer, and the state of the packet at the front (Dally and Towles, section
/// 16.1: G, R, O, P, C). Size: one cache line, without the slots of the buffer.
///
///           begin()            wait()             hold()              finish()
///     idle --------> routing --------> waiting ---------> active ------------> idle
///           head at           route is          output VC         tail has left
///           the front         known             allocated
struct alignas(64) InputVc : FlitRing {
  FlitRing* out = nullptr;  ///< active: the downstream buffer
  /// In state routing: cycle from which the route is known, `never` if open; in active: first cycle of SA.
  Cycle ready = 0;
  Cycle since = 0;  ///< cycle of the last movement, or of the head's arrival at the front
  PacketIndex packet = 0;
  std::uint16_t sequence = 0;  ///< sequence number of the flit expected at the front
  std::uint16_t number = 0;    ///< index among all inputs, and event bit in the router's arrival calendar
  std::uint8_t port = 0;
  std::uint8_t out_port = 0, out_vc = 0;
  std::uint8_t candidates = 0;  ///< number of route candidates of the packet
  VcState state = VcState::idle;
  bool reported = false;  ///< the head was reported as blocked

  /// Describes all input virtual channels of the router, which are one entry in the list of parts.
  static std::string stands_for() { return "input virtual channels: buffer and state of a packet each"; }

  RouteComputation::Input route_input() const { return {number, port, vc}; }
  /// Returns true if the flit at the front is the next one of the packet.
  bool front_is_due() const { return front().holds(packet, sequence); }
  /// Returns true if there is a packet and its head has not left.
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
