// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::network::dense {

/// Credits of a virtual channel whose packets leave both buffers without a pause
/// (RouterShared::passes_whole). One message returns the credits of a packet: the first comes with it, each
/// further one a cycle later. The credits of the next packet come after these.
class PacketCredits {
 public:
  /// `lengths`: memory for `places` packets, one more than the buffer has flits.
  void build(unsigned flits, std::uint16_t* lengths) {
    before_ = static_cast<std::int32_t>(flits);
    lengths_ = lengths;
  }

  /// Credits in a cycle that is at most one before that of the last message.
  unsigned at(Cycle now) const {
    return static_cast<unsigned>(before_ + static_cast<std::int32_t>(come(now)));
  }
  /// Credits that come in this cycle.
  unsigned returning(Cycle now) const { return come(now) - (now == 0 ? 0 : come(now - 1)); }
  /// First cycle in which there are `flits` credits, if no packet takes any; `never`: another message comes
  /// before.
  Cycle when(unsigned flits, Cycle now) const {
    const std::int32_t missing = static_cast<std::int32_t>(flits) - before_;
    if (missing <= 0) return now;
    if (missing > flits_) return never;
    return std::max(now, from_ + static_cast<Cycle>(missing) - 1);
  }

  /// A packet takes the virtual channel. Its credits come back after those of all before it.
  void push(unsigned flits, unsigned places) {
    lengths_[write_] = static_cast<std::uint16_t>(flits);
    advance(write_, places);
  }
  /// The flits of a packet leave one after the other. Returns false if there are not as many credits.
  [[nodiscard]] bool take(unsigned flits, Cycle now) {
    if (at(now) < flits) return false;
    before_ -= static_cast<std::int32_t>(flits);
    return true;
  }
  /// A message arrives. Returns false if it comes too early, or returns credits that no packet has taken.
  [[nodiscard]] bool arrive(Cycle now, unsigned places, unsigned depth) {
    const bool in_time = now >= from_ + flits_;
    before_ += flits_;
    flits_ = lengths_[read_];
    lengths_[read_] = 0;
    advance(read_, places);
    from_ = now;
    return in_time && flits_ != 0 && before_ + flits_ <= static_cast<std::int32_t>(depth);
  }

  /// Credits after the `messages` on the wires.
  unsigned whole(unsigned messages, unsigned places) const {
    auto credits = static_cast<unsigned>(before_ + flits_);
    for (unsigned message = 0; message < messages; ++message) credits += lengths_[(read_ + message) % places];
    return credits;
  }

 private:
  unsigned come(Cycle now) const { return static_cast<unsigned>(std::min<Cycle>(flits_, now + 1 - from_)); }
  static void advance(std::uint16_t& place, unsigned places) {
    place = place + 1U == places ? 0 : static_cast<std::uint16_t>(place + 1U);
  }

  Cycle from_ = 0;           ///< of the last message
  std::int32_t before_ = 0;  ///< those of messages before the last one, less what packets have taken
  std::uint16_t flits_ = 0;  ///< of the last message
  std::uint16_t read_ = 0, write_ = 0;
  std::uint16_t* lengths_ = nullptr;  ///< ring: flits of the packets whose credits have not begun to come
};

}  // namespace tsuji::network::dense
