// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tsuji/link/flit_channel.h"

namespace tsuji::instruments {

/// The cycles from which a channel's credits can be used. Slots of a buffer are filled and freed in turn, so
/// each flit takes the oldest credit.
///
/// Contract: taken() for every flit, freed() for every credit.
class CreditTimes {
 public:
  explicit CreditTimes(const FlitChannel& channel) : rings_(channel.vcs()) {
    for (Ring& ring : rings_) ring.usable.resize(channel.depth_flits());
  }
  /// Cycle of the credit that a flit takes.
  Cycle taken(unsigned vc) {
    Ring& ring = rings_[vc];
    const Cycle usable = ring.usable[ring.write];
    ring.write = next(ring, ring.write);
    return usable;
  }
  void freed(unsigned vc, Cycle usable) {
    Ring& ring = rings_[vc];
    ring.usable[ring.read] = usable;
    ring.read = next(ring, ring.read);
  }

 private:
  struct Ring {
    std::vector<Cycle> usable;
    std::size_t write = 0, read = 0;
  };
  static std::size_t next(const Ring& ring, std::size_t slot) {
    return slot + 1 == ring.usable.size() ? 0 : slot + 1;
  }
  std::vector<Ring> rings_;
};

}  // namespace tsuji::instruments
