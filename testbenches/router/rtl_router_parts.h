// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "router/rtl_router.h"

// For the sources of RtlRouter alone.

namespace tsuji::bench {

/// A head that waits at an input.
routing::RouteQuery query_of(const graph::PortRef& at, unsigned vc, const Packet& packet, std::uint64_t seed);

/// No virtual channel.
constexpr unsigned no_vc = ~0U;

/// Payload pins of a head, or of the flits after a head.
const RtlBits& payload_of(const RtlFlitPins& pins, bool head);

/// A packet's passage through the RTL, from its first flit's arrival to its last flit's departure.
struct RtlRouter::Inside {
  std::uint16_t came = 0, left = 0;  ///< flits so far
  bool here = false;
  Cycle head_came = 0;
  std::uint16_t hops = 0;  ///< routers that the head has passed before
  std::uint8_t in_port = 0, in_vc = 0, out_port = 0, out_vc = 0;
  RtlPacketShadow::Passage passage = 0;
  routing::RouteSet routes;  ///< candidates, computed when the head arrived
  /// Passage of the same packet that began before this one ended, on a path that is not minimal; or null.
  std::unique_ptr<Inside> again;

  bool holds_flits() const { return here && (left < came || (again && again->holds_flits())); }
};

/// A flit that the output pins show.
struct RtlRouter::OutFlit {
  bool head = false, tail = false;
  unsigned vc = 0;
  PacketIndex packet = 0;
  std::uint16_t sequence = 0;
  std::uint64_t payload = 0;
};

/// Flits of an input virtual channel whose slots the RTL has not yet returned as credits.
class RtlRouter::OpenPlaces {
 public:
  explicit OpenPlaces(unsigned depth_flits) : left_in_(depth_flits) {}
  unsigned flits() const { return flits_; }
  void enter() { ++flits_; }
  /// One of these flits has left by an output. The credit may have come first.
  void leave(Cycle now) {
    if (left_++ >= 0) left_in_[(first_ + static_cast<unsigned>(left_) - 1) % left_in_.size()] = now;
  }
  /// flits() is not 0.
  void credit() {
    --flits_;
    if (left_-- > 0) first_ = (first_ + 1) % left_in_.size();
  }
  /// Cycle in which the oldest of these flits left whose credit has not come; `never`: all are inside.
  Cycle oldest() const { return left_ > 0 ? left_in_[first_] : never; }

 private:
  std::vector<Cycle> left_in_;  ///< ring: from first_ on, cycles in which flits left
  std::size_t first_ = 0;
  unsigned flits_ = 0;
  int left_ = 0;  ///< flits that have left; negative if the credit came first
};

/// An output of the RTL without a link.
struct RtlRouter::DeadEnd {
  const RtlFlitPins* pins = nullptr;
  std::string name;  ///< "port 3"
};

/// Pins of one channel of a port.
struct RtlRouter::Lane {
  const RtlPortPins* pins = nullptr;
  unsigned first_vc = 0, vcs = 0;
  bool shows_head = false;  ///< the flit shown last at the input was a head
  // Without credits.
  unsigned shown = no_vc, turn = 0;   ///< virtual channel at the pins; of the flit taken last
  std::vector<std::uint64_t> was_on;  ///< [cycle modulo its size] virtual channels that were on

  std::uint64_t mask() const { return ((std::uint64_t{1} << vcs) - 1) << first_vc; }
  bool has(unsigned vc) const { return vc - first_vc < vcs; }
};

struct RtlRouter::Port {
  unsigned number = 0;      ///< port number in the network
  unsigned rtl = 0;         ///< port number of the RTL
  std::vector<Lane> lanes;  ///< [channel]
  FlitChannel* in = nullptr;
  FlitChannel* out = nullptr;
  bool to_node = false;
  std::unique_ptr<FlitPinDriver> driver;  ///< credits
  std::vector<std::uint16_t> sequence;    ///< [vc] of the next flit in
  std::vector<OpenPlaces> open;           ///< [vc]
  // Without credits.
  std::uint64_t offered = 0;           ///< virtual channels whose oldest flit has been shown, a bit each
  std::vector<std::uint64_t> payload;  ///< [vc] of the offered flit
  std::vector<unsigned> gone;          ///< [vc] held back: flits in the RTL whose credits have not come
  unsigned depth_flits = 0;  ///< held back: buffer of a virtual channel of the RTL; 0: not held back
  FlitSender sender;
  std::deque<std::pair<unsigned, Flit>>
      queue;                          ///< of several channels: flits that wait for the link, with their VCs
  std::vector<std::uint16_t> queued;  ///< [vc] of these
  std::deque<std::pair<Cycle, PinFlit>> late;  ///< flits that come to the pins later, not before a cycle
  /// [vc] cycles by which the next flit comes later, if it waits in the buffer, and the next place at the far
  /// end.
  std::vector<Cycle> flit_delay, place_delay;
  std::vector<std::uint16_t> taken;                  ///< [vc] downstream slots without a returned credit
  router::PredictionCounters predictions;            ///< of heads that came in by the port
  std::vector<std::pair<bool, PacketIndex>> holder;  ///< [vc] of the output: a packet whose tail has not left

  /// The pins of a virtual channel; of one that does not exist, of the last.
  const Lane& lane(unsigned vc) const { return lanes[channel_of(vc)]; }
  Lane& lane(unsigned vc) { return lanes[channel_of(vc)]; }
  std::size_t channel_of(unsigned vc) const {
    std::size_t channel = 0;
    while (channel + 1 < lanes.size() && !lanes[channel].has(vc)) ++channel;
    return channel;
  }
  /// First cycle in which a virtual channel of the far end has places for `count` flits beyond those that
  /// wait for the link.
  Cycle places_at(unsigned vc, unsigned count) const {
    const FlitRing& ring = sender.ring(vc);
    const unsigned all = queued[vc] + count;
    return all > ring.depth() ? never : ring.credits_at(all);
  }
};

}  // namespace tsuji::bench
