#include "router/vc_router_state.h"

#include <algorithm>

#include "core/error.h"

namespace tsuji::router {

namespace {

constexpr unsigned ticket_vc_bits = 12;

template <class Word, class Visit>
void for_each_bit(Word bits, const Visit& visit) {
  for (; bits != 0; bits = static_cast<Word>(bits & (bits - 1))) visit(static_cast<unsigned>(__builtin_ctz(bits)));
}

}  // namespace

VcRouterState::VcRouterState(const VcRouterConfig& config, graph::RouterId id, std::vector<RouterPort> ports,
                             const Parts& parts)
    : config_(config),
      pool_(parts.pool),
      lookup_(parts.lookup),
      events_(parts.events),
      speculation_(parts.speculation),
      seed_(parts.seed),
      id_(id),
      depart_after_(config.sa_cycles + config.st_cycles + config.ser_cycles),
      ports_(ports.size()),
      max_ways_(parts.max_ways) {
  unsigned in_vcs = 0, out_vcs = 0, most_vcs = 1;
  for (std::size_t p = 0; p < ports.size(); ++p) {
    Port& port = ports_[p];
    port.in = ports[p].in;
    port.out = ports[p].out;
    port.to_node = ports[p].to_node;
    port.in_vcs = static_cast<std::uint16_t>(port.in == nullptr ? 0 : port.in->vcs());
    port.out_vcs = static_cast<std::uint16_t>(port.out == nullptr ? 0 : port.out->vcs());
    port.free_vcs = routing::vc_range(0, port.out_vcs);
    port.first_in = static_cast<std::uint16_t>(in_vcs);
    port.first_out = static_cast<std::uint16_t>(out_vcs);
    in_vcs += port.in_vcs;
    out_vcs += port.out_vcs;
    most_vcs = std::max<unsigned>({most_vcs, port.in_vcs, port.out_vcs});
    if (config.route_at == RouteAt::arrival && port.in != nullptr) heads_ = std::max(heads_, port.in->depth_flits());
  }
  if (in_vcs >= (1U << ticket_vc_bits)) throw ModelError("router", "too many virtual channels");
  vcs_.resize(in_vcs);
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    for (unsigned v = 0; v < ports_[p].in_vcs; ++v) {
      vcs_[ports_[p].first_in + v].port = static_cast<std::uint16_t>(p);
      vcs_[ports_[p].first_in + v].vc = static_cast<std::uint8_t>(v);
    }
  }
  questions_.resize(static_cast<std::size_t>(in_vcs) * heads_);
  ways_.resize(questions_.size() * max_ways_);
  retry_bit_ = in_vcs;
  busy_.resize(in_vcs / 64 + 1);
  parked_.resize(busy_.size());
  const unsigned ports_n = static_cast<unsigned>(ports_.size());
  va_ = make_allocator(config.va_allocator, {in_vcs, out_vcs, most_vcs, config.islip_iterations});
  sa_ = make_allocator(config.sa_allocator,
                       {ports_n * config.input_speedup, ports_n, most_vcs, config.islip_iterations});
  lookup_.bind_client(*this);
}

VcRouterState::~VcRouterState() = default;

void VcRouterState::bind(Clocked* self) {
  self_ = self;
  for (Port& port : ports_) {
    if (port.in != nullptr) port.in->bind_receiver(self, busy_.data(), port.first_in, config_.des_cycles);
    if (port.out != nullptr) port.out->bind_sender(self, busy_.data());
  }
}

Cycle VcRouterState::step(Cycle now) {
  next_ = never;
  std::uint64_t& last = busy_[retry_bit_ / 64];
  const std::uint64_t retry = std::uint64_t{1} << (retry_bit_ % 64);
  if ((last & retry) != 0) {
    last &= ~retry;
    unpark();
  }
  va_requests_.clear();
  sa_requests_.clear();
  for (std::size_t w = 0; w < busy_.size(); ++w) {
    for (std::uint64_t bits = busy_[w]; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<unsigned>(__builtin_ctzll(bits));
      if (!visit(static_cast<unsigned>(w * 64) + bit, now)) busy_[w] &= ~(std::uint64_t{1} << bit);
    }
  }
  if (!va_requests_.empty()) allocate_vcs(now);
  if (!sa_requests_.empty()) allocate_switch(now);
  if (timeout_at_ != never) check_timeouts(now);
  return next_;
}

bool VcRouterState::visit(unsigned v, Cycle now) {
  InputVc& vc = vcs_[v];
  FlitChannel& in = *ports_[vc.port].in;
  const FlitChannel::Slot& front = in.front(vc.vc);
  if (!front.flit.valid()) return false;
  if (front.cycle > now) return true;  // its sender has asked for that cycle
  if (front.flit.is_killed()) return throw_away(vc, now);
  if (config_.route_at == RouteAt::arrival) scan_arrivals(v, now);
  switch (vc.state) {
    case VcState::active:
      return want_switch(v, now);
    case VcState::idle:
      return begin(v, front.flit, now);
    case VcState::routing:
      return await_way(v, now);
    case VcState::waiting:
      return want_output(v, now);
  }
  return true;
}

bool VcRouterState::throw_away(InputVc& vc, Cycle now) {
  FlitChannel& in = *ports_[vc.port].in;
  in.pop(now, vc.vc);
  ++counters_.killed_flits;
  if (vc.scanned > 0) --vc.scanned;
  const FlitChannel::Slot& next = in.front(vc.vc);
  if (next.flit.valid() && next.cycle <= now) set_next(now + 1);
  return true;
}

bool VcRouterState::whole_packet_here(const InputVc& vc, unsigned flits, Cycle now) {
  const FlitChannel& in = *ports_[vc.port].in;
  if (flits > in.depth_flits())
    fail(now, vc.packet, "a packet of " + std::to_string(flits) + " flits in a buffer of " +
                             std::to_string(in.depth_flits()));
  const FlitChannel::Slot& tail = in.behind_front(vc.vc, flits - 1);
  return tail.flit.valid() && tail.cycle <= now;
}

bool VcRouterState::begin(unsigned v, const Flit& flit, Cycle now) {
  InputVc& vc = vcs_[v];
  if (!flit.is_head()) out_of_order(now, vc, flit);
  vc.packet = flit.packet;
  if (config_.switching == Switching::store_and_forward &&
      !whole_packet_here(vc, pool_.at(flit.packet).flits, now)) {
    return true;  // every flit's arrival wakes
  }
  vc.sequence = 0;
  vc.since = now;
  vc.reported = false;
  vc.state = VcState::routing;
  if (vc.questions == 0) ask(v, flit.packet, now);
  if (config_.block_timeout_cycles != 0) timeout_at_ = std::min(timeout_at_, now + config_.block_timeout_cycles);
  return await_way(v, now);
}

void VcRouterState::scan_arrivals(unsigned v, Cycle now) {
  InputVc& vc = vcs_[v];
  const FlitChannel& in = *ports_[vc.port].in;
  while (vc.scanned < in.depth_flits()) {
    const FlitChannel::Slot& slot = in.behind_front(vc.vc, vc.scanned);
    if (!slot.flit.valid() || slot.cycle > now) return;
    ++vc.scanned;
    if (slot.flit.is_head() && !slot.flit.is_killed()) ask(v, slot.flit.packet, now);
  }
}

void VcRouterState::ask(unsigned v, PacketIndex packet, Cycle now) {
  InputVc& vc = vcs_[v];
  const Packet& asked = pool_.at(packet);
  routing::RouteQuery query;
  query.router = id_;
  query.in_port = vc.port;
  query.in_vc = vc.vc;
  query.source = asked.source;
  query.destination = asked.destination;
  query.packet = asked.id;
  query.seed = seed_;
  const unsigned place = vc.questions++;
  Question& question = questions_[v * heads_ + place];
  question.packet = packet;
  question.ticket = (++serial_ << ticket_vc_bits) | v;
  routing::RouteSet ways;
  question.ready = lookup_.request(now, query, question.ticket, ways);
  if (question.ready != never) keep_ways(v, place, ways);
}

void VcRouterState::keep_ways(unsigned v, unsigned place, const routing::RouteSet& ways) {
  if (ways.size() > max_ways_) throw ModelError("router " + std::to_string(id_), "a look-up gave too many ways");
  const std::size_t slot = v * heads_ + place;
  questions_[slot].ways = ways.size();
  std::copy(ways.begin(), ways.end(), ways_.begin() + static_cast<std::ptrdiff_t>(slot * max_ways_));
}

void VcRouterState::drop_question(unsigned v, unsigned place) {
  InputVc& vc = vcs_[v];
  --vc.questions;
  for (std::size_t slot = v * heads_ + place; slot < v * heads_ + vc.questions; ++slot) {
    questions_[slot] = questions_[slot + 1];
    std::copy_n(ways_.begin() + static_cast<std::ptrdiff_t>((slot + 1) * max_ways_), max_ways_,
                ways_.begin() + static_cast<std::ptrdiff_t>(slot * max_ways_));
  }
}

void VcRouterState::route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& ways) {
  const unsigned v = ticket & ((1U << ticket_vc_bits) - 1U);
  for (unsigned place = 0; v < vcs_.size() && place < vcs_[v].questions; ++place) {
    Question& question = questions_[v * heads_ + place];
    if (question.ticket != ticket || question.ready != never) continue;
    question.ready = at;
    keep_ways(v, place, ways);
    set_busy(v);
    if (self_ != nullptr) self_->wake_at(at);
    return;
  }
  throw ModelError("router " + std::to_string(id_), at, "", "an answer to a question that nobody asked");
}

bool VcRouterState::await_way(unsigned v, Cycle now) {
  const Cycle ready = questions_[v * heads_].ready;
  if (ready > now) {
    if (ready == never) return false;  // the answer wakes
    set_next(ready);
    return true;
  }
  vcs_[v].state = VcState::waiting;
  return want_output(v, now);
}

std::uint16_t VcRouterState::usable_vcs(const Port& out, std::uint16_t wanted, unsigned flits, Cycle now,
                                        bool& later) {
  auto usable = static_cast<std::uint16_t>(wanted & out.free_vcs);
  const bool whole = config_.switching != Switching::wormhole;
  if (!config_.atomic_vcs && !whole) return usable;
  const unsigned needed = config_.atomic_vcs ? out.out->depth_flits() : flits;
  for_each_bit(usable, [&](unsigned vc) {
    const Cycle at = out.out->credits_at(vc, needed);
    if (at <= now) return;
    usable = static_cast<std::uint16_t>(usable & ~(1U << vc));
    if (at == never) {
      out.out->watch_credit(vc, retry_bit_);
    } else {
      set_next(at);
      later = true;
    }
  });
  return usable;
}

unsigned VcRouterState::credits(const Port& out, std::uint16_t vcs, Cycle now) const {
  unsigned sum = 0;
  for_each_bit(vcs, [&](unsigned vc) { sum += out.out->credits(vc, now); });
  return sum;
}

std::uint64_t VcRouterState::score(unsigned v, unsigned way, unsigned ways, std::uint16_t usable, Cycle now) const {
  switch (config_.selection) {
    case Selection::first:
      break;
    case Selection::most_credits:
      return 1 + credits(ports_[ways_[v * heads_ * max_ways_ + way].port], usable, now);
    case Selection::round_robin:
      return ways - (way + ways - turn_ % ways) % ways;
    case Selection::random:
      return 1 + (CounterRandom(seed_, pool_.at(vcs_[v].packet).id).bits((std::uint64_t{id_} << 8) + way) >> 1);
  }
  return 1;
}

const routing::RouteCandidate* VcRouterState::choose(unsigned v, Cycle now, std::uint16_t& free, bool& later,
                                                     bool& dead) {
  const InputVc& vc = vcs_[v];
  const std::size_t slot = v * heads_;
  const routing::RouteCandidate* ways = ways_.data() + slot * max_ways_;
  const unsigned count = questions_[slot].ways;
  const unsigned flits = config_.switching == Switching::wormhole ? 0 : pool_.at(vc.packet).flits;
  const routing::RouteCandidate* best = nullptr;
  std::uint64_t best_score = 0;
  dead = true;
  for (unsigned w = 0; w < count; ++w) {
    const routing::RouteCandidate& way = ways[w];
    if (best != nullptr && way.rank > best->rank) break;
    const Port& out = ports_[way.port];
    if (out.out == nullptr) fail(now, vc.packet, "its way leads to port " + std::to_string(way.port) + ", which has no output");
    if (way.port == vc.port && !(out.to_node ? config_.uturn_node : config_.uturn_network)) continue;
    if (out.out->down()) continue;
    dead = false;
    const std::uint16_t usable = usable_vcs(out, way.vcs, flits, now, later);
    if (usable == 0) continue;
    const std::uint64_t score = count == 1 ? 1 : this->score(v, w, count, usable, now);
    if (best != nullptr && score <= best_score) continue;
    best = &way;
    best_score = score;
    free = usable;
  }
  return best;
}

bool VcRouterState::want_output(unsigned v, Cycle now) {
  InputVc& vc = vcs_[v];
  std::uint16_t free = 0;
  bool later = false, dead = false;
  const routing::RouteCandidate* way = choose(v, now, free, later, dead);
  if (way == nullptr) {
    const bool none = questions_[v * heads_].ways == 0;
    if (dead && (none || config_.dead_way == DeadWay::drop)) {
      if (events_ == nullptr) fail(now, vc.packet, "there is no way for it");
      events_->on_no_way(vc.packet, now);
      return true;
    }
    if (!later) parked_[v / 64] |= std::uint64_t{1} << (v % 64);
    return later;
  }
  const Port& out = ports_[way->port];
  for_each_bit(free, [&](unsigned out_vc) {
    AllocationRequest request;
    request.input = static_cast<std::uint16_t>(v);
    request.output = static_cast<std::uint16_t>(out.first_out + out_vc);
    request.choice = static_cast<std::uint16_t>(out_vc);
    request.tag = way->port;
    va_requests_.push_back(request);
  });
  return true;
}

void VcRouterState::allocate_vcs(Cycle now) {
  va_->allocate(va_requests_);
  for (const AllocationRequest& request : va_requests_) {
    if (request.granted) take_output(request.input, request.tag, request.choice, now);
  }
  for (const AllocationRequest& request : va_requests_) {
    if (vcs_[request.input].state == VcState::waiting) set_next(now + 1);
  }
}

void VcRouterState::take_output(unsigned v, unsigned port, unsigned out_vc, Cycle now) {
  InputVc& vc = vcs_[v];
  vc.state = VcState::active;
  vc.out_port = static_cast<std::uint16_t>(port);
  vc.out_vc = static_cast<std::uint8_t>(out_vc);
  vc.ready = now + config_.va_cycles;
  ports_[port].free_vcs = static_cast<std::uint16_t>(ports_[port].free_vcs & ~(1U << out_vc));
  ++turn_;
  drop_question(v, 0);
  if (!want_switch(v, now)) busy_[v / 64] &= ~(std::uint64_t{1} << (v % 64));
}

bool VcRouterState::want_switch(unsigned v, Cycle now) {
  const InputVc& vc = vcs_[v];
  if (vc.ready > now) {
    set_next(vc.ready);
    return true;
  }
  const Port& out = ports_[vc.out_port];
  const Cycle credit = out.out->credit_at(vc.out_vc);
  if (credit > now) {
    if (credit == never) {
      out.out->watch_credit(vc.out_vc, v);
      return false;
    }
    set_next(credit);
    return true;
  }
  const Cycle free = out.free_at + (out.last_vc != vc.out_vc ? config_.vc_change_cycles : 0);
  if (free > now) {
    set_next(free);
    return true;
  }
  const unsigned speedup = config_.input_speedup;
  AllocationRequest request;
  request.input = static_cast<std::uint16_t>(speedup == 1 ? vc.port : vc.port * speedup + vc.vc % speedup);
  request.output = vc.out_port;
  request.choice = vc.vc;
  request.tag = v;
  sa_requests_.push_back(request);
  return true;
}

void VcRouterState::allocate_switch(Cycle now) {
  sa_->allocate(sa_requests_);
  for (const AllocationRequest& request : sa_requests_) {
    if (request.granted) {
      move(request.tag, now);
    } else {
      set_next(now + 1);
    }
  }
}

void VcRouterState::move(unsigned v, Cycle now) {
  InputVc& vc = vcs_[v];
  Port& out = ports_[vc.out_port];
  FlitChannel& in = *ports_[vc.port].in;
  const Flit flit = in.front(vc.vc).flit;
  if (flit.packet != vc.packet || flit.sequence != vc.sequence) out_of_order(now, vc, flit);
  in.pop(now, vc.vc);
  out.out->send(now, now + depart_after_, vc.out_vc, flit);
  out.free_at = now + out.out->flit_cycles();
  out.last_vc = vc.out_vc;
  ++counters_.flits;
  ++vc.sequence;
  vc.since = now;
  if (vc.scanned > 0) --vc.scanned;
  if (flit.is_head()) {
    ++counters_.heads;
    ++pool_.at(flit.packet).hops;
  }
  if (flit.is_tail()) finish(vc, out, now);
  const FlitChannel::Slot& next = in.front(vc.vc);
  if (!next.flit.valid()) {
    busy_[v / 64] &= ~(std::uint64_t{1} << (v % 64));
  } else if (next.cycle <= now) {
    set_next(now + 1);
  }
}

void VcRouterState::finish(InputVc& vc, Port& out, Cycle now) {
  out.free_vcs = static_cast<std::uint16_t>(out.free_vcs | 1U << vc.out_vc);
  vc.state = VcState::idle;
  if (unpark()) set_next(now + 1);
}

bool VcRouterState::unpark() {
  bool any = false;
  for (std::size_t w = 0; w < parked_.size(); ++w) {
    any = any || parked_[w] != 0;
    busy_[w] |= parked_[w];
    parked_[w] = 0;
  }
  return any;
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
      if (events_ != nullptr) events_->on_blocked(vc.port, vc.vc, vc.packet, now);
    }
  }
  if (timeout_at_ != never) set_next(timeout_at_);
}

void VcRouterState::forget(unsigned v, Cycle now) {
  InputVc& vc = vcs_[v];
  if (vc.state == VcState::active) {
    Port& out = ports_[vc.out_port];
    out.free_vcs = static_cast<std::uint16_t>(out.free_vcs | 1U << vc.out_vc);
    unpark();
  } else if (vc.state != VcState::idle) {
    const Question& question = questions_[v * heads_];
    if (question.ready == never) lookup_.cancel(now, question.ticket);
    drop_question(v, 0);
  }
  vc.state = VcState::idle;
  parked_[v / 64] &= ~(std::uint64_t{1} << (v % 64));
  set_busy(v);
}

bool VcRouterState::purge(PacketIndex packet, Cycle now) {
  bool found = false;
  for (unsigned v = 0; v < vcs_.size(); ++v) {
    InputVc& vc = vcs_[v];
    if (vc.state != VcState::idle && vc.packet == packet) {
      forget(v, now);
      found = true;
    }
    for (unsigned place = vc.questions; place-- > 0;) {
      const Question& question = questions_[v * heads_ + place];
      if (question.packet != packet) continue;
      if (question.ready == never) lookup_.cancel(now, question.ticket);
      drop_question(v, place);
    }
  }
  for (Port& port : ports_) {
    if (port.in == nullptr || port.in->kill(packet) == 0) continue;
    for (unsigned vc = 0; vc < port.in_vcs; ++vc) set_busy(port.first_in + vc);
    found = true;
  }
  if (found && self_ != nullptr) self_->wake_at(now + 1);
  return found;
}

void VcRouterState::route_again(unsigned port, unsigned vc, Cycle now) {
  const unsigned v = ports_[port].first_in + vc;
  const InputVc& waiting = vcs_[v];
  if (waiting.state == VcState::idle || (waiting.state == VcState::active && waiting.sequence != 0)) return;
  const Cycle since = waiting.since;
  forget(v, now);
  vcs_[v].since = since;
  if (self_ != nullptr) self_->wake_at(now + 1);
}

void VcRouterState::route_all_again(Cycle now) {
  for (const InputVc& vc : vcs_) {
    const unsigned v = ports_[vc.port].first_in + vc.vc;
    while (vc.questions > (vc.state == VcState::routing || vc.state == VcState::waiting ? 1U : 0U)) {
      const Question& question = questions_[v * heads_ + vc.questions - 1U];
      if (question.ready == never) lookup_.cancel(now, question.ticket);
      drop_question(v, vc.questions - 1U);
    }
    vcs_[v].scanned = 0;
    route_again(vc.port, vc.vc, now);
  }
}

VcView VcRouterState::view(unsigned port, unsigned vc) const {
  const InputVc& from = vcs_[ports_[port].first_in + vc];
  VcView view;
  view.state = from.state;
  view.packet = from.packet;
  view.out_port = from.out_port;
  view.out_vc = from.out_vc;
  view.has_flit = ports_[port].in->front(vc).flit.valid();
  view.blocked_since = from.since;
  return view;
}

std::vector<routing::RouteCandidate> VcRouterState::ways(unsigned port, unsigned vc) const {
  const std::size_t slot = (ports_[port].first_in + vc) * heads_;
  const auto first = ways_.begin() + static_cast<std::ptrdiff_t>(slot * max_ways_);
  return {first, first + static_cast<std::ptrdiff_t>(questions_[slot].ways)};
}

void VcRouterState::fail(Cycle now, PacketIndex packet, const std::string& what) const {
  throw ModelError("router " + std::to_string(id_), now, packet_name(pool_.at(packet).id), what);
}

void VcRouterState::out_of_order(Cycle now, const InputVc& vc, const Flit& flit) const {
  fail(now, flit.packet,
       "flit " + std::to_string(flit.sequence) + " came on port " + std::to_string(vc.port) +
           ", virtual channel " + std::to_string(vc.vc) + ", where flit " + std::to_string(vc.sequence) +
           " of packet " + packet_name(pool_.at(vc.packet).id) + " was due");
}

}  // namespace tsuji::router
