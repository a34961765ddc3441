// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/network/dense/mask_router.h"

// Definitions of MaskRouter: heads and flits that cross by prediction.

namespace tsuji::network::dense {

/// Trains the predictors with routes that are known from this cycle on.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::learn(Mask routed) {
  if (!prediction_->learns()) return;
  for (; routed != 0; routed &= routed - 1) {
    const unsigned number = lowest(routed);
    const InputVc& vc = vcs_[number];
    if (vc.candidates != 0)
      prediction_->learn(vc.input->port, shared_->pool.at(vc.packet).destination,
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
  const unsigned port = vc.input->port;
  if (rc_cycles<more>() == 0) {
    if (vc.candidates == 0) return false;
    prediction_->learn(port, packet.destination, candidates_of(number)->port);
  }
  if (!prediction_->admits(port)) {
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
  PredictionTry& one = *tries.end++;
  one = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(port),
         static_cast<std::uint8_t>(wanted), static_cast<std::uint8_t>(out_vc), false};
  one.right = prediction_->in_time() && is_right(number, one);
  return true;
}

/// Flits cross by prediction, after all requests of the cycle are known.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::settle(PredictionTries& tries, Requests& requests,
                                                            const Moment& at) {
  ask_for_held(requests, at.now);
  if (tries.end == tries.list && prediction_->kept() == 0) return;  // nothing crosses or is lost
  const Mask lost = lost_vcs(at.now);
  const Failed failed = failed_tries(tries, true, at.now);
  if ((lost | failed.lost | failed.wrong) != 0) hold_back<more>(lost, failed, tries, requests, at);
  for (Mask rest = ready() & prediction_->kept(); rest != 0; rest &= rest - 1) {
    InputVc& vc = vcs_[lowest(rest)];
    prediction_->cross_kept(vc.input->port, port_of(vc.served), at.now);
    leave<false, true>(vc, lowest_bit(rest), at, prediction_->lead_cycles());
  }
  for (const PredictionTry* one = tries.list; one != tries.end; ++one) cross_predicted<more>(*one, at);
}

/// Reports the known real requests of the cycle.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::ask_for_held(const Requests& requests, Cycle now) {
  std::uint64_t inputs = 0, outputs = 0;
  for (Mask rest = ready() & ~prediction_->kept(); rest != 0; rest &= rest - 1) {
    const InputVc& vc = vcs_[lowest(rest)];
    inputs |= bit(vc.input->port);
    outputs |= bit(port_of(vc.served));
  }
  for (const Request* one = requests.list; one != requests.end; ++one) {
    inputs |= bit(vcs_[one->input_vc].input->port);
    outputs |= bit(one->port);
  }
  if (outputs != 0) prediction_->request_all(inputs, outputs, now);
}

/// Input virtual channels that lose their output: it is requested, or a flit that won the switch crosses
/// there.
template <class Mask>
[[gnu::always_inline]] inline Mask MaskRouter<Mask>::lost_vcs(Cycle now) {
  Mask lost = 0;
  const Mask kept = prediction_->kept();
  if (const std::uint64_t inputs = prediction_->take_dropped(); inputs != 0) {
    for (Mask rest = kept; rest != 0; rest &= rest - 1)
      if ((inputs & bit(vcs_[lowest(rest)].input->port)) != 0) lost |= lowest_bit(rest);
  }
  if (prediction_->others_cross(now)) {
    for (Mask rest = ready() & kept; rest != 0; rest &= rest - 1) {
      const InputVc& vc = vcs_[lowest(rest)];
      if (!prediction_->holds(vc.input->port, port_of(vc.served), now)) lost |= lowest_bit(rest);
    }
  }
  return lost;
}

/// The route is compared only if the output is still held; otherwise the try is lost anyway.
template <class Mask>
[[gnu::always_inline]] inline typename MaskRouter<Mask>::Failed MaskRouter<Mask>::failed_tries(
    const PredictionTries& tries, bool first, Cycle now) const {
  Failed failed;
  for (const PredictionTry* one = tries.list; one != tries.end; ++one) {
    if (!prediction_->holds(one->port, one->out_port, now)) {
      failed.lost |= bit(one->port);
    } else if (first && !one->right) {
      failed.wrong |= bit(one->port);
    }
  }
  return failed;
}

/// Removes tries that fail. Their flits request the output in this cycle, by which further tries may fail.
template <class Mask>
template <unsigned more>
[[gnu::noinline]] void MaskRouter<Mask>::hold_back(Mask lost, Failed failed, PredictionTries& tries,
                                                   Requests& requests, const Moment& at) {
  do {
    drop<more>(failed, tries, at);
    if (pending_ != 0) request_vcs<more>(requests, at.now);
    go_by_switch(lost);
    ask_for_held(requests, at.now);
    lost = lost_vcs(at.now);
    failed = failed_tries(tries, false, at.now);
  } while ((lost | failed.lost) != 0);
}

/// Their heads continue with the stages of the router.
template <class Mask>
template <unsigned more>
void MaskRouter<Mask>::drop(Failed failed, PredictionTries& tries, const Moment& at) {
  using router::PredictionOutcome;
  PredictionTry* left = tries.list;
  for (const PredictionTry* one = tries.list; one != tries.end; ++one) {
    const Bits port = bit(one->port);
    if (((failed.lost | failed.wrong) & port) == 0) {
      *left++ = *one;
      continue;
    }
    prediction_->give_up(one->port);
    prediction_->count(one->port,
                       (failed.wrong & port) != 0 ? PredictionOutcome::wrong : PredictionOutcome::lost);
    if (shared_->counts_waits) watched_->waits[one->input_vc].let_down();
    await_route<more>(one->input_vc, at);
  }
  tries.end = left;
}

/// From now on the packets of these input virtual channels request the switch.
template <class Mask>
void MaskRouter<Mask>::go_by_switch(Mask input_vcs) {
  prediction_->stop_keeping(input_vcs);
  for (; input_vcs != 0; input_vcs &= input_vcs - 1)
    prediction_->give_up(vcs_[lowest(input_vcs)].input->port);
}

/// ST only: a head takes the output virtual channel that was reserved for its input.
template <class Mask>
template <unsigned more>
[[gnu::always_inline]] inline void MaskRouter<Mask>::cross_predicted(const PredictionTry& one,
                                                                     const Moment& at) {
  const Cycle lead_cycles = prediction_->lead_cycles();
  if (rc_cycles<more>() != 0 && prediction_->learns())
    prediction_->learn(one.port, shared_->pool.at(vcs_[one.input_vc].packet).destination, one.out_port);
  prediction_->hit(one, rc_cycles<more>() + shared_->va_cycles + lead_cycles, at.now);
  hold(one.input_vc, one.out_port, one.out_vc);
  active_ |= vc_bit(one.input_vc);
  if ((more & RouterShared::shows) != 0) show_crossing(one, at);
  leave<false, true>(vcs_[one.input_vc], vc_bit(one.input_vc), at, lead_cycles);
}

template <class Mask>
void MaskRouter<Mask>::show_crossing(const PredictionTry& one, const Moment& at) {
  const InputVc& vc = vcs_[one.input_vc];
  const Cycle lead_cycles = prediction_->lead_cycles();
  HeadDeparture head;
  head.packet = vc.packet;
  head.departure = at.now + shared_->depart_after - lead_cycles;
  head.ready = at.now + vc.output->wire.cycles - lead_cycles;
  head.to_node = vc.output->to_node;
  shared_->watch[home_->thread()]->crosses_router(head, at.now);
}

}  // namespace tsuji::network::dense
