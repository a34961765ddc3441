// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/node.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/network/dense/bit_instructions.h"

namespace tsuji::network::dense {

using traffic::Emission;

Node::Node(NodeId id, const NodeShared& shared, std::unique_ptr<traffic::EmissionSource> source, Arena& arena,
           Home& home, unsigned unit)
    : shared_(&shared),
      home_(&home),
      row_(home.row(unit)),
      inlets_(arena.array<Inlet>(shared.vcs)),
      out_(arena.array<OutputVc<Bits>>(shared.vcs)),
      unit_(static_cast<std::uint8_t>(unit)),
      queue_(arena.array<Pending>(first_places)),
      heads_(arena.array<PacketIndex>(std::size_t{shared.vcs} * shared.buffers.places)),
      source_(std::move(source), id, shared.config.nodes),
      id_(id) {
  std::fill_n(heads_, std::size_t{shared.vcs} * shared.buffers.places, traffic::no_packet);
  listens_ = source_->listens();
  if (source_->births_may_wait()) most_queued_ = waiting_places;
  if (shared.config.begins_at_vc_0) vc_ = static_cast<std::uint8_t>(shared.vcs - 1);
  for (unsigned v = 0; v < shared.vcs; ++v) out_[v].credits = Count(shared.buffers.depth, shared.buffers.one);
}

void Node::connect_output(const Wire& wire, PacketIndex* heads, unsigned first_bit) {
  wire_ = wire;
  for (unsigned v = 0; v < shared_->vcs; ++v) {
    out_[v].heads = heads + std::size_t{v} * shared_->buffers.places;
    out_[v].far_bit = bit(first_bit + v);
  }
}

void Node::connect_credits(const Wire& wire, unsigned first_bit) {
  credit_wire_ = wire;
  credit_bit_ = static_cast<std::uint8_t>(first_bit);
}

void Node::join_threads(const NodeShared& shared, Crossings& crossings) {
  shared_ = &shared;
  wire_.join_thread(*home_, crossings);
  credit_wire_.join_thread(*home_, crossings);
}

void Node::begin() {
  more_ = source_.next(upcoming_, 0);
  if (more_) inject_in(upcoming_.created);
  watch_source();
  planned_at_ = inject_at_;
  if (inject_at_ != never) home_->wake_far(inject_at_, unit_);
}

TSUJI_BIT_INSTRUCTIONS
void Node::run(Node* nodes, unsigned first, Bits units, const Moment& at, Work& work) {
  Work sum;
  for (units >>= first; units != 0; units &= units - 1) nodes[lowest(units)].step(at, sum);
  work.add(sum);
}

[[gnu::always_inline]] inline void Node::step(const Moment& at, Work& work) {
  Bits* const row = &in_slot(row_, at.slot[0]);
  const Bits flits = row[0], credits = row[1];
  if ((flits | credits) != 0) {
    work.arrivals |= flits | credits;
    row[0] = row[1] = 0;
    if (credits != 0) take_credits(credits, at.now);
    for (Bits vcs = flits; vcs != 0; vcs &= vcs - 1) take(lowest(vcs), at);
  }
  if (at.now >= inject_at_ || (blocked_ && credits != 0)) inject(at);
  if (inject_at_ != planned_at_) plan(at, work);
}

/// Lets the node run for the next injection.
[[gnu::always_inline]] inline void Node::plan(const Moment& at, Work& work) {
  planned_at_ = inject_at_;
  if (inject_at_ == at.now + 1) {
    work.again |= bit(unit_);
  } else if (inject_at_ != never) {
    home_->wake_at(at, inject_at_, unit_);
  }
}

[[gnu::always_inline]] inline void Node::take_credits(Bits credits, Cycle now) {
  for (; credits != 0; credits &= credits - 1)
    if (seldom(!out_[lowest(credits)].credits.add(shared_->buffers.one)))
      fail(now, packet_id(id_, serial_), "the node gets a credit too many");
}

[[gnu::always_inline]] inline void Node::take(unsigned vc, const Moment& at) {
  const Cycle now = at.now;
  Inlet& inlet = inlets_[vc];
  if (inlet.left == 0) {
    inlet.packet =
        pop_head(heads_ + std::size_t{vc} * shared_->buffers.places, inlet.read, shared_->buffers.places);
    if (inlet.packet == traffic::no_packet) fail(now, packet_id(id_, serial_), "an unexpected flit");
    inlet.left = shared_->pool.at(inlet.packet).flits;
    inlet.head = now;
  }
  credit_wire_.send(at, bit(credit_bit_ + vc));
  ++flits_ejected_;
  const traffic::FlitNodeConfig& config = shared_->config;
  if (now >= config.window_from && now < config.window_to) ++flits_in_window_;
  if (--inlet.left == 0) deliver(inlet.packet, inlet.head, now);
}

void Node::deliver(PacketIndex index, Cycle head, Cycle now) {
  PacketRef packet = shared_->pool.attach(index);
  if (packet->destination != End(id_)) fail(now, packet->id, "arrived at the wrong node");
  shared_->events.on_delivered(*packet, head, now);
  if (!listens_) return;
  source_->take(now, std::move(packet));
  watch_source();
  if (more_) return;
  more_ = source_.next(upcoming_, now);
  if (more_) inject_in(std::max(upcoming_.created, now + 1));
}

void Node::watch_source() {
  if (!listens_) return;
  event_at_ = source_->next_event();
  inject_in(event_at_);
}

/// Called for sources with events of their own only.
void Node::ask_source(Cycle now) {
  source_->advance(now);
  if (!more_) more_ = source_.next(upcoming_, now);
  watch_source();
}

void Node::take_births(Cycle now) {
  while (more_ && upcoming_.created <= now && queued_ < most_queued_) {
    enqueue(upcoming_);
    shared_->events.on_born(id_, upcoming_, now);
    more_ = source_.next(upcoming_, now);
  }
}

void Node::enqueue(const Emission& emission) {
  if (queued_ > queue_mask_) grow_queue();
  Pending& last = queue_[(head_ + queued_++) & queue_mask_];
  last.created = emission.created;
  last.destination = emission.destination;
  last.flits = emission.flits;
  last.payload_bytes = emission.payload_bytes;
  last.packet = emission.packet;
  last.packet_class = emission.packet_class;
  last.vcs = emission.vcs;
  last.header = emission.header;
}

void Node::grow_queue() {
  std::vector<Pending> larger((queue_mask_ + std::size_t{1}) * 2);
  for (std::uint32_t i = 0; i < queued_; ++i) larger[i] = queue_[(head_ + i) & queue_mask_];
  larger_queue_.swap(larger);
  queue_ = larger_queue_.data();
  queue_mask_ = static_cast<std::uint32_t>(larger_queue_.size() - 1);
  head_ = 0;
}

[[gnu::always_inline]] inline void Node::inject(const Moment& at) {
  const Cycle now = at.now;
  inject_at_ = never;
  blocked_ = false;
  if (event_at_ <= now) ask_source(now);
  if (more_ && upcoming_.created <= now) take_births(now);
  if (sending_ || (queued_ > 0 && start_packet(now))) send(at);
  // With a full queue the next start of a packet makes room.
  if (more_ && queued_ < most_queued_) inject_in(std::max(upcoming_.created, now + 1));
  inject_in(event_at_);
}

bool Node::may_start(const OutputVc<Bits>& vc, Cycle now) const {
  const traffic::FlitNodeConfig& config = shared_->config;
  if (!config.whole_packets && !config.atomic_vcs) return !vc.credits.none();
  const unsigned needed = config.atomic_vcs ? shared_->buffers.depth : queue_[head_].flits;
  if (needed > shared_->buffers.depth)
    fail(now, packet_id(id_, serial_), "does not fit into a router's buffer");
  return vc.credits.at_least(needed, shared_->buffers.one);
}

/// The link is free, as a step sends one flit at most, whose time is a cycle.
[[gnu::always_inline]] inline bool Node::start_packet(Cycle now) {
  const Pending& next = queue_[head_];
  const unsigned vcs = shared_->vcs;
  const auto allowed = static_cast<routing::VcMask>(
      (shared_->config.own_vcs ? routing::vc_range(0, vcs)
                               : shared_->routing.injection_vcs(id_, next.destination)) &
      next.vcs);
  unsigned vc = vc_;
  for (unsigned tried = 0; tried < vcs; ++tried) {
    vc = vc + 1 == vcs ? 0 : vc + 1;
    if ((allowed >> vc & 1U) == 0) continue;
    if (!may_start(out_[vc], now)) {
      blocked_ = true;
      continue;
    }
    blocked_ = false;
    packet_ = next.packet == traffic::no_packet ? make_packet(next) : next.packet;
    shared_->pool.at(packet_).injected = now;
    flits_ = next.flits;
    head_ = (head_ + 1) & queue_mask_;
    --queued_;
    vc_ = static_cast<std::uint8_t>(vc);
    sequence_ = 0;
    sending_ = true;
    return true;
  }
  return false;
}

PacketIndex Node::make_packet(const Pending& next) {
  PacketRef reference = next.payload_bytes == 0 ? shared_->pool.make_bare() : shared_->pool.make();
  Packet& packet = reference.edit();
  packet.id = packet_id(id_, serial_++);
  packet.created = next.created;
  packet.source = id_;
  packet.destination = next.destination;
  packet.flits = next.flits;
  packet.payload_bytes = next.payload_bytes;
  packet.packet_class = next.packet_class;
  packet.header = next.header;
  return reference.detach();
}

[[gnu::always_inline]] inline void Node::send(const Moment& at) {
  const Cycle now = at.now;
  OutputVc<Bits>& to = out_[vc_];
  if (to.credits.none()) {
    blocked_ = true;
    return;
  }
  to.credits.take(shared_->buffers.one);
  if (sequence_ == 0) {
    to.push(packet_, shared_->buffers.places);
    ++sent_;
    if (seldom(shared_->watch != nullptr))
      shared_->watch->leaves_source({packet_, now + 1, now + wire_.cycles, false});
  }
  wire_.send(at, to.far_bit);
  ++flits_sent_;
  free_at_ = now + 1;
  sending_ = ++sequence_ != flits_;
  if (!sending_ && listens_) {
    source_->departed(now, shared_->pool.at(packet_));
    watch_source();
  }
  if (sending_ || queued_ > 0) inject_in(now + 1);
}

std::uint64_t Node::flits_held() const {
  std::uint64_t flits = 0;
  for (unsigned v = 0; v < shared_->vcs; ++v) flits += flits_held(v);
  return flits;
}

unsigned Node::flits_held(unsigned vc) const {
  return home_->count(row(), vc);
}

unsigned Node::credits(unsigned vc) const {
  return out_[vc].credits.number(shared_->buffers.one) + home_->count(row() + 1, vc);
}

void Node::visit_packets(const std::function<void(PacketIndex)>& visit) const {
  for (unsigned v = 0; v < shared_->vcs; ++v) {
    unsigned flits = flits_held(v);
    const auto take = [&](PacketIndex packet, unsigned most) {
      for (; most != 0 && flits != 0; --most, --flits) visit(packet);
    };
    take(inlets_[v].packet, inlets_[v].left);
    unsigned place = inlets_[v].read;
    while (flits != 0) {
      const PacketIndex packet = heads_[std::size_t{v} * shared_->buffers.places + place];
      if (packet == traffic::no_packet) fail(0, packet_id(id_, serial_), "flits without a head");
      take(packet, shared_->pool.at(packet).flits);
      place = place + 1 == shared_->buffers.places ? 0 : place + 1;
    }
  }
}

Cycle Node::last_event(Cycle now) const {
  return std::max(sending_ || queued_ > 0 ? free_at_ : 0, home_->last(row(), 2, now));
}

void Node::fail(Cycle now, PacketId packet, const std::string& what) const {
  throw ModelError("node " + End(id_).name(), now, packet_name(packet), what);
}

}  // namespace tsuji::network::dense
