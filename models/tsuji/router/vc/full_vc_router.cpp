// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/full_vc_router.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::router {
namespace {

bool looks_at_every_flit(const VcRouterConfig& config) {
  return config.route_at == RouteAt::arrival || config.switching == Switching::store_and_forward ||
         config.prediction.leaks();
}

SwitchShape switch_shape(const VcRouterConfig& config, const std::vector<RouterPort>& ports) {
  SwitchShape shape;
  shape.outputs = static_cast<unsigned>(ports.size());
  shape.inputs = shape.outputs * config.input_speedup;
  shape.vcs = 1;
  for (const RouterPort& port : ports)
    shape.vcs = std::max(shape.vcs, port.in == nullptr ? 0 : port.in->vcs());
  return shape;
}

}  // namespace

FullVcRouter::FullVcRouter(const VcRouterConfig& config, graph::RouterId id,
                           const std::vector<RouterPort>& ports, const RouterParts& parts)
    : VcRouter(config, id, ports, parts, looks_at_every_flit(config)),
      requesting_(parts.arena->array<std::uint64_t>(calendar_.words())),
      switch_(config.sa_allocators.make(config.sa_allocator, *parts.arena, switch_shape(config, ports))),
      holds_(config.switch_hold == SwitchHold::packet),
      flits_run_ahead_(config.prediction.leaks() || config.prediction.passes_words()) {
  if (holds_) {
    input_holders_ = parts.arena->array<const InputVc*>(ports.size() * config.input_speedup);
    output_holders_ = parts.arena->array<const InputVc*>(ports.size());
    crossing_.reserve(ports.size());
  }
  if (config.sa_allocators.traits(config.sa_allocator).keeps_contract) switch_->trust();
}

Cycle FullVcRouter::run_cycle(Cycle now) {
  next_ = never;
  begin_times(now);
  if (prediction_ != nullptr) {
    prediction_->begin(now);
    if (prediction_->any_leaks()) follow_leaks(now);
  }
  take_arrivals(now);  // RC, and requests for VA
  if (prediction_ != nullptr) settle_tries(now);
  // With va_cycles 0 a head is allocated an output and requests the switch in one cycle.
  if (config_.va_cycles == 0 && va_.any_requests()) allocate_vcs(now);
  if (!crossing_.empty()) cross_held(now);    // ST
  if (switch_->any()) allocate_switch(now);   // SA, ST
  if (va_.any_requests()) allocate_vcs(now);  // VA
  end_times(now);
  return next_;
}

void FullVcRouter::take_arrivals(Cycle now) {
  // The event bit of parked heads comes first, since it sets bits in all words.
  ArrivalCalendar::Column last = calendar_.column(calendar_.words() - 1);
  if ((last.take(now) & parked_bit_) != 0) {
    last.busy() &= ~parked_bit_;
    unpark();
  }
  for (unsigned w = 0; w < calendar_.words(); ++w) {
    ArrivalCalendar::Column column = calendar_.column(w);
    // An input VC with a pending switch request is examined when it is served.
    std::uint64_t done = requesting_[w], awaits_flit = 0;
    const std::uint64_t events = column.take(now);
    for (std::uint64_t rest = routes_.at_arrival() ? events & done : 0; rest != 0; rest &= rest - 1)
      if (scan(vcs_[w * 64 + static_cast<unsigned>(__builtin_ctzll(rest))], now))
        awaits_flit |= rest & (~rest + 1);
    for (std::uint64_t rest = events & ~done; rest != 0; rest &= rest - 1) {
      const auto input_vc = static_cast<unsigned>(__builtin_ctzll(rest));
      InputVc& vc = vcs_[w * 64 + input_vc];
      const bool visited = prediction_ == nullptr || (!flits_run_ahead_ && vc.state != VcState::routing);
      if (!(visited ? visit(vc, now) : look(vc, now))) done |= bit(input_vc);
    }
    column.busy() &= ~done | awaits_flit;
  }
}

bool FullVcRouter::compute_route(InputVc& vc, const FlitSlot& front, Cycle now) {
  if (!front.head()) out_of_order(now, vc, front);
  if (config_.switching == Switching::store_and_forward && !whole_packet_here(vc, front.packet(), now)) {
    // A tail on the wires may have set the event bit already: that of its first word, where words pass, and
    // that of an arrival beyond the calendar's rows, as a replay makes it.
    const FlitSlot& tail = vc.behind_front(pool_.at(front.packet()).flits - 1U);
    if (tail.holds_flit()) set_next(tail.cycle());
    return tail.holds_flit();
  }
  start_route_computation(vc, front, now);
  Packet& packet = pool_.at(vc.packet);
  watch(vc, packet, now);
  routing::RouteSet routes;
  if (!routes_.take_early(vc.number, vc.packet, vc.ready, routes))
    vc.ready = routes_.ask(vc.route_input(), packet, routes, now);
  if (vc.ready != never) va_.keep(vc, routes);
  expect_flits(vc, packet, now);
  const bool tries = prediction_ != nullptr && predict(vc, packet, routes, now);
  ++packet.hops;  // forget() decrements it again
  return tries || await_route(vc, now);
}

/// Returns true if the packet's last flit has arrived; flits arrive in order.
bool FullVcRouter::whole_packet_here(const InputVc& vc, PacketIndex packet, Cycle now) const {
  const unsigned flits = pool_.at(packet).flits;
  if (flits > vc.depth())
    fail(now, packet,
         "a packet of " + std::to_string(flits) + " flits in a buffer of " + std::to_string(vc.depth()));
  const FlitSlot& tail = vc.behind_front(flits - 1);
  return tail.holds_flit() && tail.cycle() <= now;
}

/// SA: the front flit requests the switch if it has an output and a credit.
bool FullVcRouter::await_switch(InputVc& vc, Cycle now) {
  if (vc.ready > now) {
    set_next(vc.ready);
    return true;
  }
  if (holds_ && switch_is_held(vc)) {
    set_next(now + 1);
    return true;
  }
  const Cycle credit = vc.out->credit_at();
  if (credit == never) {
    ends_[vc.out_port].out->watch_credit(vc.out_vc, vc.number);
    return false;
  }
  if (const Cycle at = credit > now ? credit : uses_ == nullptr ? 0 : output_takes_at(vc); at > now) {
    set_next(at);
    return true;
  }
  if (holds_switch(vc)) {
    crossing_.push_back(&vc);
    return true;
  }
  return request_switch_or_cross(vc);
}

/// ST: flits of packets that hold the switch cross without SA.
void FullVcRouter::cross_held(Cycle now) {
  for (InputVc* const vc : crossing_) traverse_and_release(*vc, now, 0);
  crossing_.clear();
}

/// Returns true if the flit may cross in this cycle without allocation, if its input keeps the output
/// (settle_tries).
bool FullVcRouter::request_switch_or_cross(const InputVc& vc) {
  if (prediction_ != nullptr && prediction_->early(vc.port) == 0 && prediction_->try_kept(vc)) return true;
  request_switch(vc);
  return false;
}

void FullVcRouter::allocate_switch(Cycle now) {
  switch_->allocate([this, now](const SwitchGrant& grant) { traverse_granted(vc_of(grant), now); },
                    [this, now](const WrongGrant& wrong) { wrong_grant(wrong, now); });
  if (uses_ != nullptr || holds_) renew_requests(now);
  if (switch_->any()) set_next(now + 1);
}

void FullVcRouter::wrong_grant(const WrongGrant& wrong, Cycle now) const {
  throw ModelError("router " + std::to_string(id_), now, "",
                   "router.sa_allocator " + config_.sa_allocator + " grants output " +
                       std::to_string(wrong.grant.output) + " to virtual channel " +
                       std::to_string(wrong.grant.vc) + " of crossbar input " +
                       std::to_string(wrong.grant.input) + ": " + wrong.reason);
}

void FullVcRouter::traverse_granted(InputVc& vc, Cycle now) {
  withdraw(vc);
  if (holds_) hold_switch(vc);
  if (prediction_ != nullptr) prediction_->cross(vc, now);
  traverse_and_release(vc, now, 0);
}

void FullVcRouter::traverse_and_release(InputVc& vc, Cycle now, Cycle lead_cycles) {
  count_leaving(vc, now);
  const bool tail = traverse_switch(vc, now, lead_cycles);
  routes_.pass(vc.number);
  use_output(vc.out_port, vc.out_vc, now, lead_cycles);
  if (tail) {
    if (prediction_ != nullptr) prediction_->may_be_quiet(vc);
    give_up_switch(vc);
    release_output_vc(vc);
    call_parked(now);
  }
  look_at_next(vc, now);
}

void FullVcRouter::use_output(unsigned port, unsigned vc, Cycle now, Cycle lead_cycles) {
  if (uses_ == nullptr) return;
  // For a hit this may be before the first cycle.
  const Cycle crossed = now + ends_[port].out->flit_cycles();
  uses_[port] = {std::max(uses_[port].free_at + lead_cycles, crossed) - lead_cycles,
                 static_cast<std::uint8_t>(vc)};
}

/// Withdraws the requests that were not served; they are made again in the next cycle unless their output
/// pauses.
void FullVcRouter::renew_requests(Cycle now) {
  for (unsigned w = 0; w < calendar_.words(); ++w) {
    for (std::uint64_t input_vcs = requesting_[w]; input_vcs != 0; input_vcs &= input_vcs - 1) {
      const unsigned input_vc = w * 64 + static_cast<unsigned>(__builtin_ctzll(input_vcs));
      withdraw(vcs_[input_vc]);
      calendar_.set_busy(input_vc);
      set_next(now + 1);
    }
  }
}

void FullVcRouter::allocate_vcs(Cycle now) {
  allocate_vcs_with(now, [this, now](InputVc& vc) {
    if (recovers_) check_recovery(vc, now);
    if (vc.ready > now) {
      set_next(vc.ready);
    } else if (!await_switch(vc, now)) {
      clear_event(vc, now);
    }
  });
}

void FullVcRouter::drop_requests(InputVc& vc) {
  if ((requesting_[vc.number / 64] & bit(vc.number)) != 0) withdraw(vc);
  give_up_switch(vc);
}

}  // namespace tsuji::router
