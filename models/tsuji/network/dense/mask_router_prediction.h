// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/network/dense/mask_router.h"

// Definitions of MaskRouter: heads and flits that cross by prediction.

namespace tsuji::network::dense {

/// Trains the predictors with routes that are known from this cycle on.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::learn(Mask routed) {
  if (routed == 0 || !prediction_->learns()) return;
  for (; routed != 0; routed &= routed - 1) {
    const unsigned number = lowest(routed);
    const InputVc& vc = vcs_[number];
    if (vc.candidates != 0)
      prediction_->learn(input_of(vc).port, shared_->pool.at(vc.packet).destination,
                         candidates_of(number)->port);
  }
}

/// Virtual channel of the output that a packet can be allocated now, with a credit: that of the input's last
/// head if possible, otherwise the next one in turn. `no_port`: none.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline unsigned MaskRouter<Mask>::usable_vc(unsigned port, const Output& output,
                                                                   unsigned flits, Cycle now) const {
  const unsigned needed = reallocation<more>() == Reallocation::released      ? 1
                          : reallocation<more>() == Reallocation::packet_fits ? flits
                                                                              : shared_->buffers.depth;
  const unsigned vcs = lowest(~Bits{output.all_vcs});
  unsigned v = prediction_->last_vc(port);
  for (unsigned i = 0; i < vcs; ++i, ++v) {
    if (v >= vcs) v %= vcs;
    if ((output.free_vcs >> v & 1U) != 0 && out_[output.first + v].credits.at_least(needed, one_) &&
        prediction_->leaves_last(output.first + v, now))
      return v;
  }
  return router::no_port;
}

/// Returns true if the head's route has the output and virtual channel of the guess.
template <class Mask>
[[gnu::always_inline]] inline bool MaskRouter<Mask>::is_right(unsigned number,
                                                              const PredictionTry& one) const {
  const Output& output = outputs_[one.out_port];
  const router::VcRouterConfig& config = shared_->config.router;
  if (one.out_port == one.port && !(output.to_node ? config.uturn_node : config.uturn_network)) return false;
  const RouteCandidate* const own = candidates_of(number);
  for (unsigned c = 0; c < vcs_[number].candidates; ++c)
    if (own[c].port == one.out_port && (own[c].vcs >> one.out_vc & 1U) != 0) return true;
  return false;
}

/// A head has requested its route. Returns true if it may cross in this cycle by prediction. A guess whose
/// route is not known in time counts as wrong, like one without a route.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline bool MaskRouter<Mask>::predict(unsigned number, const Packet& packet,
                                                             const routing::RouteSet& routes, Cycle now,
                                                             PredictionTries& tries) {
  using router::PredictionOutcome;
  const InputVc& vc = vcs_[number];
  const unsigned port = input_of(vc).port;
  if (rc_cycles<more>() == 0) {
    if (vc.candidates == 0) return false;
    prediction_->learn(port, packet.destination, candidates_of(number)->port);
  }
  if ((of_input(vc) & tries.busy) != 0) {
    prediction_->count(port, PredictionOutcome::not_idle);
    return false;
  }
  const unsigned wanted = prediction_->wanted(port, routes, now);
  const unsigned out_vc =
      wanted == router::no_port ? wanted : usable_vc<more>(port, outputs_[wanted], packet.flits, now);
  if (out_vc == router::no_port) {
    prediction_->count(
        port, wanted == router::no_port ? PredictionOutcome::not_predicted : PredictionOutcome::no_room);
    prediction_->give_up(port);
    return false;
  }
  PredictionTry& one = tries.list[tries.count++];
  one = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(port),
         static_cast<std::uint8_t>(wanted), static_cast<std::uint8_t>(out_vc), false};
  one.right = prediction_->in_time() && is_right(number, one);
  return true;
}

/// Flits cross by prediction, after all requests of the cycle are known. Returns the input virtual channels
/// that request the switch.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline Mask MaskRouter<Mask>::settle(PredictionTries& tries, Requests& requests,
                                                            const Moment& at) {
  Prediction<Mask>& prediction = *prediction_;
  const Mask kept = prediction.kept(), ready = this->ready();
  Mask asking = ready & ~kept;
  const Asked asked = asked_of(asking, requests);
  prediction.request(asked.outputs, at.now);
  if (seldom(prediction.has_rivals())) ask_of_rivals(asked, at.now);
  if ((tries.count | kept) == 0) return asking;  // nothing crosses or is lost
  Mask crossing = ready & kept;
  const Mask lost = kept != 0 && prediction.may_lose(asked.input_vcs, at.now) ? lost_vcs(asked, at.now) : 0;
  Failed failed;
  if (tries.count != 0) failed = failed_tries(tries, true, at.now);
  if ((lost | failed.lost | failed.wrong) != 0) {
    asking |= hold_back<more>(lost, failed, tries, requests, at);
    crossing &= prediction.kept();
  }
  for (; crossing != 0; crossing &= crossing - 1) {
    InputVc& vc = vcs_[lowest(crossing)];
    prediction.cross_kept(input_of(vc).port);
    leave<false, more>(vc, lowest_bit(crossing), output_of(vc), at, prediction.lead_cycles());
  }
  for (const PredictionTry& one : tries) cross_predicted<more>(one, at);
  return asking;
}

/// Real requests: for the switch from `input_vcs`, and for virtual channels.
template <class Mask>
[[gnu::always_inline]] inline typename MaskRouter<Mask>::Asked MaskRouter<Mask>::asked_of(
    Mask input_vcs, const Requests& requests) const {
  Asked asked{input_vcs, 0};
  for (Mask rest = input_vcs; rest != 0; rest &= rest - 1)
    asked.outputs |= bit(port_of(vcs_[lowest(rest)].served));
  for (const Request* one = requests.list; one != requests.end; ++one) {
    asked.input_vcs |= vc_bit(one->input_vc);
    asked.outputs |= bit(one->port);
  }
  return asked;
}

template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::ask_of_rivals(Asked asked, Cycle now) {
  Bits inputs = 0;
  for (Mask rest = asked.input_vcs; rest != 0; rest &= rest - 1)
    inputs |= bit(input_of(vcs_[lowest(rest)]).port);
  if (inputs != 0) prediction_->request_of_rivals(inputs, asked.outputs, now);
}

/// Input virtual channels that lose the output that they keep.
template <class Mask>
[[gnu::noinline]] Mask MaskRouter<Mask>::lost_vcs(Asked asked, Cycle now) const {
  Mask lost = 0;
  for (Mask rest = prediction_->kept(); rest != 0; rest &= rest - 1) {
    const InputVc& vc = vcs_[lowest(rest)];
    const Mask one = lowest_bit(rest);
    if (prediction_->loses(one, of_input(vc), port_of(vc.served), asked.input_vcs, ready(), now)) lost |= one;
  }
  return lost;
}

/// The route is compared only if the output is still held; otherwise the try is lost anyway.
template <class Mask>
[[gnu::always_inline]] inline typename MaskRouter<Mask>::Failed MaskRouter<Mask>::failed_tries(
    const PredictionTries& tries, bool first, Cycle now) const {
  Failed failed;
  for (const PredictionTry& one : tries) {
    if (!prediction_->holds(one, now)) {
      failed.lost |= bit(one.port);
    } else if (first && !one.right) {
      failed.wrong |= bit(one.port);
    }
  }
  return failed;
}

/// Removes tries that fail. Their flits may request the output in this cycle, as those of input virtual
/// channels that lose theirs do, and by that further ones may fail. Returns the latter.
template <class Mask>
template <unsigned more>
[[gnu::noinline]] Mask MaskRouter<Mask>::hold_back(Mask lost, Failed failed, PredictionTries& tries,
                                                   Requests& requests, const Moment& at) {
  Mask asking = 0;
  do {
    drop<more>(failed, tries, at);
    if (pending_ != 0) {
      request_vcs<more>(requests, at.now);
    } else if (lost == 0) {
      break;
    }
    go_by_switch(lost);
    asking |= lost & ready();
    const Asked asked = asked_of(ready() & ~prediction_->kept(), requests);
    prediction_->request_too(asked.outputs, at.now);
    if (prediction_->has_rivals()) ask_of_rivals(asked, at.now);
    lost = prediction_->may_lose(asked.input_vcs, at.now) ? lost_vcs(asked, at.now) : 0;
    failed = failed_tries(tries, false, at.now);
  } while ((lost | failed.lost) != 0);
  return asking;
}

/// Their heads continue with the stages of the router.
template <class Mask>
template <unsigned more>
void MaskRouter<Mask>::drop(Failed failed, PredictionTries& tries, const Moment& at) {
  using router::PredictionOutcome;
  unsigned left = 0;
  for (const PredictionTry& one : tries) {
    const Bits port = bit(one.port);
    if (((failed.lost | failed.wrong) & port) == 0) {
      tries.list[left++] = one;
      continue;
    }
    prediction_->give_up(one.port);
    prediction_->count(one.port,
                       (failed.wrong & port) != 0 ? PredictionOutcome::wrong : PredictionOutcome::lost);
    if (shared_->counts_waits) watched_->waits[one.input_vc].let_down();
    await_route<more>(one.input_vc, at);
  }
  tries.count = left;
}

/// From now on the packets of these input virtual channels request the switch.
template <class Mask>
void MaskRouter<Mask>::go_by_switch(Mask input_vcs) {
  for (; input_vcs != 0; input_vcs &= input_vcs - 1) {
    const InputVc& vc = vcs_[lowest(input_vcs)];
    prediction_->stop_keeping(lowest_bit(input_vcs), of_input(vc), input_of(vc).port, port_of(vc.served));
  }
}

/// ST only: a head takes the output virtual channel that was reserved for its input.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::cross_predicted(const PredictionTry& one,
                                                                     const Moment& at) {
  const Cycle lead_cycles = prediction_->lead_cycles();
  if (rc_cycles<more>() != 0 && prediction_->learns())
    prediction_->learn(one.port, shared_->pool.at(vcs_[one.input_vc].packet).destination, one.out_port);
  prediction_->hit(one, of_input(vcs_[one.input_vc]), rc_cycles<more>() + shared_->va_cycles + lead_cycles);
  hold(one.input_vc, one.out_port, one.out_vc);
  active_ |= vc_bit(one.input_vc);
  if ((more & RouterShared::shows) != 0) show_crossing(one, at);
  leave<false, more>(vcs_[one.input_vc], vc_bit(one.input_vc), outputs_[one.out_port], at, lead_cycles);
}

template <class Mask>
void MaskRouter<Mask>::show_crossing(const PredictionTry& one, const Moment& at) {
  const InputVc& vc = vcs_[one.input_vc];
  const Cycle lead_cycles = prediction_->lead_cycles();
  HeadDeparture head;
  head.packet = vc.packet;
  head.departure = at.now + shared_->depart_after - lead_cycles;
  head.ready = at.now + output_of(vc).wire.cycles - lead_cycles;
  head.to_node = output_of(vc).to_node;
  shared_->watch[home_->thread()]->crosses_router(head, at.now);
}

}  // namespace tsuji::network::dense
