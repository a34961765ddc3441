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
    copies_[vc].flits = static_cast<unsigned>(
        std::count_if(slots, slots + depth, [](const FlitSlot& slot) { return slot.holds_flit(); }));
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

void LaneCrossing::exchange(Cycle last) {
  for (unsigned vc = 0; vc < channel_.vcs(); ++vc) {
    Copy& copy = copies_[vc];
    FlitRing& ring = channel_.ring(vc);
    // Before the credits: a slot is a flit in one ring and free in the other only since the last exchange.
    const unsigned flits = copy.flits;
    pass_flits(copy, ring, last);
    if (flits != 0) take_credits(copy, ring);
  }
}

/// Copies the slots that the sender has filled. Equal positions mean none, or all of a ring that was empty.
void LaneCrossing::pass_flits(Copy& copy, FlitRing& ring, Cycle last) {
  unsigned count = ring.places(ring.write, copy.ring.write);
  if (count == 0 && copy.flits == 0 && copy.ring.back().holds_flit()) count = ring.depth();
  copy.flits += count;
  for (; count != 0; --count) {
    FlitSlot& slot = ring.back();
    slot = copy.ring.slots[&slot - ring.slots];
    ring.pass_back();
    channel_.announce(last, ring, slot.cycle());
  }
}

/// Copies the slots that the receiver has freed. Equal positions mean none, or all of a ring that was full.
void LaneCrossing::take_credits(Copy& copy, const FlitRing& ring) {
  unsigned count = ring.places(copy.ring.read, ring.read);
  if (count == 0 && copy.flits == ring.depth() && !ring.front().holds_flit()) count = ring.depth();
  copy.flits -= count;
  for (; count != 0; --count) {
    FlitSlot& slot = copy.ring.front();
    slot = ring.slots[&slot - copy.ring.slots];
    copy.ring.pass_front();
    channel_.wake_watcher(copy.ring, slot.cycle() - ring.credit_after, slot.cycle());
  }
}

}  // namespace tsuji
