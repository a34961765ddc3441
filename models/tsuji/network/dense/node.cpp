// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/node.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/network/dense/bit_instructions.h"

namespace tsuji::network::dense {

using traffic::Emission;

Node::Node(NodeId id, const NodeShared& shared, std::unique_ptr<traffic::EmissionSource> source, Arena& arena,
           Home& home, unsigned unit, HeadQueues& queues)
    : shared_(&shared),
      home_(&home),
      row_(home.row(unit)),
      inlets_(arena.array<Inlet>(shared.vcs)),
      out_(arena.array<Outlet>(shared.vcs)),
      unit_(static_cast<std::uint8_t>(unit)),
      called_(false),
      full_(false),
      queue_(arena.array<Pending>(first_places)),
      source_(std::move(source), id, shared.config.nodes),
      id_(id),
      heads_(queues.add(shared.vcs)) {
  listens_ = source_->listens();
  if (source_->births_may_wait()) most_queued_ = waiting_places;
  if (shared.config.begins_at_vc_0) vc_ = static_cast<std::uint8_t>(shared.vcs - 1);
  for (unsigned v = 0; v < shared.vcs; ++v) out_[v].credits = Count(shared.buffers.depth, shared.buffers.one);
  if (!shared.passes_whole) return;
  packet_credits_ = arena.array<PacketCredits>(shared.vcs);
  for (unsigned v = 0; v < shared.vcs; ++v)
    packet_credits_[v].build(shared.buffers.depth, arena.array<std::uint16_t>(shared.buffers.places));
}

void Node::connect_output(const Wire& wire, QueueIndex heads, unsigned first_bit) {
  wire_ = wire;
  for (unsigned v = 0; v < shared_->vcs; ++v) {
    out_[v].heads = heads + v;
    out_[v].far_bit = bit(first_bit + v);
  }
}

void Node::connect_credits(const Wire& wire, unsigned first_bit) {
  credit_wire_ = wire;
  credit_bit_ = static_cast<std::uint8_t>(first_bit);
}

void Node::join_threads(const NodeShared& shared, Crossings& crossings) {
  shared_ = &shared;
  if (wire_.join_thread(*home_, crossings))
    for (unsigned v = 0; v < shared.vcs; ++v) out_[v].heads = crossings.queue_for(out_[v].heads);
  credit_wire_.join_thread(*home_, crossings);
}

void Node::begin() {
  more_ = source_.next(upcoming_, 0);
  if (more_) inject_in(upcoming_.created);
  watch_source();
  planned_at_ = inject_at_;
  if (inject_at_ != never) home_->wake_far(inject_at_, unit_);
}

template <class Kind>
TSUJI_BIT_INSTRUCTIONS void Node::run(Node* nodes, unsigned first, Bits units, const Moment& at, Work& work) {
  Work sum;
  for (units >>= first; units != 0; units &= units - 1) nodes[lowest(units)].step<Kind>(at, sum);
  work.add(sum);
}

template <class Word>
Node::Run Node::runner(bool passes_whole, bool has_channels) {
  if (has_channels) return passes_whole ? &run<Kind<true, true, Word>> : &run<Kind<false, true, Word>>;
  return passes_whole ? &run<Kind<true, false, Word>> : &run<Kind<false, false, Word>>;
}

Node::Run Node::runner(bool passes_whole, bool slim, bool has_channels) {
  return slim ? runner<SlimBits>(passes_whole, has_channels) : runner<Bits>(passes_whole, has_channels);
}

template <class Kind>
[[gnu::always_inline]] inline void Node::step(const Moment& at, Work& work) {
  using Word = typename Kind::Word;
  Word* const row = &in_slot(static_cast<Word*>(row_), at.slot[0]);
  const Bits flits = row[0], credits = row[1];
  constexpr bool may_take_several = Kind::passes_whole && Kind::has_channels;
  const bool waits = Kind::has_channels && !Kind::passes_whole && seldom(full_ || waiting_vcs_ != 0);
  if ((flits | credits) != 0) {
    work.arrivals |= flits | credits;
    row[0] = row[1] = 0;
    if (credits != 0)
      Kind::passes_whole ? take_packet_credits(credits, at.now) : take_credits(credits, at.now);
    for (Bits vcs = waits || may_take_several ? 0 : flits; vcs != 0; vcs &= vcs - 1)
      Kind::passes_whole ? take_packet<Word>(lowest(vcs), at) : take<Word>(lowest(vcs), at);
  }
  if (waits) take_waiting<Word>(flits, at, work);
  if (may_take_several) {
    take_packets<Word>(flits, at);
  } else if (Kind::passes_whole && taking_vcs_ != 0 && taken_until(first_taken()) == at.now + 1) {
    end_packet(lowest(taking_vcs_), at.now);
  }
  if (at.now >= inject_at_ || (blocked_ && credits != 0) || (Kind::has_channels && called_)) inject<Kind>(at);
  if (inject_at_ != planned_at_) plan(at, work);
  if (Kind::has_channels && seldom(waiting_vcs_ != 0) && !full_) work.again |= bit(unit_);
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

void Node::take_packet_credits(Bits credits, Cycle now) {
  for (; credits != 0; credits &= credits - 1) {
    PacketCredits& vc = packet_credits_[lowest(credits)];
    if (seldom(!vc.arrive(now, shared_->buffers.places, shared_->buffers.depth)))
      fail(now, packet_id(id_, serial_), "the node gets credits that no packet has taken");
  }
}

[[gnu::always_inline]] inline void Node::begin_taking(Inlet& inlet, unsigned vc, Cycle now) {
  inlet.packet = shared_->queues[heads_ + vc].pop(shared_->pool);
  if (inlet.packet == traffic::no_packet) fail(now, packet_id(id_, serial_), "an unexpected flit");
  inlet.left = shared_->pool.at(inlet.packet).flits;
  inlet.head = now;
}

/// Takes a packet whose flits arrive one a cycle from now on.
template <class Word>
void Node::take_packet(unsigned vc, const Moment& at) {
  if (taking_vcs_ != 0 && !shared_->config.asks_always)
    fail(at.now, shared_->pool.at(first_taken().packet).id,
         "a packet arrives between the flits of another one");
  Inlet& inlet = inlets_[vc];
  begin_taking(inlet, vc, at.now);
  taking_vcs_ = static_cast<std::uint16_t>(taking_vcs_ | bit(vc));
  credit_wire_.send(at, Word{1} << (credit_bit_ + vc));
  home_->note(taken_until(inlet) - 1 + credit_wire_.cycles);
  flits_ejected_ += inlet.left;
  if (inlet.left != 1) home_->wake_at(at, taken_until(inlet) - 1, unit_);
}

/// Heads wait until the source has room and the packet before them is over. Packets that have waited on
/// several virtual channels are taken side by side.
template <class Word>
[[gnu::noinline]] void Node::take_packets(Bits heads, const Moment& at) {
  for (Bits vcs = heads | waiting_vcs_ | taking_vcs_; vcs != 0; vcs &= vcs - 1) {
    const unsigned vc = lowest(vcs);
    Inlet& inlet = inlets_[vc];
    inlet.waiting = static_cast<std::uint16_t>(inlet.waiting + (heads >> vc & 1U));
    if ((taking_vcs_ & bit(vc)) == 0 && inlet.waiting != 0 && !full_) {
      --inlet.waiting;
      take_packet<Word>(vc, at);
    }
    if ((taking_vcs_ & bit(vc)) != 0 && taken_until(inlet) == at.now + 1) end_packet(vc, at.now);
    waiting_vcs_ =
        static_cast<std::uint16_t>(inlet.waiting != 0 ? waiting_vcs_ | bit(vc) : waiting_vcs_ & ~bit(vc));
  }
}

/// The last flit of a packet arrives.
void Node::end_packet(unsigned vc, Cycle now) {
  const Inlet& inlet = inlets_[vc];
  flits_in_window_ += shared_->config.cycles_in_window(inlet.head, now + 1);
  taking_vcs_ = static_cast<std::uint16_t>(taking_vcs_ & ~bit(vc));
  deliver(inlet.packet, inlet.head, now);
}

template <class Word>
[[gnu::always_inline]] inline void Node::take(unsigned vc, const Moment& at) {
  const Cycle now = at.now;
  Inlet& inlet = inlets_[vc];
  if (inlet.left == 0) begin_taking(inlet, vc, now);
  credit_wire_.send(at, Word{1} << (credit_bit_ + vc));
  ++flits_ejected_;
  const traffic::FlitNodeConfig& config = shared_->config;
  if (now >= config.window_from && now < config.window_to) ++flits_in_window_;
  if (--inlet.left == 0) deliver(inlet.packet, inlet.head, now);
}

/// A head and the flits after it wait until the source has room; then they leave their virtual channel one a
/// cycle.
template <class Word>
[[gnu::noinline]] void Node::take_waiting(Bits flits, const Moment& at, Work& work) {
  for (Bits vcs = flits | waiting_vcs_; vcs != 0; vcs &= vcs - 1) {
    const unsigned vc = lowest(vcs);
    Inlet& inlet = inlets_[vc];
    inlet.waiting = static_cast<std::uint16_t>(inlet.waiting + (flits >> vc & 1U));
    waiting_vcs_ = static_cast<std::uint16_t>(waiting_vcs_ | bit(vc));
    if (full_ && inlet.left == 0) continue;
    take<Word>(vc, at);
    if (--inlet.waiting == 0)
      waiting_vcs_ = static_cast<std::uint16_t>(waiting_vcs_ & ~bit(vc));
    else
      work.again |= bit(unit_);
  }
}

void Node::deliver(PacketIndex index, Cycle head, Cycle now) {
  PacketRef packet = shared_->pool.attach(index);
  if (packet->destination != End(id_)) fail(now, packet->id, "arrived at the wrong node");
  shared_->events.on_delivered(*packet, head, now);
  if (!listens_) return;
  source_->take(now, std::move(packet));
  // A source with channels passes the packet on in this cycle.
  called_ = shared_->config.asks_always;
  watch_source();
  if (more_) return;
  more_ = source_.next(upcoming_, now);
  if (more_) inject_in(std::max(upcoming_.created, now + 1));
}

void Node::watch_source() {
  if (!listens_) return;
  event_at_ = source_->next_event();
  inject_in(event_at_);
  if (!shared_->config.asks_always) return;
  full_ = source_->is_full();
}

void Node::source_changed(Cycle now) {
  watch_source();
  if (!more_) more_ = source_.next(upcoming_, now);
  if (more_) inject_in(std::max(upcoming_.created, now + 1));
  if (inject_at_ == planned_at_ || inject_at_ == never) return;
  planned_at_ = std::max(inject_at_, now + 1);
  home_->wake_far(planned_at_, unit_);
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

template <class Kind>
[[gnu::always_inline]] inline void Node::inject(const Moment& at) {
  constexpr bool passes_whole = Kind::passes_whole;
  using Word = typename Kind::Word;
  const Cycle now = at.now;
  inject_at_ = never;
  blocked_ = false;
  if (event_at_ <= now || (Kind::has_channels && called_)) {
    ask_source(now);
    called_ = false;
  }
  if (more_ && upcoming_.created <= now) take_births(now);
  if (passes_whole && free_at_ > now) {
    if (sending_ || queued_ > 0) inject_in(free_at_);
  } else if (sending_ || (queued_ > 0 && start_packet<passes_whole>(now))) {
    passes_whole ? send_packet<Word>(at) : send<Word>(at);
  }
  // With a full queue the next start of a packet makes room.
  if (more_ && queued_ < most_queued_) inject_in(std::max(upcoming_.created, now + 1));
  inject_in(event_at_);
}

/// Credits that the first packet of the queue needs, if it starts only where its buffer has room.
unsigned Node::credits_to_start(Cycle now) const {
  const unsigned needed = shared_->config.atomic_vcs ? shared_->buffers.depth : queue_[head_].flits;
  if (needed > shared_->buffers.depth)
    fail(now, packet_id(id_, serial_), "does not fit into a router's buffer");
  return needed;
}

bool Node::may_start(const Outlet& vc, Cycle now) const {
  const traffic::FlitNodeConfig& config = shared_->config;
  if (!config.whole_packets && !config.atomic_vcs) return !vc.credits.none();
  return vc.credits.at_least(credits_to_start(now), shared_->buffers.one);
}

/// may_start() of whole packets. Injection has work in the cycle in which known credits suffice.
bool Node::has_room(unsigned vc, Cycle now) {
  const Cycle fits = packet_credits_[vc].when(credits_to_start(now), now);
  if (fits > now) inject_in(fits);
  return fits <= now;
}

/// The link is free, as a step sends one flit at most, whose time is a cycle.
template <bool passes_whole>
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
    if (!(passes_whole ? has_room(vc, now) : may_start(out_[vc], now))) {
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

template <class Word>
[[gnu::always_inline]] inline void Node::send(const Moment& at) {
  const Cycle now = at.now;
  Outlet& to = out_[vc_];
  if (to.credits.none()) {
    blocked_ = true;
    return;
  }
  to.credits.take(shared_->buffers.one);
  if (sequence_ == 0) {
    shared_->queues[to.heads].push(packet_, shared_->pool);
    ++sent_;
    if (seldom(shared_->watch != nullptr))
      shared_->watch->leaves_source({packet_, now + 1, now + wire_.cycles, false});
  }
  wire_.send(at, static_cast<Word>(to.far_bit));
  ++flits_sent_;
  free_at_ = now + 1;
  sending_ = ++sequence_ != flits_;
  if (!sending_ && listens_) {
    source_->departed(now, shared_->pool.at(packet_));
    watch_source();
  }
  if (sending_ || queued_ > 0) inject_in(now + 1);
}

/// Sends the flits of a packet, one a cycle from now on. A source that listens is notified in the cycle of
/// the last one.
template <class Word>
void Node::send_packet(const Moment& at) {
  const Cycle now = at.now;
  if (sequence_ == 0) {
    PacketCredits& credits = packet_credits_[vc_];
    if (seldom(!credits.take(flits_, now))) fail(now, packet_id(id_, serial_), "a packet without credits");
    credits.push(flits_, shared_->buffers.places);
    shared_->queues[out_[vc_].heads].push(packet_, shared_->pool);
    wire_.send(at, static_cast<Word>(out_[vc_].far_bit));
    home_->note(now + flits_ - 1 + wire_.cycles);
    ++sent_;
    flits_sent_ += flits_;
    sequence_ = flits_;
    sending_ = listens_;
    free_at_ = now + flits_ - (listens_ ? 1U : 0U);
  }
  if (free_at_ == now) {
    free_at_ = now + 1;
    sending_ = false;
    source_->departed(now, shared_->pool.at(packet_));
    watch_source();
  }
  if (sending_ || queued_ > 0) inject_in(free_at_);
}

/// Calls visit(packet, flits) for the packets whose head is on the wires to a virtual channel, in their
/// order.
template <class Visit>
void Node::visit_arriving(unsigned vc, const Visit& visit) const {
  const HeadQueue& heads = shared_->queues[heads_ + vc];
  PacketIndex packet = heads.first();
  for (unsigned left = inlets_[vc].waiting + home_->count(home_->row_place(unit_), vc); left != 0; --left) {
    if (packet == traffic::no_packet) fail(0, packet_id(id_, serial_), "a packet without its head");
    visit(packet, shared_->pool.at(packet).flits);
    packet = heads.after(packet, shared_->pool);
  }
}

std::uint64_t Node::flits_held() const {
  std::uint64_t flits = home_->count_all(home_->row_place(unit_));
  if (waiting_vcs_ == 0 && (!shared_->passes_whole || flits == 0)) return flits;
  flits = 0;
  for (unsigned v = 0; v < shared_->vcs; ++v) flits += flits_held(v);
  return flits;
}

unsigned Node::flits_held(unsigned vc) const {
  if (shared_->passes_whole) {
    unsigned sum = 0;
    visit_arriving(vc, [&](PacketIndex, unsigned flits) { sum += flits; });
    return sum;
  }
  return inlets_[vc].waiting + home_->count(home_->row_place(unit_), vc);
}

unsigned Node::credits(unsigned vc) const {
  if (shared_->passes_whole)
    return packet_credits_[vc].whole(home_->count(home_->row_place(unit_) + 1, vc), shared_->buffers.places);
  return out_[vc].credits.number(shared_->buffers.one) + home_->count(home_->row_place(unit_) + 1, vc);
}

void Node::add_flits_held(unsigned* of_vcs) const {
  if (waiting_vcs_ == 0 && !shared_->passes_whole)
    return home_->add_counts(home_->row_place(unit_), 0, shared_->vcs, of_vcs);
  for (unsigned v = 0; v < shared_->vcs; ++v) of_vcs[v] += flits_held(v);
}

void Node::add_credits(unsigned* of_vcs) const {
  if (!shared_->passes_whole) home_->add_counts(home_->row_place(unit_) + 1, 0, shared_->vcs, of_vcs);
  for (unsigned v = 0; v < shared_->vcs; ++v)
    of_vcs[v] += shared_->passes_whole ? credits(v) : out_[v].credits.number(shared_->buffers.one);
}

void Node::visit_packets(const std::function<void(PacketIndex)>& visit) const {
  if (waiting_vcs_ == 0 && home_->count_all(home_->row_place(unit_)) == 0) return;
  for (unsigned v = 0; v < shared_->vcs; ++v) {
    if (shared_->passes_whole) {
      visit_arriving(v, [&](PacketIndex packet, unsigned) { visit(packet); });
      continue;
    }
    unsigned flits = flits_held(v);
    const auto take = [&](PacketIndex packet, unsigned most) {
      for (; most != 0 && flits != 0; --most, --flits) visit(packet);
    };
    take(inlets_[v].packet, inlets_[v].left);
    const HeadQueue& heads = shared_->queues[heads_ + v];
    for (PacketIndex packet = heads.first(); flits != 0;) {
      if (packet == traffic::no_packet) fail(0, packet_id(id_, serial_), "flits without a head");
      take(packet, shared_->pool.at(packet).flits);
      packet = heads.after(packet, shared_->pool);
    }
  }
}

Cycle Node::last_event(Cycle now) const {
  if ((full_ || waiting_vcs_ != 0) && flits_held() != 0) return now;
  return std::max(sending_ || queued_ > 0 ? free_at_ : 0, home_->last(home_->row_place(unit_), 2, now));
}

void Node::fail(Cycle now, PacketId packet, const std::string& what) const {
  throw ModelError("node " + End(id_).name(), now, packet_name(packet), what);
}

}  // namespace tsuji::network::dense
