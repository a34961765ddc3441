// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/router/vc/full_vc_router.h"

// Prediction in the full driver: heads that try to cross, and flits that cross without switch allocation.

namespace tsuji::router {

/// Handles the prediction cases of an input VC before its pipeline stages run: flits still being received,
/// heads that hold an output while their route is computed, flits already forwarded speculatively.
bool FullVcRouter::look(InputVc& vc, Cycle now) {
  if (Prediction::Leak* const leak = prediction_->leak(vc)) {
    if (leak->goes_on) try_next_leak(vc, *leak, now);
    set_next(now + 1);
    return true;
  }
  const FlitSlot& front = vc.front();
  if (prediction_->early(vc.port) != 0 && front.holds_flit() && front.cycle() > now)
    return look_early(vc, front, now);
  if (vc.state == VcState::routing && vc.ready <= now && vc.candidates != 0) {
    const Packet& packet = pool_.at(vc.packet);
    learn_route(vc, packet);
    if (prediction_->recall(vc)) {
      routing::RouteSet routes;
      for (unsigned c = 0; c < vc.candidates; ++c)
        routes.add(va_.candidates(vc)[c].port, va_.candidates(vc)[c].vcs);
      if (try_head(vc, packet, &routes, now)) return true;
    }
  }
  return visit(vc, now);
}

/// A flit of which words are still to arrive: crosses in the cycle in which the first one arrives, or is
/// buffered.
bool FullVcRouter::look_early(InputVc& vc, const FlitSlot& front, Cycle now) {
  const Cycle first_word = front.cycle() - prediction_->early(vc.port);
  if (first_word > now)
    return !calendar_.announce(vc.number, now, first_word);  // the sender requests a wake-up for that cycle
  if (first_word == now && !front.killed() && try_early(vc, front, now)) return true;
  prediction_->give_up(vc);
  return await_last_word(vc);
}

bool FullVcRouter::await_last_word(const InputVc& vc) {
  set_next(vc.front().cycle());
  return true;
}

bool FullVcRouter::try_early(InputVc& vc, const FlitSlot& front, Cycle now) {
  if (vc.state == VcState::active)
    return vc.front_is_due() && vc.out->credit_at() <= now && prediction_->try_kept(vc);
  if (vc.state != VcState::idle || !front.head()) return false;
  const Packet& packet = pool_.at(front.packet());
  // The first word shows whether the head will go into recovery here.
  if (!may_predict(packet) || (recovers_ && timer_.too_many(packet.hops))) {
    prediction_->pass_by(vc);
    return false;
  }
  if (!prediction_->admits(vc)) return false;
  prediction_->remember(vc);
  return try_head(vc, packet, nullptr, now);
}

/// A head at the front has requested its route, which is `routes` if the time of the answer is known.
bool FullVcRouter::predict(InputVc& vc, const Packet& packet, const routing::RouteSet& routes, Cycle now) {
  // Its flits have leaked already: it waits for the answer.
  if (prediction_->leak(vc) != nullptr) return true;
  if (!may_predict(packet)) {
    prediction_->decline(vc, now);
    return false;
  }
  if (vc.ready <= now) {
    if (vc.candidates == 0) return false;
    learn_route(vc, packet);
  }
  // With words that pass, the head has tried when its first word arrived.
  const bool words_pass = prediction_->early(vc.port) != 0;
  if (!(words_pass ? prediction_->recall(vc) : prediction_->admits(vc))) {
    prediction_->count_not_idle(vc, now);
    return false;
  }
  if (words_pass) return false;
  if (config_.prediction.check == PredictionCheck::wait && vc.ready > now) {
    prediction_->remember(vc);
    return false;
  }
  // A wrong guess can be killed until the end of ST, and not later.
  const bool kills = config_.prediction.check == PredictionCheck::kill;
  const bool late = vc.ready == never || (kills && vc.ready > now + config_.st_cycles);
  return try_head(vc, packet, late ? nullptr : &routes, now);
}

/// A head tries to cross. `routes`: its candidates; null: they are foreseen if the configuration allows it,
/// otherwise the guess cannot be confirmed in time and counts as wrong.
bool FullVcRouter::try_head(const InputVc& vc, const Packet& packet, const routing::RouteSet* routes,
                            Cycle now) {
  const routing::RouteQuery query = routes_.query(vc.route_input(), packet);
  routing::RouteSet foreseen;
  if (routes == nullptr && config_.prediction.foresees()) routes_.foresee(query, foreseen, now);
  const bool asked = vc.state == VcState::routing;
  const bool known = config_.prediction.check != PredictionCheck::leak || (asked && vc.ready <= now);
  return prediction_->try_head(vc, {query, routes == nullptr ? foreseen : *routes, packet.flits, known}, now);
}

/// Reports the real requests of the cycle that are known so far.
void FullVcRouter::ask_for_held(Cycle now) {
  if (!switch_->any() && !va_.any_requests()) return;
  for (const VcRequest& request : va_.requests())
    prediction_->request(vcs_[request.input_vc], request.port, now);
  for (unsigned w = 0; w < calendar_.words(); ++w) {
    for (std::uint64_t input_vcs = requesting_[w]; input_vcs != 0; input_vcs &= input_vcs - 1) {
      const InputVc& vc = vcs_[w * 64 + static_cast<unsigned>(__builtin_ctzll(input_vcs))];
      prediction_->request(vc, vc.out_port, now);
    }
  }
}

void FullVcRouter::settle_tries(Cycle now) {
  if (!prediction_->any_tries()) return ask_for_held(now);
  prediction_->settle(
      now, [&] { ask_for_held(now); },
      [&](unsigned input_vc) {
        if (!go_on(vcs_[input_vc], now)) clear_event(vcs_[input_vc], now);
      },
      [&](const Prediction::Try& one) { cross_predicted(one, now); });
}

/// Continues with a flit whose try has failed.
bool FullVcRouter::go_on(InputVc& vc, Cycle now) {
  if (Prediction::Leak* const leak = prediction_->leak(vc)) {
    leak->goes_on = false;
    return true;
  }
  if (vc.front().cycle() > now) return await_last_word(vc);
  if (vc.state == VcState::routing) return await_route(vc, now);
  request_switch(vc);
  return false;
}

/// ST only: a head takes the output virtual channel that was reserved for its input.
void FullVcRouter::cross_predicted(const Prediction::Try& one, Cycle now) {
  InputVc& vc = vcs_[one.input_vc];
  if (!one.known || prediction_->leak(vc) != nullptr) return leak_flit(vc, one, now);
  if (one.head) {
    prediction_->recall(vc);
    const bool learned = vc.state == VcState::routing && vc.ready <= now;
    if (vc.state == VcState::routing && vc.ready != never && !learned) prediction_->save(vc, vc.ready - now);
    if (vc.state == VcState::idle) {
      vc.begin(vc.front().packet(), now);
      ++pool_.at(vc.packet).hops;
    } else if (vc.ready == never) {
      routes_.cancel(vc.number, now);
    }
    if (!learned) prediction_->learn(vc, pool_.at(vc.packet).destination, one.out_port);
    vc.hold(outputs_[one.out_port].sender.ring(one.out_vc), one.out_port, one.out_vc, now);
    outputs_[one.out_port].take(one.out_vc);
    tell(vc, HeadStage::crossing, now);
  }
  clear_event(vc, now);
  traverse_and_release(vc, now, prediction_->lead_cycles());
}

Prediction::Leak& FullVcRouter::begin_leak(const InputVc& vc, const Prediction::Try& one, Cycle now) {
  const PacketIndex index = vc.front().packet();
  Packet& packet = pool_.at(index);
  prediction_->recall(vc);
  outputs_[one.out_port].take(one.out_vc);
  Prediction::Leak& leak = prediction_->open_leak(one);
  pool_.hold(index);  // the packet may reach its destination before its route is known here
  leak.hops = packet.hops;
  leak.since = now;
  if (!one.right) return leak;
  if (vc.state == VcState::idle) ++packet.hops;
  if (probe_ != nullptr) probe_->on_stage(id_, vc.port, vc.vc, index, HeadStage::crossing, now);
  return leak;
}

/// Requests the route for a head that has left by a right guess. The packet's hop count and class may have
/// changed since, so the request has the values at the time of the crossing.
void FullVcRouter::ask_behind_leak(InputVc& vc, PacketIndex index, const Prediction::Leak& leak, Cycle now) {
  vc.begin(index, now);
  Packet asker = pool_.at(index);
  asker.hops = leak.hops;
  asker.packet_class = PacketClass::normal;
  routing::RouteSet routes;
  vc.ready = routes_.ask(vc.route_input(), asker, routes, now);
  if (vc.ready != never) va_.keep(vc, routes);
}

/// Sends a copy of the next flit, which remains in the buffer: live if the guess is right, dead otherwise.
void FullVcRouter::leak_flit(InputVc& vc, const Prediction::Try& one, Cycle now) {
  OutputPort& output = outputs_[one.out_port];
  Prediction::Leak& leak = one.head ? begin_leak(vc, one, now) : *prediction_->leak(vc);
  const FlitSlot& slot = vc.behind_front(leak.crossed);
  const std::uint32_t flit = slot.identity();
  output.sender.send(now, now - prediction_->lead_cycles(), output.sender.ring(one.out_vc),
                     leak.right ? flit : FlitSlot::killed(flit), slot.sequence());
  use_output(one.out_port, one.out_vc, now, prediction_->lead_cycles());
  if (!leak.right) prediction_->count_leaked(vc);
  ++leak.crossed;
  if (FlitSlot::tail(flit)) leak.goes_on = false;
  calendar_.set_busy(vc.number);
  set_next(now + 1);
}

/// Makes the route requests of leaking packets, and ends leaks whose answer has come. Runs before any input
/// is examined, because an output that is released wakes heads. Inputs that leak are examined in every cycle.
void FullVcRouter::follow_leaks(Cycle now) {
  prediction_->visit_leaks([&](Prediction::Leak& leak) {
    InputVc& vc = vcs_[*leak.input_vc];
    if (vc.state == VcState::idle && vc.front().cycle() <= now) {
      if (leak.right) {
        ask_behind_leak(vc, vc.front().packet(), leak, now);
      } else {
        compute_route(vc, vc.front(), now);
      }
    }
    if (vc.state == VcState::routing && vc.ready <= now) end_leak(vc, leak, now);
  });
}

void FullVcRouter::try_next_leak(const InputVc& vc, Prediction::Leak& leak, Cycle now) {
  const FlitSlot& next = vc.behind_front(leak.crossed);
  if (leak.crossed == vc.depth() || !next.holds(vc.front().packet(), leak.crossed)) return;
  const Cycle early = prediction_->early(vc.port);
  if (next.cycle() - early > now) return;
  const bool comes = early == 0 || next.cycle() - early == now;
  const bool credit = outputs_[leak.out_port].sender.ring(leak.out_vc).credit_at() <= now;
  leak.goes_on = comes && credit && prediction_->try_leak(vc, leak);
  if (!leak.goes_on) prediction_->give_up(vc);
}

/// The route is known. Right guess: the flits that have crossed leave the buffer. Wrong guess: the packet
/// starts again from the buffer.
void FullVcRouter::end_leak(InputVc& vc, Prediction::Leak& leak, Cycle now) {
  const Prediction::Leak ended = leak;
  const PacketRef held = pool_.attach(vc.packet);
  prediction_->close_leak(leak);
  OutputPort& output = outputs_[ended.out_port];
  if (!ended.right) {
    output.release(ended.out_vc);
    prediction_->give_up(vc);
    call_parked(now);
    // The head's time may be over already; it could not time out during the leak.
    if (recovers_) timer_.look_at(std::max(now + 1, timer_.over_at(vc.since)));
    return;
  }
  const routing::RouteCandidate* const first = va_.candidates(vc);
  if (std::none_of(first, first + vc.candidates, [&](const routing::RouteCandidate& candidate) {
        return candidate.port == ended.out_port && (candidate.vcs >> ended.out_vc & 1U) != 0;
      }))
    fail(now, vc.packet, "its flits were sent on a virtual channel that its look-up does not return");
  prediction_->learn(vc, pool_.at(vc.packet).destination, ended.out_port);
  prediction_->save(vc, now - ended.since - prediction_->early(vc.port));
  vc.hold(output.sender.ring(ended.out_vc), ended.out_port, ended.out_vc, now);
  for (unsigned f = 0; f < ended.crossed; ++f) pass_buffered(vc, now);
}

void FullVcRouter::visit_held_twice(const std::function<void(PacketIndex)>& visit) const {
  if (prediction_ == nullptr) return;
  prediction_->visit_leaks([&](const Prediction::Leak& leak) {
    for (unsigned f = 0; leak.right && f < leak.crossed; ++f) visit(vcs_[*leak.input_vc].front().packet());
  });
}

/// Removes a flit from the buffer that has crossed already.
void FullVcRouter::pass_buffered(InputVc& vc, Cycle now) {
  const bool tail = vc.front().tail();
  if (waits_ != nullptr) count_unsent(vc, now);
  ends_[vc.port].in->pop_known(now, vc);
  vc.flit_left(now);
  routes_.pass(vc.number);
  if (!tail) return;
  prediction_->may_be_quiet(vc);
  release_output_vc(vc);
  call_parked(now);
}

}  // namespace tsuji::router
