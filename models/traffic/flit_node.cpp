#include "traffic/flit_node.h"

#include <algorithm>

#include "core/error.h"

namespace tsuji::traffic {

FlitNode::FlitNode(sc_core::sc_module_name module_name, ClockDomain& domain, const FlitNodeConfig& config,
                   PacketPool& pool, const routing::Routing& routing, NodeId node,
                   std::unique_ptr<EmissionSource> source, FlitNodeEvents& events, Arena& arena)
    : sc_module(module_name),
      Clocked(domain),
      port("port"),
      config_(config),
      pool_(pool),
      routing_(routing),
      node_(node),
      source_(std::move(source)),
      events_(events),
      arena_(arena),
      queue_(4) {
  more_ = source_->next(upcoming_);
  if (more_) wake_for_injection(upcoming_.created);
  watch_source();
}

void FlitNode::end_of_elaboration() {
  for (int i = 0; i < port.size(); ++i) {
    if (port[i]->out() != nullptr) out_ = port[i]->out();
    if (port[i]->in() != nullptr) in_ = port[i]->in();
  }
  if (out_ == nullptr || in_ == nullptr) throw ModelError(name(), "a node needs a channel each way");
  constexpr Cycle most_routers = 3;  // cycles from a switch allocation to the wires
  arrival_board_ = ArrivalBoard(arena_, in_->vcs(), in_->ready_after() + most_routers);
  credit_board_ = ArrivalBoard(arena_, out_->vcs(), 0);
  arrivals_ = arrival_board_.column(0);
  credits_ = credit_board_.column(0);
  out_->bind_sender(waker(), credit_board_, 1, sender_);
  in_->bind_receiver(waker(), arrival_board_, 0, 0, arena_);
  arriving_.resize(in_->vcs());
  source_->bind(*this);
}

void FlitNode::wake_for_injection(Cycle cycle) {
  if (cycle >= inject_at_) return;
  inject_at_ = cycle;
  wake_at(cycle);
}

void FlitNode::enqueue(const Emission& emission) {
  if (queued_ == queue_.size()) {
    std::vector<Pending> larger(queue_.size() * 2);
    for (std::size_t i = 0; i < queued_; ++i) larger[i] = queue_[(head_ + i) & (queue_.size() - 1)];
    queue_.swap(larger);
    head_ = 0;
  }
  queue_[(head_ + queued_++) & (queue_.size() - 1)] = {emission.created, emission.destination,
                                                       emission.flits,   emission.payload_bytes,
                                                       emission.packet,  emission.header};
}

void FlitNode::watch_source() {
  event_at_ = stopped_ ? never : source_->next_event();
  if (event_at_ != never) wake_for_injection(event_at_);
  if (!config_.asks_always) return;
  const bool was_full = full_;
  full_ = source_->is_full();
  if (was_full && !full_) wake_at(domain().now() + 1);  // heads that were left standing
}

bool FlitNode::may_start(unsigned vc, Cycle now, Cycle& at) const {
  unsigned needed = config_.whole_packets ? queue_[head_].flits : 1;
  if (config_.atomic_vcs) needed = out_->depth_flits();
  if (needed > out_->depth_flits())
    throw ModelError(name(), now, "", "a packet does not fit into a router's buffer");
  at = out_->ring(vc).credits_at(needed);
  return at <= now;
}

bool FlitNode::start_packet(Cycle now) {
  const Pending& next = queue_[head_];
  const routing::VcMask allowed =
      config_.own_vcs ? routing::vc_range(0, out_->vcs()) : routing_.injection_vcs(node_, next.destination);
  unsigned vc = vc_;
  for (unsigned tried = 0; tried < out_->vcs(); ++tried) {
    vc = vc + 1 == out_->vcs() ? 0 : vc + 1;
    if ((allowed >> vc & 1U) == 0) continue;
    Cycle at = 0;
    if (!may_start(vc, now, at)) {
      if (at == never) {
        out_->watch_credit(vc, vc);
      } else {
        wake_for_injection(at);
      }
      continue;
    }
    packet_ = next.packet == no_packet ? make_packet(next) : next.packet;
    pool_.at(packet_).injected = now;
    flits_ = next.flits;
    head_ = static_cast<std::uint32_t>((head_ + 1) & (queue_.size() - 1));
    --queued_;
    vc_ = static_cast<std::uint8_t>(vc);
    sequence_ = 0;
    sending_ = true;
    return true;
  }
  return false;
}

PacketIndex FlitNode::make_packet(const Pending& next) {
  PacketRef reference = next.payload_bytes == 0 ? pool_.make_bare() : pool_.make();
  Packet& packet = reference.edit();
  packet.id = packet_id(node_, serial_++);
  packet.created = next.created;
  packet.source = node_;
  packet.destination = next.destination;
  packet.flits = next.flits;
  packet.payload_bytes = next.payload_bytes;
  packet.header = next.header;
  return reference.detach();
}

inline void FlitNode::take(unsigned vc, const FlitSlot& flit, Cycle now) {
  if (flit.killed()) {
    ++flits_killed_;
    return;
  }
  Arriving& from = arriving_[vc];
  if (flit.head()) {
    if (from.open) fail(now, flit.flit(), "a packet begins within another one");
    from.packet = flit.packet();
    from.sequence = 0;
    from.open = true;
    from.head = now;
  }
  if (!from.open || !flit.holds(from.packet, from.sequence))
    fail(now, flit.flit(), "a flit that was not due");
  ++from.sequence;
  ++flits_ejected_;
  if (now - config_.window_from < config_.window_to - config_.window_from) ++flits_in_window_;
  if (!flit.tail()) return;
  from.open = false;
  deliver(from.packet, from.head, now);
}

inline void FlitNode::eject(std::uint64_t vcs, Cycle now) {
  for (; vcs != 0; vcs &= vcs - 1) {
    const auto vc = static_cast<unsigned>(__builtin_ctzll(vcs));
    FlitRing& ring = in_->ring(vc);
    FlitSlot& front = ring.front();
    if (front.holds_flit() && front.cycle() <= now) {
      if (full_ && front.head() && !front.killed()) continue;  // stays announced
      take(vc, front, now);
      in_->pop_known(now, ring);
    }  // else told too early, over a long cable
    const FlitSlot& next = ring.front();
    if (next.holds_flit() && next.cycle() <= now) {
      wake_at(now + 1);  // it came while a head in front of it was left standing
    } else if (!next.holds_flit() || arrivals_.announce(vc, now, next.cycle())) {
      arrivals_.busy() &= ~(std::uint64_t{1} << vc);
    }
  }
}

inline void FlitNode::send(Cycle now) {
  if (free_at_ > now) return wake_for_injection(free_at_);
  FlitRing& ring = sender_.ring(vc_);
  const Cycle credit = ring.credit_at();
  if (credit > now) {
    if (credit == never) {
      out_->watch_credit(vc_, vc_);
    } else {
      wake_for_injection(credit);
    }
    return;
  }
  const bool head = sequence_ == 0, tail = sequence_ + 1U == flits_;
  Flit flit;
  flit.packet = packet_;
  flit.sequence = sequence_;
  flit.flags = static_cast<std::uint8_t>(Flit::is_flit | (head ? Flit::head : 0) | (tail ? Flit::tail : 0));
  FlitSlot slot;
  slot.fill(flit, 0);
  sender_.send(now, now, ring, slot.identity(), sequence_);
  free_at_ = now + out_->flit_cycles();
  ++flits_sent_;
  if (head) ++sent_;
  ++sequence_;
  sending_ = !tail;
  if (tail) {
    source_->departed(now, pool_.at(packet_));
    watch_source();
  }
  if (sending_ || queued_ > 0) wake_for_injection(free_at_);
}

/// Sources with events of their own are the exception.
void FlitNode::ask_source(Cycle now) {
  source_->advance(now);
  if (!more_) more_ = source_->next(upcoming_);
  watch_source();
}

void FlitNode::take_births(Cycle now) {
  while (more_ && upcoming_.created <= now) {
    enqueue(upcoming_);
    ++born_;
    flits_born_ += upcoming_.flits;
    events_.on_born(node_, upcoming_);
    const Cycle last = upcoming_.created;
    more_ = source_->next(upcoming_);
    if (more_ && upcoming_.created < last) throw ModelError(name(), now, "", "a source went back in time");
  }
}

/// Credits that were waited for wake, too, so injection looks whenever it has not been told to sleep longer.
void FlitNode::step(Cycle now) {
  if (const std::uint64_t arrived = arrivals_.take(now)) eject(arrived, now);
  if (now >= inject_at_ || credits_.busy() != 0 || config_.asks_always) {
    inject_at_ = never;
    credits_.busy() = 0;
    if (event_at_ <= now || config_.asks_always) ask_source(now);
    if (more_ && upcoming_.created <= now) take_births(now);
    if (sending_ || (queued_ > 0 && start_packet(now))) send(now);
    if (more_) wake_for_injection(upcoming_.created);
    if (event_at_ != never) wake_for_injection(event_at_);
  }
}

void FlitNode::deliver(PacketIndex index, Cycle head, Cycle now) {
  PacketRef packet = pool_.attach(index);
  if (packet->destination != node_)
    throw ModelError(name(), now, packet_name(packet->id), "came to the wrong node");
  ++delivered_;
  events_.on_delivered(*packet, head, now);
  source_->take(now, std::move(packet));
  watch_source();
  if (more_ || stopped_) return;
  more_ = source_->next(upcoming_);
  if (more_) wake_for_injection(std::max(upcoming_.created, now + 1));
}

void FlitNode::purge(PacketIndex packet, Cycle now) {
  if (sending_ && packet_ == packet) {
    sending_ = false;
    inject_at_ = never;
    wake_for_injection(std::max(now + 1, free_at_));
  }
  for (Arriving& from : arriving_) {
    if (from.open && from.packet == packet) from.open = false;
  }
  if (in_->kill(packet) != 0) wake_at(now + 1);
}

void FlitNode::fail(Cycle now, const Flit& flit, const char* what) const {
  throw ModelError(name(), now, packet_name(pool_.at(flit.packet).id),
                   std::string(what) + ": flit " + std::to_string(flit.sequence));
}

}  // namespace tsuji::traffic
