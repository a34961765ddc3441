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

// One direction of a link whose ends do not share a ring: a channel at each end, and pins between the two.
// The sender's channel keeps its credits, the receiver's channel its buffer. Both classes are driven from
// outside: by modules (flit_pin_modules.h), by a test.

namespace tsuji {

/// The forward pins in one cycle: a flit whose first word is on the wires, or none.
struct PinFlit {
  bool valid = false;
  bool head = false, tail = false;
  std::uint8_t vc = 0;
  PacketIndex packet = 0;
};

/// A direct channel's sending half, in front of the pins: a flit comes to them in the cycle in which it
/// departs.
FlitChannelConfig channel_to_pins(const FlitChannelConfig& direct);

/// The end of a sender's channel (channel_to_pins) at which flits go on by pins. Each keeps its place in the
/// channel until its credit comes by the pins.
class FlitPinDriver {
 public:
  /// `self` is woken for every cycle in which a flit comes to the pins.
  FlitPinDriver(FlitChannel& channel, const Waker& self, Arena& arena);

  /// The pins in cycle `now`. To be asked in every cycle for which `self` is woken; ModelError where one was
  /// missed, or two flits come at once.
  PinFlit drive(Cycle now);
  /// The credit pins had these bits in cycle `now`: a place of each of these virtual channels was freed in
  /// the cycle before. ModelError where no flit has taken one.
  void take_credits(Cycle now, std::uint32_t vcs);

 private:
  FlitChannel& channel_;
  ArrivalBoard board_;
  std::vector<std::uint16_t> gone_;  ///< flits of each virtual channel that wait for their credits
};

/// The beginning of a receiver's channel, which has the times of a direct one: flits come by pins, and
/// credits leave by pins in the cycle behind the one in which their places were freed. As the channel's probe
/// it hears of those; a probe that comes later is to call it.
class FlitPinSampler final : private FlitProbe {
 public:
  /// `self` is woken for every cycle in which a credit comes to the pins.
  FlitPinSampler(FlitChannel& channel, const Waker& self, Arena& arena);
  FlitPinSampler(const FlitPinSampler&) = delete;
  FlitPinSampler& operator=(const FlitPinSampler&) = delete;

  /// The pins had this value in cycle `now`. ModelError for a virtual channel that there is not, and for a
  /// flit without a credit.
  void take(Cycle now, const PinFlit& flit);
  /// The credit pins in cycle `now`, a bit a virtual channel. To be asked in every cycle for which `self` is
  /// woken.
  std::uint32_t credits(Cycle now) const;

 private:
  void on_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure,
               Cycle ready) override;
  void on_credit(const FlitChannel& channel, unsigned vc, Cycle now, Cycle usable) override;

  /// The places that were freed in one cycle.
  struct Freed {
    Cycle cycle = 0;
    std::uint32_t vcs = 0;
  };
  FlitChannel& channel_;
  const Waker self_;
  FlitProbe* const behind_;
  ArrivalBoard board_;
  FlitSender sender_;
  std::array<Freed, 2> freed_;           ///< by cycle % 2: the receiver's order in a cycle does not matter
  std::vector<std::uint16_t> sequence_;  ///< [vc]: of the next flit
};

}  // namespace tsuji
