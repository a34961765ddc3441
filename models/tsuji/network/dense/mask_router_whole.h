// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "tsuji/network/dense/mask_router.h"

// Definitions of MaskRouter: packets that cross whole, as in router::PacketVcRouter. A head that wins the
// switch in cycle s takes the flits of its packet along: flit i leaves in s + i, since its credit is there
// (the packet fits), it has arrived (it follows the head without a pause) and nothing else uses the input or
// the output.
//
//     cycle       s               s + 1 ... s + flits - 1     s + flits
//     switch      head wins       input and output are held   free
//     work        leave_whole()   none                        end_packets(), if anything waits for it

namespace tsuji::network::dense {

template <class Mask>
void MaskRouter<Mask>::take_packet_credits(Mask credits, Cycle now) {
  for (; credits != 0; credits &= credits - 1) {
    PacketCredits& vc = whole_->credits[lowest(credits)];
    if (seldom(!vc.arrive(now, shared_->buffers.places, shared_->buffers.depth)))
      fail(now, "an output virtual channel gets credits that no packet has taken");
  }
  pending_ |= parked_;
  parked_ = 0;
}

/// Packets whose last flit has left before this cycle release their outputs: first of all, since heads
/// request what they release.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::end_packets(Cycle now) {
  for (Mask rest = whole_->crossing; rest != 0; rest &= rest - 1) {
    const InputVc& vc = vcs_[lowest(rest)];
    if (vc.since >= now) continue;
    whole_->crossing ^= lowest_bit(rest);
    release(vc, lowest_bit(rest), output_of(vc));
  }
  if (seldom(whole_->fits_at <= now)) {
    whole_->fits_at = never;
    pending_ |= parked_;
    parked_ = 0;
  }
}

/// Input virtual channels whose input or output a packet holds.
template <class Mask>
[[gnu::always_inline]] inline Mask MaskRouter<Mask>::held_back() const {
  Mask held = 0;
  for (Mask rest = whole_->crossing; rest != 0; rest &= rest - 1) {
    const InputVc& vc = vcs_[lowest(rest)];
    held |= of_input(vc) | output_of(vc).holders;
  }
  return held;
}

/// Input virtual channels that request the switch.
template <class Mask>
[[gnu::always_inline]] inline Mask MaskRouter<Mask>::asking_packets() const {
  const Mask asking = active_ & ~whole_->crossing;
  return asking == 0 ? asking : asking & ~held_back();
}

template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::leave_whole(InputVc& vc, Mask number, Output& output,
                                                                 const Moment& at) {
  const unsigned flits = vc.left;
  Input& input = input_of(vc);
  if (seldom(!whole_->credits[&out_vc_of(vc) - out_].take(flits, at.now)))
    fail(at.now, vc.packet, "leaves without a credit for each of its flits");
  if (vc.held.take(one_)) flits_ ^= number;
  vc.since = at.now + flits - 1;
  vc.left = 0;
  input.last = output.last = vc.served;
  output.flits += flits;
  input.credits.send(at, vc.credit_bit);
  output.wire.send(at, out_vc_of(vc).far_bit);
  home_->note(vc.since + std::max(output.wire.cycles, input.credits.cycles));
  whole_->crossing |= number;
}

/// A parked head requests again in the first cycle in which a free output virtual channel has its credits.
template <class Mask>
void MaskRouter<Mask>::await_credits(unsigned number, Cycle now) {
  const InputVc& vc = vcs_[number];
  const unsigned needed = Choice{*this, vc, now}.needed();
  for (unsigned c = 0; c < vc.candidates; ++c) {
    const RouteCandidate& candidate = candidates_of(number)[c];
    const Output& output = outputs_[candidate.port];
    for (unsigned vcs = candidate.vcs & output.free_vcs; vcs != 0; vcs &= vcs - 1) {
      const Cycle fits = whole_->credits[output.first + lowest(vcs)].when(needed, now);
      if (fits > now) whole_->fits_at = std::min(whole_->fits_at, fits);
    }
  }
}

/// Credits of an output virtual channel as of the end of the cycle before `now`, with those that later flits
/// of a packet take that crosses.
template <class Mask>
unsigned MaskRouter<Mask>::whole_credits(unsigned out, Cycle now) const {
  const PacketCredits& credits = whole_->credits[out];
  const unsigned before = credits.at(now) - credits.returning(now);
  if ((out_[out].holder & whole_->crossing) == 0) return before;
  const Cycle last = vcs_[lowest(out_[out].holder)].since;
  return before + static_cast<unsigned>(last + 1 - now);
}

/// First cycle after the last flit of one of the packets that cross.
template <class Mask>
Cycle MaskRouter<Mask>::first_end() const {
  Cycle first = never;
  for (Mask rest = whole_->crossing; rest != 0; rest &= rest - 1)
    first = std::min(first, vcs_[lowest(rest)].since + 1);
  return first;
}

/// Returns true if the router has something to do in the next cycle. Plans a wake-up for awaited credits, and
/// for the end of a packet that a head waits for; the next run notices other ends.
template <class Mask>
[[gnu::always_inline]] inline bool MaskRouter<Mask>::goes_on(const Moment& at) {
  if ((pending_ | routed_) != 0) return true;
  const Mask asking = active_ & ~whole_->crossing;
  if (asking != 0 && (asking & ~held_back()) != 0) return true;
  Cycle next = parked_ != 0 ? whole_->fits_at : never;
  if ((asking | parked_ | (flits_ & whole_->crossing)) != 0) next = std::min(next, first_end());
  if (next == at.now + 1) return true;
  if (next != never && next != whole_->planned_at) {
    whole_->planned_at = next;
    home_->wake_at(at, next, unit_);
  }
  return false;
}

}  // namespace tsuji::network::dense
