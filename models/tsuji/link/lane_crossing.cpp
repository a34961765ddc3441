// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/lane_crossing.h"

#include <algorithm>
#include <cstddef>

namespace tsuji {

LaneCrossing::LaneCrossing(FlitChannel& channel, Arena& arena)
    : channel_(channel), copies_(arena.array<Copy>(channel.vcs())) {
  const unsigned depth = channel.depth_flits();
  auto* slots = arena.array<FlitSlot>(std::size_t{channel.vcs()} * depth);
  for (unsigned vc = 0; vc < channel.vcs(); ++vc, slots += depth) {
    FlitRing& ring = channel.ring(vc);
    std::copy_n(ring.slots, depth, slots);
    copies_[vc].ring = ring;
    copies_[vc].ring.slots = slots;
    copies_[vc].at_sender = copies_[vc].at_receiver = ring.flits_held();
    // The sender's copy has the watch, and the receiver counts.
    copies_[vc].ring.listeners &= static_cast<std::uint16_t>(~FlitRing::counted);
    ring.listeners &= FlitRing::counted;
  }
  FlitSender& sender = *channel.sender_;
  sender.first_ = &copies_->ring;
  sender.stride_bytes_ = sizeof(Copy);
  channel.crossed_ = true;
  channel.set_probe(channel.probe());
}

// Credits first: arrivals may fill the slots from which they are read.
void LaneCrossing::exchange(Cycle last) {
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    visit_freed(vc, [&](Cycle usable) { credit(vc, usable); });
    visit_sent(vc, [&](const FlitSlot& slot) { arrive(vc, slot, last); });
  }
}

}  // namespace tsuji
