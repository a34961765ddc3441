// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/arena.h"
#include "tsuji/core/packet.h"
#include "tsuji/link/flit_channel.h"

// One direction of a link whose ends do not share a ring: each end has a channel, and the two channels are
// connected by pins. The sender's channel keeps the credits, the receiver's channel the buffer. Both classes
// below are driven from outside, by modules (flit_pin_modules.h) or by a test.

namespace tsuji {

/// Values of the forward pins in one cycle: a flit whose first word is on the wires, or none.
struct PinFlit {
  bool valid = false;      ///< the pins carry a flit; false: the other pins have no meaning
  bool head = false,       ///< the flit is the first of its packet
      tail = false;        ///< the flit is the last of its packet
  std::uint8_t vc = 0;     ///< virtual channel of the flit
  PacketIndex packet = 0;  ///< index of the flit's packet in the PacketPool
};

/// Configuration of the sender's channel for a link configured as `direct`: a flit reaches the pins in the
/// cycle of its departure.
FlitChannelConfig channel_to_pins(const FlitChannelConfig& direct);

/// Receiving end of a sender's channel (channel_to_pins): puts the flits on pins. Each flit keeps its slot in
/// the channel until its credit returns over the pins.
///
/// Contract: `self` is woken for every cycle in which a flit reaches the pins. In each of these cycles
/// drive(now) is called once. take_credits(now) is called in every cycle in which a credit pin is set.
class FlitPinDriver {
 public:
  /// `self` is woken for every cycle in which a flit reaches the pins.
  FlitPinDriver(FlitChannel& channel, const Waker& self, Arena& arena);

  /// Returns the pins in cycle `now`. ModelError if an earlier cycle was missed, or if two flits reach the
  /// pins in one cycle.
  PinFlit drive(Cycle now);
  /// Reads the credit pins of cycle `now`, one bit per virtual channel: a slot of the virtual channel was
  /// freed in cycle `now` - 1. The earliest credit of a flit is in the cycle in which the flit is on the
  /// pins. ModelError for a credit without a flit.
  void take_credits(Cycle now, std::uint32_t vcs);

 private:
  FlitChannel& channel_;
  ArrivalCalendar calendar_;
  /// [vc]: flits that have left by the pins and whose credits have not returned.
  std::vector<std::uint16_t> gone_;
};

/// Sending end of a receiver's channel, which has the latencies of a direct link: flits come from pins, and a
/// credit is on the pins one cycle after its slot was freed. The sampler is the channel's probe, to see freed
/// slots; it calls the probe that was set before it, and a probe set later must call the sampler.
///
/// Contract: `self` is woken for every cycle in which a credit pin is set; credits(now) is read in each of
/// these cycles. take(now, flit) is called once a cycle in which `flit.valid`.
class FlitPinSampler final : private FlitProbe {
 public:
  /// `self` is woken for every cycle in which a credit pin is set.
  FlitPinSampler(FlitChannel& channel, const Waker& self, Arena& arena);
  FlitPinSampler(const FlitPinSampler&) = delete;
  FlitPinSampler& operator=(const FlitPinSampler&) = delete;

  /// Reads the forward pins of cycle `now`. ModelError for a virtual channel that does not exist and for a
  /// flit without a credit.
  void take(Cycle now, const PinFlit& flit);
  /// Returns the credit pins in cycle `now`, one bit per virtual channel.
  std::uint32_t credits(Cycle now) const;

 private:
  void on_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure,
               Cycle ready) override;
  void on_credit(const FlitChannel& channel, unsigned vc, Cycle now, Cycle usable) override;

  /// Virtual channels with a slot that was freed in `cycle`, one bit each.
  struct Freed {
    Cycle cycle = 0;
    std::uint32_t vcs = 0;
  };
  FlitChannel& channel_;
  const Waker self_;
  FlitProbe* const behind_;
  ArrivalCalendar calendar_;
  FlitSender sender_;
  /// Indexed by cycle % 2, so that the order of modules within a cycle does not matter.
  std::array<Freed, 2> freed_;
  std::vector<std::uint16_t> sequence_;  ///< [vc]: sequence number of the next flit
};

}  // namespace tsuji
