#include "tsuji/router/vc_router_state.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::router {

inline bool VcRouterState::want_output(InputVc& vc, Cycle now) {
  if (vc.ways == 1 && plain_vcs_) {
    const routing::RouteCandidate& way = *ways_of(vc);
    const Port& out = ports_[way.port];
    const auto free = static_cast<std::uint16_t>(way.vcs & out.free_vcs);
    if (free != 0 && way.port != vc.port && !out.sender.down()) {
      va_->request(vc.number, way.port, free);
      return true;
    }
  }
  return choose_output(vc, now);
}

inline bool VcRouterState::await_way(InputVc& vc, Cycle now) {
  if (vc.ready > now) {
    if (vc.ready == never) return false;  // the answer makes it busy
    set_next(vc.ready);
    return true;
  }
  vc.state = VcState::waiting;
  tell(vc, HeadStage::vc_allocation, now);
  return want_output(vc, now);
}

inline void VcRouterState::keep_way(const routing::RouteCandidate& way,
                                    routing::RouteCandidate& place) const {
  place = way;
  // A routing speaks of network ports' virtual channels; a processor interface may have its own number of
  // them.
  const Port& out = ports_[way.port];
  if (out.to_node && out.all_vcs != 0) place.vcs = out.all_vcs;
}

void VcRouterState::keep_ways(InputVc& vc, const routing::RouteSet& ways) {
  vc.ways = static_cast<std::uint8_t>(ways.size());
  for (unsigned w = 0; w < ways.size(); ++w) keep_way(ways[w], ways_[vc.number * max_ways_ + w]);
}

bool VcRouterState::begin(InputVc& vc, const FlitSlot& front, Cycle now) {
  if (!front.head()) out_of_order(now, vc, front);
  vc.packet = front.packet();
  if (careful_begin_ && !whole_packet_here(vc, now)) return false;  // every flit's arrival makes it busy
  vc.sequence = 0;
  vc.since = now;
  vc.reported = false;
  vc.state = VcState::routing;
  Packet& packet = pool_.at(vc.packet);
  ++packet.hops;  // here, where the packet is looked at anyway; forget() takes it back
  tell(vc, HeadStage::route_computation, now);
  routing::RouteSet ways;
  if (!careful_begin_ || !routes_.take_early(vc.number, vc.packet, vc.ready, ways))
    vc.ready = routes_.ask(route_input(vc), packet, ways, now);
  if (vc.ready != never) {
    if (ways.size() == 1) {
      vc.ways = 1;
      keep_way(ways[0], ways_[vc.number * max_ways_]);
    } else {
      keep_ways(vc, ways);
    }
  }
  if (careful_begin_) timer_.start(now);
  return await_way(vc, now);
}

template <bool plain>
inline bool VcRouterState::want_switch(InputVc& vc, Cycle now) {
  if (vc.ready > now) {
    set_next(vc.ready);
    return true;
  }
  const Cycle credit = vc.out->credit_at();
  if (credit > now) {
    if (credit != never) {
      set_next(credit);
      return true;
    }
    ends_[vc.out_port].out->watch_credit(vc.out_vc, vc.number);
    return false;
  }
  if (!plain && !standing_) {
    const PortUse& out = uses_[vc.out_port];
    const Cycle free = out.free_at + (out.last_vc != vc.out_vc ? config_.vc_change_cycles : 0);
    if (free > now) {
      set_next(free);
      return true;
    }
    requested_.push_back(static_cast<std::uint16_t>(vc.number));
  }
  request_switch<plain>(vc);
  return false;
}

template <bool plain>
inline bool VcRouterState::visit(InputVc& vc, Cycle now) {
  const FlitSlot& front = vc.front();
  if (!front.holds_flit()) return false;
  // Its sender asks for that cycle, too; a board that does not reach so far keeps the line busy.
  if (front.cycle() > now) return !board_.announce(vc.number, now, front.cycle());
  if (front.killed()) return throw_away(vc, now);
  if (!plain && careful_) routes_.scan(route_input(vc), vc, pool_, now);
  switch (vc.state) {
    case VcState::active:
      return want_switch<plain>(vc, now);
    case VcState::idle:
      return begin(vc, front, now);
    case VcState::routing:
      return await_way(vc, now);
    case VcState::waiting:
      return want_output(vc, now);
  }
  return true;
}

void VcRouterState::note_use(const InputVc& vc, Cycle now) {
  PortUse& out = uses_[vc.out_port];
  out.free_at = now + ends_[vc.out_port].out->flit_cycles();
  out.last_vc = vc.out_vc;
  routes_.pass(vc.number);
}

/// The front flit leaves its buffer in cycle `now`. True if the next one is known to want the same in the
/// next cycle. Careful: somebody looks at when outputs moved last.
template <bool careful>
inline bool VcRouterState::move(InputVc& vc, Cycle now) {
  FlitSlot& front = vc.front();
  if (!front.holds(vc.packet, vc.sequence)) out_of_order(now, vc, front);
  const std::uint32_t flit = front.identity();
  front.free(now + vc.credit_after);
  vc.pass_front();
  if (vc.told != 0) ends_[vc.port].in->tell_freed(now, vc);
  sender_of(vc).send(now, now, *vc.out, flit, vc.sequence);
  ++vc.sequence;
  vc.since = now;
  if (careful) note_use(vc, now);
  if (FlitSlot::tail(flit)) {
    release_output(vc);
    if (parked_count_ != 0 && unpark()) set_next(now + 1);
    look_at_next(vc, now);
    return false;
  }
  // What the next cycle will find is known now: nothing that either end does in this cycle shows before it is
  // over.
  const FlitSlot& next = vc.front();
  if (!next.holds_flit()) return false;
  if (!careful && next.cycle() <= now + 1 && !next.killed() && vc.out->credit_at() <= now + 1) return true;
  look_at_next(vc, now);
  return false;
}

template <bool plain, bool careful>
inline void VcRouterState::serve_grants(Cycle now) {
  sa_->serve([this, now](const SwitchGrant& grant) {
    InputVc& vc = plain || by_lines_ ? vcs_[grant.line] : first_of_[grant.input][sa_->vc_of(grant)];
    if (!move<careful>(vc, now)) withdraw<plain>(vc);
  });
}

void VcRouterState::serve_carefully(Cycle now) {
  serve_grants<false, true>(now);
  if (!standing_) request_again(now);
}

/// Looks at the busy virtual channels of one word of the board.
template <bool plain>
[[gnu::always_inline]] inline void VcRouterState::look_at_word(unsigned w, Cycle now) {
  ArrivalBoard::Column column = board_.column(w);
  std::uint64_t bits = column.take(now);
  if ((bits & retry_bit_) != 0 && w + 1 == board_.words()) {
    column.busy() &= ~retry_bit_;
    unpark();
    bits = column.busy();
  }
  // One that asks for the switch already is looked at when it is served.
  std::uint64_t done = requesting_[w];
  bits &= ~done;
  for (; bits != 0; bits &= bits - 1) {
    const auto bit = static_cast<unsigned>(__builtin_ctzll(bits));
    if (!visit<plain>(vcs_[w * 64 + bit], now)) done |= std::uint64_t{1} << bit;
  }
  column.busy() &= ~done;
}

/// Heads in any word may wait for an output virtual channel, so the retry line comes before all words.
void VcRouterState::look_at_words(Cycle now) {
  ArrivalBoard::Column last = board_.column(board_.words() - 1);
  if ((last.take(now) & retry_bit_) != 0) {
    last.busy() &= ~retry_bit_;
    unpark();
  }
  for (unsigned w = 0; w < board_.words(); ++w) look_at_word<false>(w, now);
}

template <bool plain>
[[gnu::always_inline]] inline Cycle VcRouterState::run_cycle(Cycle now) {
  next_ = never;
  if (plain || board_.words() == 1) {
    look_at_word<plain>(0, now);
  } else {
    look_at_words(now);
  }
  // Outputs that are granted in this cycle are asked for in the next, unless that takes no time.
  if (!plain && joined_ && va_->any()) allocate_vcs(now);
  if (sa_->any()) {
    if (!plain && careful_) {
      serve_carefully(now);
    } else {
      serve_grants<plain, false>(now);
    }
    if (sa_->any()) set_next(now + 1);
  }
  if (va_->any()) allocate_vcs(now);
  if (!plain && timer_.next_look() != never) check_timeouts(now);
  return next_;
}

void VcRouterState::step(Cycle now) {
  const Cycle next = plain_ ? run_cycle<true>(now) : run_cycle_of_any(now);
  if (wheel_ && next - now <= ClockDomain::soon) {
    self_.wake_soon(next);
  } else if (next != never) {
    self_.wake_at(next);
  }
}

Cycle VcRouterState::run_cycle_of_any(Cycle now) {
  return run_cycle<false>(now);
}

Cycle VcRouterState::advance(Cycle now) {
  return plain_ ? run_cycle<true>(now) : run_cycle_of_any(now);
}

bool VcRouterState::throw_away(InputVc& vc, Cycle now) {
  ends_[vc.port].in->pop(now, vc.vc);
  ++counters_.killed_flits;
  routes_.pass(vc.number);
  look_at_next(vc, now);
  return vc.front().holds_flit();
}

/// After the front flit is gone: when is the next one to be looked at?
void VcRouterState::look_at_next(InputVc& vc, Cycle now) {
  const FlitSlot& next = vc.front();
  if (!next.holds_flit()) return;
  if (next.cycle() > now + 1) {
    board_.announce(vc.number, now, next.cycle());
    return;
  }
  board_.set_busy(vc.number);
  set_next(now + 1);
}

/// As far as that matters.
bool VcRouterState::whole_packet_here(const InputVc& vc, Cycle now) const {
  if (config_.switching != Switching::store_and_forward) return true;
  const unsigned flits = pool_.at(vc.packet).flits;
  if (flits > vc.depth())
    fail(now, vc.packet,
         "a packet of " + std::to_string(flits) + " flits in a buffer of " + std::to_string(vc.depth()));
  const FlitSlot& tail = vc.behind_front(flits - 1);
  return tail.holds_flit() && tail.cycle() <= now;
}

/// What the next cycle's look at this virtual channel would find is mostly known when it gets its output: the
/// head is there, and credits that come back later cannot be used then. The request is made at once.
inline bool VcRouterState::wants_switch_next(InputVc& vc, Cycle now) {
  if (careful_ || vc.ready != now + 1 || vc.out->credit_at() > now + 1) return false;
  request_switch<false>(vc);
  set_next(now + 1);
  return true;
}

void VcRouterState::allocate_vcs(Cycle now) {
  for (const VcRequest& request : va_->allocate()) {
    if (request.granted == VcRequest::nothing) {
      set_next(now + 1);
      continue;
    }
    InputVc& vc = vcs_[request.input_vc];
    take_output(vc, request.port, request.granted, now + config_.va_cycles);
    if (joined_) {
      if (!want_switch<false>(vc, now)) board_.clear_busy(request.input_vc);
    } else if (!wants_switch_next(vc, now)) {
      set_next(vc.ready);
    }
  }
}

void VcRouterState::take_output(InputVc& vc, unsigned port, unsigned out_vc, Cycle ready) {
  Port& out = ports_[port];
  vc.state = VcState::active;
  vc.out = &out.sender.ring(out_vc);
  vc.out_port = static_cast<std::uint8_t>(port);
  vc.out_vc = static_cast<std::uint8_t>(out_vc);
  vc.ready = ready;
  out.free_vcs = static_cast<std::uint16_t>(out.free_vcs & ~(1U << out_vc));
  ++turn_;
  tell(vc, HeadStage::switch_allocation, ready);
}

/// Those that were not served ask anew in the next cycle, when outputs may be busy.
void VcRouterState::request_again(Cycle now) {
  for (const std::uint16_t v : requested_) {
    if (!requesting(v)) continue;
    withdraw<false>(vcs_[v]);
    board_.set_busy(v);
    set_next(now + 1);
  }
  requested_.clear();
}

void VcRouterState::release_output(InputVc& vc) {
  Port& out = ports_[vc.out_port];
  out.free_vcs = static_cast<std::uint16_t>(out.free_vcs | 1U << vc.out_vc);
  vc.state = VcState::idle;
}

bool VcRouterState::unpark() {
  std::uint64_t any = 0;
  parked_count_ = 0;
  for (unsigned w = 0; w < board_.words(); ++w) {
    any |= parked_[w];
    board_.busy(w) |= parked_[w];
    parked_[w] = 0;
  }
  return any != 0;
}

}  // namespace tsuji::router
