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

/// The last flit of a packet has left: it releases its input and its output.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::end_packet(unsigned number) {
  const InputVc& vc = vcs_[number];
  Output& output = output_of(vc);
  whole_->crossing ^= vc_bit(number);
  whole_->of_held_inputs &= ~of_input(vc);
  whole_->of_held_outputs &= ~output.holders;
  release(out_vc_of(vc), vc_bit(number), output, vc.next);
}

/// Packets whose last flit has left before this cycle end: first of all, since heads request what they
/// release.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::end_packets(Cycle now) {
  if (whole_->first_end <= now) {
    Cycle first = never;
    for (Mask rest = whole_->crossing; rest != 0; rest &= rest - 1) {
      const Cycle end = vcs_[lowest(rest)].since + 1;
      if (end <= now) {
        end_packet(lowest(rest));
      } else {
        first = std::min(first, end);
      }
    }
    whole_->first_end = first;
  }
  if (seldom(whole_->fits_at <= now)) {
    whole_->fits_at = never;
    pending_ |= parked_;
    parked_ = 0;
  }
}

/// A head has been granted a virtual channel of an output that a packet may cross to.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::hold_whole(unsigned number, unsigned out) {
  const InputVc& vc = vcs_[number];
  whole_->credits[out].push(vc.left, shared_->buffers.places);
  if ((output_of(vc).holders & whole_->crossing) != 0) whole_->of_held_outputs |= vc_bit(number);
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
  whole_->of_held_inputs |= input.own;
  whole_->of_held_outputs |= output.holders;
  whole_->first_end = std::min(whole_->first_end, vc.since + 1);
}

/// Those of the free virtual channels `vcs` of an output that have the credits that a head needs.
template <class Mask>
[[gnu::always_inline]] inline VcMask MaskRouter<Mask>::fitting(const InputVc& vc, const Output& output,
                                                               VcMask vcs, Cycle now) const {
  const unsigned needed = Choice{*this, vc, now}.needed();
  const PacketCredits* const credits = whole_->credits + output.first;
  for (unsigned rest = vcs; rest != 0; rest &= rest - 1)
    if (credits[lowest(rest)].at(now) < needed) vcs = static_cast<VcMask>(vcs ^ lowest_bit(rest));
  return vcs;
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

/// Returns true if the router has something to do in the next cycle. Plans a wake-up for awaited credits, and
/// for the end of a packet that a head waits for; the next run notices other ends.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline bool MaskRouter<Mask>::goes_on(const Moment& at) {
  if ((routes_last(more) ? pending_ : pending_ | routed_) != 0) return true;
  if (asking_packets() != 0) return true;
  Cycle next = parked_ != 0 ? whole_->fits_at : never;
  const Mask waiting = (active_ & ~whole_->crossing) | (flits_ & whole_->crossing) | parked_;
  if (waiting != 0) next = std::min(next, whole_->first_end);
  if (next == at.now + 1) return true;
  if (next != never && next != whole_->planned_at) {
    whole_->planned_at = next;
    home_->wake_at(at, next, unit_);
  }
  return false;
}

}  // namespace tsuji::network::dense
