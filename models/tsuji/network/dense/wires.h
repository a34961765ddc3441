// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::network::dense {

using Bits = std::uint64_t;

constexpr Bits bit(unsigned number) {
  return Bits{1} << number;
}
inline unsigned lowest(Bits bits) {
  return static_cast<unsigned>(__builtin_ctzll(bits));
}

/// Arrivals at a unit, a router or a node, in one cycle: a bit for each virtual channel of its inputs that
/// gets a flit, and for each of its outputs that gets a credit. A link carries one flit and one credit a
/// cycle, so a bit suffices. A unit has a row for each of the next cycles: row `cycle & mask`.
struct Row {
  Bits flits = 0, credits = 0;
};

/// Wake-ups of the units of a neighbourhood: a row of bits for each cycle, one bit a unit.
class Home {
 public:
  static constexpr Cycle cycles = 512;  ///< cycle c uses row c % cycles
  static constexpr Cycle soon = ClockDomain::soon;

  void bind(const Waker& self) { self_ = self; }
  /// Lets a unit run in `cycle`, at most `soon` ahead.
  void wake(Cycle cycle, unsigned unit) {
    Bits& row = rows_[cycle % cycles];
    if (row == 0) self_.wake_soon(cycle);
    row |= bit(unit);
  }
  /// Lets a unit run in any later cycle.
  void wake_at(Cycle now, Cycle cycle, unsigned unit) {
    if (cycle - now <= soon) return wake(cycle, unit);
    wake_far(cycle, unit);
  }
  /// Lets a unit run in any later cycle; before the first cycle, too.
  void wake_far(Cycle cycle, unsigned unit) {
    far_.push_back({cycle, unit});
    if (cycle < far_at_) far_at_ = cycle;
    self_.wake_at(cycle);
  }
  /// Units that run in cycle `now`.
  Bits take(Cycle now) {
    Bits units = rows_[now % cycles];
    rows_[now % cycles] = 0;
    if (now >= far_at_) units |= take_far(now);
    return units;
  }

  /// In `cycle` a flit or a credit arrives, or VA ends.
  void note(Cycle cycle) {
    if (last_event_ < cycle) last_event_ = cycle;
  }
  /// Latest cycle of note().
  Cycle last_event() const { return last_event_; }

 private:
  struct Far {
    Cycle cycle;
    unsigned unit;
  };
  Bits take_far(Cycle now);

  std::array<Bits, cycles> rows_{};
  Cycle last_event_ = 0;
  Waker self_;
  Cycle far_at_ = never;  ///< earliest of `far_`
  std::vector<Far> far_;
};

/// One direction of a link, from a unit to the rows of the unit at its far end.
struct Wire {
  Row* rows = nullptr;  ///< null: no link
  Home* home = nullptr;
  std::uint16_t cycles = 0;  ///< from the decision to the cycle in which the far end acts
  std::uint8_t unit = 0;     ///< far end's bit in `home`

  void send_flit(Cycle now, Cycle mask, unsigned of_bit) const {
    rows[(now + cycles) & mask].flits |= bit(of_bit);
    home->wake(now + cycles, unit);
  }
  void send_credit(Cycle now, Cycle mask, unsigned of_bit) const {
    rows[(now + cycles) & mask].credits |= bit(of_bit);
    home->wake(now + cycles, unit);
  }
};

/// Virtual channel of an output, at its sender.
struct OutputVc {
  /// Queue of the packets whose heads are in the receiver's buffer or on the wires, in the receiver's memory:
  /// a ring of as many places as the buffer has flits. The flits after a head are only counted.
  PacketIndex* heads = nullptr;
  std::uint16_t credits = 0;
  std::uint16_t write = 0;   ///< place in `heads` of the next packet
  std::uint8_t holder = 0;   ///< input virtual channel of the packet that holds it
  std::uint8_t far_bit = 0;  ///< bit of Row::flits at the far end

  void push(PacketIndex packet, unsigned depth) {
    heads[write] = packet;
    write = static_cast<std::uint16_t>(write + 1U == depth ? 0 : write + 1U);
  }
};

/// Takes the packet at the front of a queue of heads. Returns traffic::no_packet if there is none.
inline PacketIndex pop_head(PacketIndex* heads, std::uint16_t& read, unsigned depth) {
  const PacketIndex packet = heads[read];
  heads[read] = traffic::no_packet;
  read = static_cast<std::uint16_t>(read + 1U == depth ? 0 : read + 1U);
  return packet;
}

}  // namespace tsuji::network::dense
