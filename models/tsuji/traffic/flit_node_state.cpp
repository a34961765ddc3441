// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/flit_node_state.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::traffic {

FlitNodeState::FlitNodeState(const Parts& parts, End end, std::unique_ptr<EmissionSource> source,
                             std::unique_ptr<CongestionControl> control)
    : config_(parts.config),
      pool_(&parts.pool),
      routing_(&parts.routing),
      events_(&parts.events),
      arena_(parts.arena),
      source_(std::move(source), end, parts.config.nodes),
      end_(end),
      has_classes_(parts.config.policy.sets != 0),
      control_(std::move(control)) {
  stream_.queue = arena_.array<Pending>(first_places);
  listens_ = source_->listens();
  if (source_->births_may_wait()) most_queued_ = waiting_places;
  if (has_classes_) add_streams(arena_);
}

void FlitNodeState::bind(const Waker& self, FlitChannel& out, FlitChannel& in) {
  alarm_ = Alarm(self);
  out_ = &out;
  in_ = &in;
  flit_cycles_ = static_cast<std::uint32_t>(out.flit_cycles());
  last_word_after_ = static_cast<std::uint32_t>(in.flit_cycles() - 1 - in.last_word_after());
  constexpr Cycle most_routers = 3;  // cycles from a switch allocation to the wires
  if (config_.begins_at_vc_0) stream_.vc = static_cast<std::uint8_t>(out.vcs() - 1);
  const bool ends_later = last_word_after_ != 0 || in.whole_packets();
  const unsigned lines = ends_later ? in.vcs() + 1 : in.vcs();
  const Cycle packet_cycles = in.whole_packets() ? in.depth_flits() : 0;
  arrivals_ = ArrivalCalendar(arena_, lines, std::max(in.ready_after() + most_routers, packet_cycles));
  credits_ = ArrivalCalendar(arena_, out.vcs(), 0);
  inlets_ = arena_.array<Inlet>(lines);
  FlitBuffers buffers;
  buffers.first = inlets_;
  buffers.stride_bytes = sizeof(Inlet);
  buffers.slots = arena_.array<FlitSlot>(std::size_t{in.vcs()} * in.depth_flits());
  if (ends_later) inlets_[in.vcs()].slots = arena_.array<FlitSlot>(1);  // always empty
  out.bind_sender(self, credits_, 1, sender_);
  in.bind_receiver(self, arrivals_, 0, 0, buffers);
  more_ = source_.next(upcoming_, 0);
  if (more_) inject_in(upcoming_.created);
  watch_source(0);
  plan(inject_at_);
}

/// Wakes the node for `next` unless its last wake-up is for that cycle.
inline void FlitNodeState::plan(Cycle next) {
  if (next == planned_at_) return;
  planned_at_ = next;
  if (next != never) alarm_.wake_at(next);
}

void FlitNodeState::enqueue(const Emission& emission) {
  if (stream_.queued > stream_.queue_mask) grow_queue();
  Pending& last = stream_.queue[(stream_.head + stream_.queued++) & stream_.queue_mask];
  last.created = emission.created;
  last.destination = emission.destination;
  last.flits = emission.flits;
  last.payload_bytes = emission.payload_bytes;
  last.packet = emission.packet;
  last.packet_class = emission.packet_class;
  last.sid = emission.sid;
  last.held_back = false;
  last.vcs = emission.vcs;
  if (emission.packet == no_packet) last.serial = serial_++;
  last.header = emission.header;
}

void FlitNodeState::grow_queue() {
  std::vector<Pending> larger((stream_.queue_mask + std::size_t{1}) * 2);
  for (std::uint32_t i = 0; i < stream_.queued; ++i)
    larger[i] = stream_.queue[(stream_.head + i) & stream_.queue_mask];
  stream_.larger_queue.swap(larger);
  stream_.queue = stream_.larger_queue.data();
  stream_.queue_mask = static_cast<std::uint32_t>(stream_.larger_queue.size() - 1);
  stream_.head = 0;
}

void FlitNodeState::watch_source(Cycle now) {
  if (!listens_) return;
  event_at_ = source_->next_event();
  inject_in(event_at_);
  if (has_classes_) return watch_classes(now);
  if (!config_.asks_always) return;
  const bool was_full = full_;
  full_ = source_->is_full();
  if (was_full && !full_) again_at_ = now + 1;  // heads that waited
}

/// The cycle from which virtual channel `vc` has room for the first packet of the queue.
inline Cycle FlitNodeState::may_start(unsigned vc, Cycle now) const {
  const FlitRing& ring = sender_.ring(vc);
  if (!config_.whole_packets && !config_.atomic_vcs) return ring.credit_at();
  const unsigned needed = config_.atomic_vcs ? ring.depth() : stream_.queue[stream_.head].flits;
  if (needed > ring.depth())
    fail(now, packet_id(end_, stream_.queue[stream_.head].serial), "does not fit into a router's buffer");
  return ring.credits_at(needed);
}

/// Chooses a virtual channel only when the link is free: until then another one may get its credits first.
[[gnu::always_inline]] inline bool FlitNodeState::start_packet(Cycle now) {
  if (free_at_ > now) {
    inject_in(free_at_);
    return false;
  }
  if (control_ != nullptr && acks_queued_ == 0 && !admit(now)) return false;
  const Pending& next = stream_.queue[stream_.head];
  const unsigned vcs = out_->vcs();
  const auto allowed = static_cast<routing::VcMask>(
      (config_.own_vcs ? routing::vc_range(0, vcs) : routing_->injection_vcs(end_, next.destination)) &
      stream_.vcs & next.vcs);
  unsigned vc = stream_.vc;
  for (unsigned tried = 0; tried < vcs; ++tried) {
    vc = vc + 1 == vcs ? 0 : vc + 1;
    if ((allowed >> vc & 1U) == 0) continue;
    if (const Cycle at = may_start(vc, now); at > now) {
      if (at == never) {
        out_->watch_credit(vc, vc);
      } else {
        inject_in(at);
      }
      continue;
    }
    stream_.packet = next.packet == no_packet ? make_packet(next) : next.packet;
    pool_->at(stream_.packet).injected = now;
    stream_.flits = next.flits;
    if (control_ != nullptr) count_start(next, now);
    stream_.head = (stream_.head + 1) & stream_.queue_mask;
    --stream_.queued;
    stream_.vc = static_cast<std::uint8_t>(vc);
    stream_.sequence = 0;
    stream_.sending = true;
    return true;
  }
  return false;
}

/// Brings the first packet that congestion control lets start to the front of the queue. Packets to other
/// destinations overtake those that are held back. Returns false if there is none.
[[gnu::noinline, gnu::cold]] bool FlitNodeState::admit(Cycle now) {
  held_until_ = never;
  const std::uint32_t places = std::min(stream_.queued, admitted_places);
  for (std::uint32_t place = 0; place < places; ++place) {
    Pending& packet = waiting(place);
    const Cycle at = control_->may_start(packet.destination, packet.flits, now);
    held_until_ = std::min(held_until_, at);
    if (at <= now) {
      bring_forward(place, 0);
      return true;
    }
    if (!packet.held_back) ++congestion_.held_back;
    packet.held_back = true;
  }
  inject_in(held_until_);
  return false;
}

/// Moves a packet of the queue ahead of those from place `to` on.
void FlitNodeState::bring_forward(std::uint32_t from, std::uint32_t to) {
  if (from == to) return;
  const Pending packet = waiting(from);
  for (std::uint32_t place = from; place > to; --place) waiting(place) = waiting(place - 1);
  waiting(to) = packet;
}

[[gnu::noinline, gnu::cold]] void FlitNodeState::count_start(const Pending& next, Cycle now) {
  if (acks_queued_ == 0) return control_->started(next.destination, next.flits, now);
  --acks_queued_;
  ++congestion_.acks_sent;
}

/// Queues the acknowledgement of a packet that has arrived, ahead of the node's own packets.
[[gnu::noinline, gnu::cold]] void FlitNodeState::acknowledge(const Packet& packet, Cycle now) {
  PacketRef reference = pool_->make_bare();
  Packet& ack = reference.edit();
  ack.id = packet_id(end_, first_ack_serial + static_cast<std::uint32_t>(congestion_.acks_made++));
  ack.created = now;
  ack.source = end_;
  ack.destination = packet.source;
  ack.flits = 1;
  ack.acknowledges = true;
  ack.marked = packet.marked;
  Emission emission;
  emission.created = now;
  emission.flits = 1;
  emission.destination = packet.source;
  emission.packet = reference.detach();
  enqueue(emission);
  bring_forward(stream_.queued - 1, acks_queued_++);
  inject_in(now);
}

[[gnu::noinline, gnu::cold]] void FlitNodeState::take_acknowledgement(const Packet& packet, Cycle now) {
  flits_in_window_ -= config_.cycles_in_window(now, now + 1);
  ++congestion_.acks_taken;
  if (packet.marked) ++congestion_.marks_taken;
  control_->acknowledged(packet.source, packet.marked, now);
  inject_in(now);
}

CongestionCounts FlitNodeState::congestion() const {
  CongestionCounts counts = congestion_;
  if (control_ != nullptr) counts.halvings = control_->halvings();
  return counts;
}

PacketIndex FlitNodeState::make_packet(const Pending& next) {
  PacketRef reference = next.payload_bytes == 0 ? pool_->make_bare() : pool_->make();
  Packet& packet = reference.edit();
  packet.id = packet_id(end_, next.serial);
  packet.created = next.created;
  packet.source = end_;
  packet.destination = next.destination;
  packet.flits = next.flits;
  packet.payload_bytes = next.payload_bytes;
  packet.packet_class = next.packet_class;
  packet.sid = next.sid;
  packet.header = next.header;
  return reference.detach();
}

[[gnu::always_inline]] inline void FlitNodeState::take(Inlet& inlet, const FlitSlot& flit, Cycle now) {
  if (flit.head()) {
    if (inlet.sequence != Inlet::between_packets)
      fail(now, flit.flit(), "the head of a packet arrives between the flits of another packet");
    inlet.packet = flit.packet();
    inlet.sequence = 0;
    inlet.head = now;
  }
  if (!flit.holds(inlet.packet, inlet.sequence)) fail(now, flit.flit(), "an unexpected flit");
  ++inlet.sequence;
  ++flits_ejected_;
  if (now - config_.window_from < config_.window_to - config_.window_from) ++flits_in_window_;
  if (!flit.tail()) return;
  inlet.sequence = Inlet::between_packets;
  if (last_word_after_ != 0) return end_packet(inlet, flit.cycle(), now);
  deliver(inlet.packet, inlet.head, now);
}

/// Delivers a packet whose last flit could be taken from cycle `ready` on, with that flit's last word.
void FlitNodeState::end_packet(const Inlet& inlet, Cycle ready, Cycle now) {
  if (ready + last_word_after_ <= now) return deliver(inlet.packet, inlet.head, now);
  if (last_.at != never)
    fail(now, pool_->at(inlet.packet).id,
         "its last flit arrived while words of another packet were on the wires");
  await_last({ready + last_word_after_, inlet.head, inlet.packet}, now);
}

void FlitNodeState::await_last(const LastWords& last, Cycle now) {
  last_ = last;
  arrivals_.announce(in_->vcs(), now, last_.at);
  alarm_.wake_at(last_.at);
}

/// Takes a packet whose flits arrive one a cycle from `now` on.
[[gnu::noinline]] void FlitNodeState::take_packet(Inlet& inlet, const FlitSlot& head, Cycle now) {
  if (last_.at != never) fail(now, head.flit(), "a packet arrives between the flits of another one");
  const PacketIndex packet = head.packet();
  const unsigned flits = pool_->at(packet).flits;
  if (!in_->pop_packet(now, inlet, packet, flits))
    fail(now, head.flit(), "a packet of which flits are missing");
  flits_ejected_ += flits;
  if (flits == 1) {
    flits_in_window_ += config_.cycles_in_window(now, now + 1);
    deliver(packet, now, now);
  } else {
    await_last({now + flits - 1, now, packet}, now);
  }
}

/// Looks at the last words for a line without a flit that can be taken: their own, or one that was busy too
/// early, on a long link (ArrivalCalendar::Column::announce). Returns whether the line stays busy.
bool FlitNodeState::look_at_last(unsigned line, Cycle now) {
  if (line != in_->vcs()) return false;
  if (last_.at > now) return !arrivals_.announce(line, now, last_.at);
  const LastWords ended = std::exchange(last_, {});
  // The window may have been set since the packet was taken.
  if (in_->whole_packets()) flits_in_window_ += config_.cycles_in_window(ended.head, now + 1);
  deliver(ended.packet, ended.head, now);
  return false;
}

[[gnu::always_inline]] inline void FlitNodeState::take_flit(Inlet& inlet, FlitSlot& front, Cycle now) {
  if (front.killed()) {
    ++flits_killed_;
  } else {
    take(inlet, front, now);
  }
  if (inlet.listeners != 0) in_->notify_freed(now, inlet);
  front.free(now + inlet.credit_after);
  inlet.pass_front();
}

[[gnu::always_inline]] inline void FlitNodeState::eject(std::uint64_t vcs, Cycle now) {
  for (; vcs != 0; vcs &= vcs - 1) {
    const auto vc = static_cast<unsigned>(__builtin_ctzll(vcs));
    Inlet& inlet = inlets_[vc];
    FlitSlot& front = inlet.front();
    if (front.holds_flit() && front.cycle() <= now) {
      if (full_ && front.head() && !front.killed() && holds_back(front, now)) continue;  // stays announced
      if (in_->whole_packets()) {
        take_packet(inlet, front, now);
      } else {
        take_flit(inlet, front, now);
      }
    } else if (look_at_last(vc, now)) {
      continue;
    }
    const FlitSlot& next = inlet.front();
    if (next.holds_flit() && next.cycle() <= now) {
      again_at_ = now + 1;  // it came while a head in front of it waited
    } else if (!next.holds_flit() || arrivals_.announce(vc, now, next.cycle())) {
      arrivals_.clear_busy(vc);
    }
  }
}

inline void FlitNodeState::send(Cycle now) {
  if (free_at_ > now) return inject_in(free_at_);
  if (out_->whole_packets()) return send_packet(now);
  FlitRing& ring = sender_.ring(stream_.vc);
  if (const Cycle credit = ring.credit_at(); credit > now) {
    if (credit != never) return inject_in(credit);
    return out_->watch_credit(stream_.vc, stream_.vc);
  }
  const bool head = stream_.sequence == 0, tail = stream_.sequence + 1U == stream_.flits;
  Flit flit;
  flit.packet = stream_.packet;
  flit.sequence = stream_.sequence;
  flit.flags = static_cast<std::uint8_t>(Flit::is_flit | (head ? Flit::head : 0) | (tail ? Flit::tail : 0));
  FlitSlot slot;
  slot.fill(flit, 0);
  sender_.send(now, now, ring, slot.identity(), stream_.sequence);
  free_at_ = now + flit_cycles_;
  ++stream_.sequence;
  stream_.sending = !tail;
  if (head) ++sent_;
  if (tail && listens_) tell_departed(now);
  if (stream_.sending || stream_.queued > 0) inject_in(free_at_);
}

/// The source sees its own packets, also acknowledgements that it makes itself.
void FlitNodeState::tell_departed(Cycle now) {
  const Packet& packet = pool_->at(stream_.packet);
  if (config_.acknowledges && packet.acknowledges) return;
  source_->departed(now, packet);
  watch_source(now);
}

/// Sends the flits of a packet at once, one for each cycle. A source that listens is notified in the cycle of
/// the last one.
void FlitNodeState::send_packet(Cycle now) {
  if (stream_.sequence == 0) {
    sender_.send_packet(now, sender_.ring(stream_.vc), stream_.packet, stream_.flits);
    ++sent_;
    stream_.sequence = stream_.flits;
    stream_.sending = listens_;
    free_at_ = now + stream_.flits - (listens_ ? 1U : 0U);
  }
  if (free_at_ == now) {
    free_at_ = now + 1;
    stream_.sending = false;
    source_->departed(now, pool_->at(stream_.packet));
    watch_source(now);
  }
  if (stream_.sending || stream_.queued > 0) inject_in(free_at_);
}

/// Called for sources with events of their own only.
void FlitNodeState::ask_source(Cycle now) {
  source_->advance(now);
  if (!more_) more_ = source_.next(upcoming_, now);
  watch_source(now);
}

[[gnu::always_inline]] inline void FlitNodeState::take_birth(Cycle now) {
  enqueue(upcoming_);
  events_->on_born(end_, upcoming_, now);
  more_ = source_.next(upcoming_, now);
}

void FlitNodeState::take_births(Cycle now) {
  while (more_ && upcoming_.created <= now && stream_.queued < most_queued_) take_birth(now);
}

/// One flit of the first set, in the order of the arbiter, that can send one.
[[gnu::noinline, gnu::cold]] void FlitNodeState::inject_by_class(Cycle now) {
  if (event_at_ <= now || config_.asks_always) ask_source(now);
  while (more_ && upcoming_.created <= now) {
    select(config_.policy.set_of_vc[config_.classes.all.at(upcoming_.sid).first_vc]);
    take_birth(now);
  }
  inject_at_ = never;  // events that have led to these births
  watch_source(now);
  unsigned wishes = 0;
  for (unsigned set = 0; set < config_.policy.sets; ++set) {
    select(set);
    if (has_work()) wishes |= 1U << set;
  }
  const bool any = wishes != 0;
  while (wishes != 0 && free_at_ <= now) {
    const unsigned set = arbiter_.choose(config_.policy, wishes);
    select(set);
    if (stream_.sending || start_packet(now)) send(now);
    if (free_at_ > now) arbiter_.served(config_.policy, set);
    wishes &= ~(1U << set);
  }
  if (any && free_at_ > now) inject_in(free_at_);
  if (more_) inject_in(upcoming_.created);
  inject_in(event_at_);
}

void FlitNodeState::add_streams(Arena& arena) {
  const ClassPolicy& policy = config_.policy;
  parked_.resize(policy.sets);
  for (unsigned set = 1; set < policy.sets; ++set) {
    parked_[set].queue = arena.array<Pending>(first_places);
    parked_[set].vcs = policy.vcs.at(set);
  }
  stream_.vcs = policy.vcs.front();
  arbiter_ = ClassArbiter(policy);
  full_ = true;
}

/// Reads the classes of which the source accepts no further packet.
[[gnu::noinline, gnu::cold]] void FlitNodeState::watch_classes(Cycle now) {
  const auto closed = static_cast<std::uint8_t>(source_->closed_classes());
  if ((closed_ & ~closed) != 0) again_at_ = now + 1;  // heads that waited
  closed_ = closed;
}

/// Called for heads while full_. Returns true if the head waits; any other one is ejected in this cycle.
[[gnu::noinline, gnu::cold]] bool FlitNodeState::holds_back(const FlitSlot& head, Cycle now) {
  if (!has_classes_) return true;
  const Packet& packet = pool_->at(head.packet());
  if ((closed_ >> packet.sid & 1U) != 0) return true;
  source_->begins(now, packet);
  watch_classes(now);
  return false;
}

[[gnu::always_inline]] inline void FlitNodeState::inject(Cycle now) {
  inject_at_ = never;
  credits_.busy(0) = 0;
  if (has_classes_) return inject_by_class(now);
  if (event_at_ <= now || config_.asks_always) ask_source(now);
  if (more_ && upcoming_.created <= now) take_births(now);
  if (stream_.sending || (stream_.queued > 0 && start_packet(now))) send(now);
  // With a full queue the next start of a packet makes room.
  if (more_ && stream_.queued < most_queued_) inject_in(std::max(upcoming_.created, now + 1));
  inject_in(event_at_);
}

/// A credit that injection waits for wakes the node, too.
[[gnu::always_inline]] inline Cycle FlitNodeState::run_cycle(Cycle now) {
  again_at_ = never;
  if (const std::uint64_t arrived = arrivals_.take(0, now)) eject(arrived, now);
  if (now >= inject_at_ || credits_.busy(0) != 0 || config_.asks_always) inject(now);
  return std::min(inject_at_, again_at_);
}

Cycle FlitNodeState::advance(Cycle now) {
  return run_cycle(now);
}

void FlitNodeState::step(Cycle now) {
  const Cycle next = run_cycle(now);
  if (next == planned_at_) return;
  planned_at_ = next;
  alarm_.set(now, next);
}

/// Prefetches the inlets that get flits, and the slot and calendar downstream of the sender.
void FlitNodeState::approach(Cycle now, unsigned stage) const {
  if (stage == 0) {
    for (std::uint64_t lines = arrivals_.expected(0, now); lines != 0; lines &= lines - 1)
      __builtin_prefetch(inlets_ + __builtin_ctzll(lines));
    if (stream_.sending) __builtin_prefetch(&sender_.ring(stream_.vc));
    return;
  }
  if (stage == 1 && stream_.sending) {
    __builtin_prefetch(&sender_.ring(stream_.vc).back());
    sender_.approach();
  }
}

void FlitNodeState::deliver(PacketIndex index, Cycle head, Cycle now) {
  PacketRef packet = pool_->attach(index);
  if (packet->destination != end_) fail(now, packet->id, "arrived at the wrong node");
  if (config_.acknowledges) {
    if (packet->acknowledges) return take_acknowledgement(*packet, now);
    acknowledge(*packet, now);
  }
  events_->on_delivered(*packet, head, now);
  if (!listens_) return;
  source_->take(now, std::move(packet));
  watch_source(now);
  if (more_) return;
  more_ = source_.next(upcoming_, now);
  if (more_) inject_in(std::max(upcoming_.created, now + 1));
}

void FlitNodeState::purge(PacketIndex packet, Cycle now) {
  if (stream_.sending && stream_.packet == packet) {
    stream_.sending = false;
    inject_at_ = std::max(now + 1, free_at_);
    plan(inject_at_);
  }
  for (Stream& other : parked_)
    if (other.packet == packet) other.sending = false;
  for (unsigned vc = 0; vc < in_->vcs(); ++vc) {
    if (inlets_[vc].packet == packet) inlets_[vc].sequence = Inlet::between_packets;
  }
  if (in_->kill(packet) != 0) plan(now + 1);
}

void FlitNodeState::dropped(const Packet& packet, const char* cause, Cycle now) {
  if (!listens_) return;
  source_->dropped(now, packet, cause);
  source_changed(now);
}

void FlitNodeState::source_changed(Cycle now) {
  watch_source(now);
  if (!more_) more_ = source_.next(upcoming_, now);
  if (more_) inject_in(std::max(upcoming_.created, now + 1));
  plan(std::max(inject_at_, now + 1));
}

void FlitNodeState::exchange_routing(const routing::Routing& routing, Cycle now) {
  routing_ = &routing;
  if (stream_.sending || stream_.queued == 0) return;
  inject_in(std::max(now + 1, free_at_));
  plan(inject_at_);
}

Cycle FlitNodeState::last_event(Cycle now) const {
  Cycle last = packets_queued() > 0 || stream_.sending ? free_at_ : 0;
  if (last_.at != never) last = std::max(last, last_.at);
  if (stream_.queued > 0 && held_until_ != never) last = std::max(last, held_until_);
  // The source is full, or has just made room and the heads that waited come next.
  const bool stood = (has_classes_ ? source_->waits_for_user() : full_) || again_at_ != never;
  for (unsigned vc = 0; stood && vc < in_->vcs(); ++vc)
    if (inlets_[vc].front().holds_flit()) last = std::max(last, now);
  return last;
}

void FlitNodeState::fail(Cycle now, PacketId packet, const std::string& what) const {
  throw ModelError("node " + end_.name(), now, packet_name(packet), what);
}

void FlitNodeState::fail(Cycle now, const Flit& flit, const char* what) const {
  fail(now, pool_->at(flit.packet).id, std::string(what) + ": flit " + std::to_string(flit.sequence));
}

}  // namespace tsuji::traffic
