#include "router/vc_router_state.h"

#include <algorithm>

#include "core/error.h"

namespace tsuji::router {

namespace {

constexpr unsigned ticket_vc_bits = 12;

template <class Visit>
void for_each_vc(unsigned vcs, const Visit& visit) {
  for (; vcs != 0; vcs &= vcs - 1) visit(static_cast<unsigned>(__builtin_ctz(vcs)));
}

}  // namespace

VcRouterState::VcRouterState(const VcRouterConfig& config, graph::RouterId id,
                             const std::vector<RouterPort>& ports, const Parts& parts)
    : config_(config),
      pool_(parts.pool),
      lookup_(parts.lookup),
      events_(parts.events),
      speculation_(parts.speculation),
      seed_(parts.seed),
      id_(id),
      max_ways_(parts.max_ways),
      depart_after_(config.depart_after()),
      ports_(ports.size()) {
  add_ports(ports);
  ways_.resize(vcs_.size() * max_ways_);
  if (config.route_at == RouteAt::arrival) early_.resize(vcs_.size());
  unsigned most_vcs = 1;
  Cycle horizon = 0;
  for (const Port& port : ports_) {
    if (port.in != nullptr)
      horizon = std::max(horizon, port.in->ready_after() + config.depart_after() + config.des_cycles);
    if (port.out != nullptr && port.out->flit_cycles() > 1) standing_ = false;
    most_vcs = std::max<unsigned>({most_vcs, port.in_vcs, port.out == nullptr ? 0 : port.out->vcs()});
  }
  if (config.vc_change_cycles > 0) standing_ = false;
  plain_vcs_ = !config.atomic_vcs && config.switching == Switching::wormhole;
  careful_ = !standing_ || speculation_ != nullptr || config.route_at == RouteAt::arrival;
  const auto inputs = static_cast<unsigned>(vcs_.size()), count = static_cast<unsigned>(ports_.size());
  if (inputs >= (1U << ticket_vc_bits)) throw ModelError("router", "too many virtual channels");
  retry_line_ = static_cast<std::uint16_t>(inputs);
  retry_bit_ = std::uint64_t{1} << (inputs % 64);
  const bool every_flit =
      config.route_at == RouteAt::arrival || config.switching == Switching::store_and_forward;
  board_ = ArrivalBoard(inputs + 1, horizon, every_flit);
  parked_.resize(board_.words());
  requesting_.resize(board_.words());
  va_ = make_vc_allocator(config.va_allocator, {inputs, count, most_vcs, config.islip_iterations});
  sa_ = make_switch_allocator(config.sa_allocator,
                              {count * config.input_speedup, count, most_vcs, config.islip_iterations});
  lookup_.bind_client(*this);
}

VcRouterState::~VcRouterState() = default;

void VcRouterState::add_ports(const std::vector<RouterPort>& ports) {
  std::size_t inputs = 0;
  for (const RouterPort& port : ports) inputs += port.in == nullptr ? 0 : port.in->vcs();
  vcs_.reserve(inputs);
  for (std::size_t p = 0; p < ports.size(); ++p) {
    Port& port = ports_[p];
    port.in = ports[p].in;
    port.out = ports[p].out;
    port.to_node = ports[p].to_node;
    if (port.out != nullptr) port.all_vcs = routing::vc_range(0, port.out->vcs());
    port.in_vcs = static_cast<std::uint8_t>(port.in == nullptr ? 0 : port.in->vcs());
    if (port.out != nullptr) port.free_vcs = routing::vc_range(0, port.out->vcs());
    // The virtual channels of a port lie in one word of the board.
    if (vcs_.size() % 64 + port.in_vcs > 64) vcs_.resize((vcs_.size() + 63) / 64 * 64);
    port.first_in = static_cast<std::uint16_t>(vcs_.size());
    for (unsigned v = 0; v < port.in_vcs; ++v) {
      InputVc vc;
      vc.in = &port.in->ring(v);
      vc.number = static_cast<std::uint16_t>(vcs_.size());
      vc.port = static_cast<std::uint8_t>(p);
      vc.vc = static_cast<std::uint8_t>(v);
      vcs_.push_back(vc);
    }
  }
  vcs_.shrink_to_fit();
  for (const Port& port : ports_)
    first_of_.insert(first_of_.end(), config_.input_speedup, vcs_.data() + port.first_in);
}

void VcRouterState::bind(Clocked* self) {
  self_ = self;
  for (Port& port : ports_) {
    if (port.in != nullptr) port.in->bind_receiver(self, board_, port.first_in, config_.des_cycles);
    if (port.out != nullptr) port.out->bind_sender(self, board_);
  }
}

inline bool VcRouterState::want_output(InputVc& vc, Cycle now) {
  if (vc.ways == 1 && plain_vcs_) {
    const routing::RouteCandidate& way = *ways_of(vc);
    const Port& out = ports_[way.port];
    const auto free = static_cast<std::uint16_t>(way.vcs & out.free_vcs);
    if (free != 0 && way.port != vc.port && !out.out->down()) {
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

inline Cycle VcRouterState::ask(InputVc& vc, PacketIndex packet, std::uint32_t& ticket,
                                routing::RouteSet& ways, Cycle now) {
  const Packet& asked = pool_.at(packet);
  routing::RouteQuery query;
  query.router = id_;
  query.in_port = vc.port;
  query.in_vc = vc.vc;
  query.source = asked.source;
  query.destination = asked.destination;
  query.packet = asked.id;
  query.seed = seed_;
  ticket = (++serial_ << ticket_vc_bits) | vc.number;
  const Cycle ready = lookup_.request(now, query, ticket, ways);
  if (ready != never && ways.size() > max_ways_) too_many_ways(now, packet);
  return ready;
}

inline void VcRouterState::keep_ways(InputVc& vc, const routing::RouteSet& ways) {
  const unsigned count = ways.size();
  vc.ways = static_cast<std::uint8_t>(count);
  routing::RouteCandidate* const kept = ways_.data() + vc.number * max_ways_;
  for (unsigned w = 0; w < count; ++w) {
    kept[w] = ways[w];
    // A routing speaks of network ports' virtual channels; a processor interface may have its own number of
    // them.
    const Port& out = ports_[ways[w].port];
    if (out.to_node && out.out != nullptr) kept[w].vcs = out.all_vcs;
  }
}

bool VcRouterState::begin(InputVc& vc, const FlitSlot& front, Cycle now) {
  if (!front.head()) out_of_order(now, vc, front);
  vc.packet = front.packet();
  if (config_.switching == Switching::store_and_forward &&
      !whole_packet_here(vc, pool_.at(vc.packet).flits, now))
    return false;  // every flit's arrival makes it busy
  vc.sequence = 0;
  vc.since = now;
  vc.reported = vc.speculative = false;
  vc.state = VcState::routing;
  tell(vc, HeadStage::route_computation, now);
  if (vc.early == 0 || !take_early_question(vc)) {
    routing::RouteSet ways;
    vc.ready = ask(vc, vc.packet, vc.ticket, ways, now);
    if (vc.ready != never) keep_ways(vc, ways);
  }
  if (config_.block_timeout_cycles != 0)
    timeout_at_ = std::min(timeout_at_, now + config_.block_timeout_cycles);
  if (speculation_ != nullptr && guess(vc, now)) return true;
  return await_way(vc, now);
}

inline bool VcRouterState::want_switch(InputVc& vc, Cycle now) {
  if (vc.ready > now) {
    set_next(vc.ready);
    return true;
  }
  if (vc.speculative && follow_guess(vc, now)) return true;
  const Cycle credit = vc.out->credit_at();
  if (credit > now) {
    if (credit != never) {
      set_next(credit);
      return true;
    }
    ports_[vc.out_port].out->watch_credit(vc.out_vc, vc.number);
    return false;
  }
  if (!standing_) {
    const Port& out = ports_[vc.out_port];
    const Cycle free = out.free_at + (out.last_vc != vc.out_vc ? config_.vc_change_cycles : 0);
    if (free > now) {
      set_next(free);
      return true;
    }
    requested_.push_back(static_cast<std::uint16_t>(vc.number));
  }
  set_requesting(vc.number);
  sa_->request(crossbar_input(vc), vc.out_port, vc.vc);
  return false;
}

inline bool VcRouterState::visit(InputVc& vc, Cycle now) {
  const FlitSlot& front = vc.in->front();
  if (!front.holds_flit()) return false;
  // Its sender asks for that cycle, too; a board that does not reach so far keeps the line busy.
  if (front.cycle() > now) return !board_.announce(vc.number, now, front.cycle());
  if (front.killed()) return throw_away(vc, now);
  if (config_.route_at == RouteAt::arrival) scan_arrivals(vc, now);
  switch (vc.state) {
    case VcState::active:
      return want_switch(vc, now);
    case VcState::idle:
      return begin(vc, front, now);
    case VcState::routing:
      return await_way(vc, now);
    case VcState::waiting:
      return want_output(vc, now);
  }
  return true;
}

/// The front flit leaves its buffer in cycle `now` by a switch allocation of cycle `decided`. True if the
/// next one is known to want the same in the next cycle. Careful: somebody looks at when ports moved last.
template <bool careful>
inline bool VcRouterState::move(InputVc& vc, Cycle now, Cycle decided) {
  FlitRing& in = *vc.in;
  FlitRing& out = *vc.out;
  FlitSlot& front = in.front();
  if (!front.holds(vc.packet, vc.sequence)) out_of_order(now, vc, front);
  const FlitSlot flit = front;
  in.channel->pop_known(now, in, front);
  out.channel->send(now, decided + depart_after_, out, flit);
  ++vc.sequence;
  vc.since = now;
  if (careful) {
    Port& port = ports_[vc.out_port];
    port.free_at = decided + out.channel->flit_cycles();
    port.last_vc = vc.out_vc;
    ports_[vc.port].moved_at = decided;
    if (vc.scanned > 0) --vc.scanned;
  }
  if (flit.head_or_tail()) {
    if (flit.head()) ++pool_.at(vc.packet).hops;
    if (flit.tail()) {
      release_output(vc);
      if (parked_count_ != 0 && unpark()) set_next(now + 1);
      look_at_next(vc, now);
      return false;
    }
  }
  // What the next cycle will find is known now: nothing that either end does in this cycle shows before it is
  // over.
  const FlitSlot& next = in.front();
  if (!next.holds_flit()) return false;
  if (!careful && next.cycle() <= now + 1 && !next.killed() && out.credit_at() <= now + 1) return true;
  look_at_next(vc, now);
  return false;
}

template <bool careful>
inline void VcRouterState::serve_grants(Cycle now) {
  unsigned count = 0;
  const SwitchGrant* const grants = sa_->allocate(count);
  for (unsigned g = 0; g < count; ++g) {
    const SwitchGrant grant = grants[g];
    InputVc& vc = first_of_[grant.input][grant.vc];
    if (move<careful>(vc, now, now)) continue;
    clear_requesting(vc.number);
    sa_->withdraw(grant.input, grant.output, grant.vc);
  }
}

inline void VcRouterState::allocate_switch(Cycle now) {
  if (careful_) {
    serve_grants<true>(now);
    if (!standing_) request_again(now);
  } else {
    serve_grants<false>(now);
  }
  if (sa_->any()) set_next(now + 1);
}

Cycle VcRouterState::step(Cycle now) {
  next_ = never;
  for (unsigned w = 0; w < board_.words(); ++w) {
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
      if (!visit(vcs_[w * 64 + bit], now)) done |= std::uint64_t{1} << bit;
    }
    column.busy() &= ~done;
  }
  // Outputs that are granted in this cycle are asked for in the next, unless that takes no time.
  if (config_.va_cycles == 0 && va_->any()) allocate_vcs(now);
  if (sa_->any()) allocate_switch(now);
  if (va_->any()) allocate_vcs(now);
  if (timeout_at_ != never) check_timeouts(now);
  return next_;
}

bool VcRouterState::throw_away(InputVc& vc, Cycle now) {
  ports_[vc.port].in->pop(now, vc.vc);
  ++counters_.killed_flits;
  if (vc.scanned > 0) --vc.scanned;
  look_at_next(vc, now);
  return vc.in->front().holds_flit();
}

/// After the front flit is gone: when is the next one to be looked at?
void VcRouterState::look_at_next(InputVc& vc, Cycle now) {
  const FlitSlot& next = vc.in->front();
  if (!next.holds_flit()) return;
  if (next.cycle() > now + 1) {
    board_.announce(vc.number, now, next.cycle());
    return;
  }
  board_.set_busy(vc.number);
  set_next(now + 1);
}

bool VcRouterState::whole_packet_here(const InputVc& vc, unsigned flits, Cycle now) const {
  if (flits > vc.in->depth())
    fail(now, vc.packet,
         "a packet of " + std::to_string(flits) + " flits in a buffer of " + std::to_string(vc.in->depth()));
  const FlitSlot& tail = vc.in->behind_front(flits - 1);
  return tail.holds_flit() && tail.cycle() <= now;
}

void VcRouterState::scan_arrivals(InputVc& vc, Cycle now) {
  while (vc.scanned < vc.in->depth()) {
    const FlitSlot& slot = vc.in->behind_front(vc.scanned);
    if (!slot.holds_flit() || slot.cycle() > now) return;
    ++vc.scanned;
    const Flit flit = slot.flit();
    if (!flit.is_head() || flit.is_killed() || vc.scanned == 1) continue;  // the front asks for itself
    std::vector<EarlyQuestion>& early = early_[vc.number];
    early.emplace_back();
    early.back().packet = flit.packet;
    early.back().ready = ask(vc, flit.packet, early.back().ticket, early.back().ways, now);
    ++vc.early;
  }
}

/// The head that has come to the front asked when it arrived.
bool VcRouterState::take_early_question(InputVc& vc) {
  std::vector<EarlyQuestion>& early = early_[vc.number];
  const auto own = std::find_if(early.begin(), early.end(),
                                [&](const EarlyQuestion& question) { return question.packet == vc.packet; });
  if (own == early.end()) return false;
  vc.ticket = own->ticket;
  vc.ready = own->ready;
  if (vc.ready != never) keep_ways(vc, own->ways);
  early.erase(own);
  --vc.early;
  return true;
}

void VcRouterState::drop_early_questions(InputVc& vc, PacketIndex packet, bool all, Cycle now) {
  if (vc.early == 0) return;
  std::vector<EarlyQuestion>& early = early_[vc.number];
  for (std::size_t q = early.size(); q-- > 0;) {
    if (!all && early[q].packet != packet) continue;
    if (early[q].ready == never) lookup_.cancel(now, early[q].ticket);
    early.erase(early.begin() + static_cast<std::ptrdiff_t>(q));
    --vc.early;
  }
}

void VcRouterState::route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& ways) {
  const unsigned v = ticket & ((1U << ticket_vc_bits) - 1U);
  const std::string unasked = "an answer to a question that nobody asked";
  if (v >= vcs_.size()) throw ModelError("router " + std::to_string(id_), at, "", unasked);
  InputVc& vc = vcs_[v];
  if (ways.size() > max_ways_) too_many_ways(at, vc.packet);
  if (vc.state == VcState::routing && vc.ticket == ticket && vc.ready == never) {
    vc.ready = at;
    keep_ways(vc, ways);
    board_.set_busy(v);
    if (self_ != nullptr) self_->wake_at(at);
    return;
  }
  for (unsigned q = 0; q < vc.early; ++q) {
    EarlyQuestion& question = early_[v][q];
    if (question.ticket != ticket || question.ready != never) continue;
    question.ready = at;
    question.ways = ways;
    return;
  }
  throw ModelError("router " + std::to_string(id_), at, "", unasked);
}

std::uint16_t VcRouterState::usable_vcs(const Port& out, std::uint16_t wanted, unsigned flits, Cycle now,
                                        bool& later) {
  auto usable = static_cast<std::uint16_t>(wanted & out.free_vcs);
  if (plain_vcs_) return usable;
  const unsigned needed = config_.atomic_vcs ? out.out->depth_flits() : flits;
  for_each_vc(usable, [&](unsigned vc) {
    const Cycle at = out.out->ring(vc).credits_at(needed);
    if (at <= now) return;
    usable = static_cast<std::uint16_t>(usable & ~(1U << vc));
    if (at == never) {
      out.out->watch_credit(vc, retry_line_);
    } else {
      set_next(at);
      later = true;
    }
  });
  return usable;
}

std::uint64_t VcRouterState::score(const InputVc& vc, unsigned way, std::uint16_t usable, Cycle now) const {
  switch (config_.selection) {
    case Selection::first:
      break;
    case Selection::most_credits: {
      std::uint64_t credits = 1;
      const FlitChannel& out = *ports_[ways_of(vc)[way].port].out;
      for_each_vc(usable, [&](unsigned v) { credits += out.ring(v).credits(now); });
      return credits;
    }
    case Selection::round_robin:
      return vc.ways - (way + vc.ways - turn_ % vc.ways) % vc.ways;
    case Selection::random:
      return 1 + (CounterRandom(seed_, pool_.at(vc.packet).id).bits((std::uint64_t{id_} << 8) + way) >> 1);
  }
  return 1;
}

const routing::RouteCandidate* VcRouterState::choose(const InputVc& vc, Cycle now, std::uint16_t& free,
                                                     bool& later, bool& dead) {
  const routing::RouteCandidate* const ways = ways_of(vc);
  const unsigned flits = config_.switching == Switching::wormhole ? 0 : pool_.at(vc.packet).flits;
  const routing::RouteCandidate* best = nullptr;
  std::uint64_t best_score = 0;
  dead = true;
  for (unsigned w = 0; w < vc.ways; ++w) {
    const routing::RouteCandidate& way = ways[w];
    if (best != nullptr && way.rank > best->rank) break;
    const Port& out = ports_[way.port];
    if (out.out == nullptr)
      fail(now, vc.packet, "its way leads to port " + std::to_string(way.port) + ", which has no output");
    if (way.port == vc.port && !(out.to_node ? config_.uturn_node : config_.uturn_network)) continue;
    if (out.out->down()) continue;
    dead = false;
    const std::uint16_t usable = usable_vcs(out, way.vcs, flits, now, later);
    if (usable == 0) continue;
    const std::uint64_t own = vc.ways == 1 ? 1 : score(vc, w, usable, now);
    if (best != nullptr && own <= best_score) continue;
    best = &way;
    best_score = own;
    free = usable;
  }
  return best;
}

bool VcRouterState::choose_output(InputVc& vc, Cycle now) {
  std::uint16_t free = 0;
  bool later = false, dead = false;
  const routing::RouteCandidate* way = choose(vc, now, free, later, dead);
  if (way != nullptr) {
    va_->request(vc.number, way->port, free);
    return true;
  }
  if (dead && (vc.ways == 0 || config_.dead_way == DeadWay::drop)) {
    if (events_ == nullptr) fail(now, vc.packet, "there is no way for it");
    events_->on_no_way(vc.packet, now);
    return false;
  }
  if (later) return true;
  parked_[vc.number / 64] |= std::uint64_t{1} << (vc.number % 64);
  ++parked_count_;
  return false;
}

/// What the next cycle's look at this virtual channel would find is mostly known when it gets its output: the
/// head is there, and credits that come back later cannot be used then. The request is made at once.
inline bool VcRouterState::wants_switch_next(InputVc& vc, Cycle now) {
  if (careful_ || vc.ready != now + 1 || vc.out->credit_at() > now + 1) return false;
  set_requesting(vc.number);
  sa_->request(crossbar_input(vc), vc.out_port, vc.vc);
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
    if (config_.va_cycles == 0) {
      if (!want_switch(vc, now)) board_.clear_busy(request.input_vc);
    } else if (!wants_switch_next(vc, now)) {
      set_next(vc.ready);
    }
  }
  va_->clear();
}

void VcRouterState::take_output(InputVc& vc, unsigned port, unsigned out_vc, Cycle ready) {
  Port& out = ports_[port];
  vc.state = VcState::active;
  vc.out = &out.out->ring(out_vc);
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
    withdraw(vcs_[v]);
    board_.set_busy(v);
    set_next(now + 1);
  }
  requested_.clear();
}

void VcRouterState::withdraw(InputVc& vc) {
  clear_requesting(vc.number);
  sa_->withdraw(crossbar_input(vc), vc.out_port, vc.vc);
}

void VcRouterState::release_output(InputVc& vc) {
  Port& out = ports_[vc.out_port];
  out.free_vcs = static_cast<std::uint16_t>(out.free_vcs | 1U << vc.out_vc);
  vc.state = VcState::idle;
}

bool VcRouterState::unpark() {
  std::uint64_t any = 0;
  parked_count_ = 0;
  for (unsigned w = 0; w < parked_.size(); ++w) {
    any |= parked_[w];
    board_.busy(w) |= parked_[w];
    parked_[w] = 0;
  }
  return any != 0;
}

/// A head that came this very cycle to an idle virtual channel finds an output held for it, if the guess is
/// right and no real request took output or input in the cycle before. It skips what route computation and
/// allocation would have taken. A wrong guess costs nothing: its flit dies at the output latch.
bool VcRouterState::guess(InputVc& vc, Cycle now) {
  if (vc.in->front().cycle() != now || now < config_.sa_cycles) return false;
  const unsigned guessed = speculation_->guess(vc.port, vc.vc);
  if (guessed == Speculation::no_guess) return false;
  const Cycle decided = now - config_.sa_cycles;
  Port& out = ports_[guessed];
  if (out.out == nullptr || out.free_at > decided || ports_[vc.port].moved_at >= decided + 1) return false;
  const routing::RouteCandidate* const ways = ways_of(vc);
  for (unsigned w = 0; vc.ready != never && w < vc.ways; ++w) {
    if (ways[w].port != guessed || out.out->down()) continue;
    for (unsigned free = ways[w].vcs & out.free_vcs; free != 0; free &= free - 1) {
      const auto out_vc = static_cast<unsigned>(__builtin_ctz(free));
      if (out.out->ring(out_vc).credit_at() > now) continue;
      take_output(vc, guessed, out_vc, now);
      vc.speculative = true;
      ++counters_.speculative_hits;
      move<true>(vc, now, decided);
      return true;
    }
    return false;  // right, but there is no room: it waits like any other
  }
  ++counters_.speculative_kills;
  return false;
}

/// A body flit behind a head that went through on a guess finds the output held, too.
bool VcRouterState::follow_guess(InputVc& vc, Cycle now) {
  const Cycle decided = now - config_.sa_cycles;
  const Port& out = ports_[vc.out_port];
  if (vc.in->front().cycle() != now || out.free_at > decided || ports_[vc.port].moved_at > decided ||
      vc.out->credit_at() > now)
    return false;
  move<true>(vc, now, decided);
  return true;
}

void VcRouterState::check_timeouts(Cycle now) {
  if (now >= timeout_at_) {
    timeout_at_ = never;
    for (InputVc& vc : vcs_) {
      // A head that has moved on is the next router's matter (decisions.md, detour 4).
      const bool waits = vc.state != VcState::idle && (vc.state != VcState::active || vc.sequence == 0);
      if (!waits || vc.reported) continue;
      const Cycle due = vc.since + config_.block_timeout_cycles;
      if (due > now) {
        timeout_at_ = std::min(timeout_at_, due);
        continue;
      }
      vc.reported = true;
      ++counters_.timeouts;
      if (events_ != nullptr) events_->on_blocked(id_, vc.port, vc.vc, vc.packet, now);
    }
  }
  if (timeout_at_ != never) set_next(timeout_at_);
}

/// The front packet's state goes; its flits stay where they are.
void VcRouterState::forget(InputVc& vc, Cycle now) {
  tell(vc, HeadStage::none, now + 1);
  if (vc.state == VcState::active) {
    if (requesting(vc.number)) withdraw(vc);
    release_output(vc);
    unpark();
  } else if (vc.state == VcState::routing && vc.ready == never) {
    lookup_.cancel(now, vc.ticket);
  }
  vc.state = VcState::idle;
  parked_[vc.number / 64] &= ~(std::uint64_t{1} << (vc.number % 64));
  board_.set_busy(vc.number);
}

bool VcRouterState::purge(PacketIndex packet, Cycle now) {
  bool found = false;
  for (InputVc& vc : vcs_) {
    drop_early_questions(vc, packet, false, now);
    if (vc.state == VcState::idle || vc.packet != packet) continue;
    forget(vc, now);
    found = true;
  }
  for (Port& port : ports_) {
    if (port.in == nullptr || port.in->kill(packet) == 0) continue;
    for (unsigned v = 0; v < port.in_vcs; ++v) board_.set_busy(port.first_in + v);
    found = true;
  }
  if (found && self_ != nullptr) self_->wake_at(now + 1);
  return found;
}

void VcRouterState::route_again(unsigned port, unsigned vc, Cycle now) {
  InputVc& waiting = vcs_[ports_[port].first_in + vc];
  if (waiting.state == VcState::idle || (waiting.state == VcState::active && waiting.sequence != 0)) return;
  forget(waiting, now);
  if (self_ != nullptr) self_->wake_at(now + 1);
}

void VcRouterState::route_all_again(Cycle now) {
  for (InputVc& vc : vcs_) {
    drop_early_questions(vc, 0, true, now);
    vc.scanned = 0;
    route_again(vc.port, vc.vc, now);
  }
}

RouterCounters VcRouterState::counters() const {
  RouterCounters counters = counters_;
  for (const Port& port : ports_) counters.flits += port.out == nullptr ? 0 : port.out->flits_sent();
  return counters;
}

VcView VcRouterState::view(unsigned port, unsigned vc) const {
  const InputVc& from = vcs_[ports_[port].first_in + vc];
  VcView view;
  view.state = from.state;
  view.packet = from.packet;
  view.out_port = from.out_port;
  view.out_vc = from.out_vc;
  view.has_flit = from.in->front().holds_flit();
  view.blocked_since = from.since;
  return view;
}

std::vector<routing::RouteCandidate> VcRouterState::ways(unsigned port, unsigned vc) const {
  const InputVc& from = vcs_[ports_[port].first_in + vc];
  return {ways_of(from), ways_of(from) + from.ways};
}

void VcRouterState::too_many_ways(Cycle now, PacketIndex packet) const {
  fail(now, packet, "a look-up gave too many ways");
}

void VcRouterState::fail(Cycle now, PacketIndex packet, const std::string& what) const {
  throw ModelError("router " + std::to_string(id_), now, packet_name(pool_.at(packet).id), what);
}

void VcRouterState::out_of_order(Cycle now, const InputVc& vc, const FlitSlot& slot) const {
  fail(now, slot.packet(),
       "flit " + std::to_string(slot.sequence()) + " came on port " + std::to_string(vc.port) +
           ", virtual channel " + std::to_string(vc.vc) + ", where flit " + std::to_string(vc.sequence) +
           " of packet " + packet_name(pool_.at(vc.packet).id) + " was due");
}

}  // namespace tsuji::router
