// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/flit_channel.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/link/link_errors.h"

namespace tsuji {

ArrivalCalendar::ArrivalCalendar(Arena& arena, unsigned events, Cycle horizon_cycles, bool every_flit)
    : words_((events + 63) / 64) {
  std::uint32_t rows = 2;
  while (rows < 2 * horizon_cycles && (every_flit || rows < most_rows)) rows *= 2;
  row_mask_ = rows - 1;
  rows_ = arena.array<std::uint64_t>(static_cast<std::size_t>(rows + 1) * words_);
}

unsigned FlitRing::credits(Cycle now) const {
  unsigned count = 0;
  std::uint16_t word = write;
  do {
    const FlitSlot& slot = at(word);
    if (slot.holds_flit() || slot.cycle() > now) break;
    ++count;
    word = after(word);
  } while (word != write);
  return count;
}

void FlitSender::refuse(Cycle now, const FlitRing& ring, std::uint16_t sequence) const {
  throw ModelError(channel_->name(), now, "",
                   "flit " + std::to_string(sequence) + " sent without a credit on virtual channel " +
                       std::to_string(ring.vc));
}

void FlitRing::fill_packet(Cycle ready, PacketIndex packet, unsigned flits) {
  FlitSlot& head = back();
  const unsigned first = std::min(flits, static_cast<unsigned>(slots + depth() - &head)),
                 rest = flits - first;
  const std::uint32_t body = FlitSlot::identity(packet, 0);
  FlitSlot::fill_run(&head, first, body, 0, ready);
  FlitSlot::fill_run(slots, rest, body, first, ready + first);
  FlitSlot* const after = rest == 0 ? &head + first : slots + rest;
  head.add_flags(Flit::head);
  (after - 1)->add_flags(Flit::tail);
  write = place_of(after);
}

void FlitRing::free_flits(Cycle usable, unsigned flits) {
  FlitSlot& head = front();
  const unsigned first = std::min(flits, static_cast<unsigned>(slots + depth() - &head)),
                 rest = flits - first;
  FlitSlot::free_run(&head, first, usable);
  FlitSlot::free_run(slots, rest, usable + first);
  read = place_of(rest == 0 ? &head + first : slots + rest);
}

/// Place of a slot, which may be the one after the last.
std::uint16_t FlitRing::place_of(const FlitSlot* slot) const {
  return slot == slots + depth() ? 0 : static_cast<std::uint16_t>((slot - slots) * slot_words);
}

/// Credits come back in the order of the slots, so the last slot speaks for all.
void FlitSender::send_packet(Cycle now, FlitRing& ring, PacketIndex packet, unsigned flits) {
  FlitSlot& head = ring.back();
  const Cycle credit = ring.credit_at(), ready = now + ready_after_;
  if (credit > now || ring.credits_at(flits) > now + flits - 1)
    refuse(now, ring, static_cast<std::uint16_t>(credit > now ? 0 : flits - 1));
  ring.fill_packet(ready, packet, flits);
  flits_ += flits;
  channel_->sends_until_ = now + flits;
  if (!announces_near_) return announce(now, ring, head, credit);
  if (arrivals().announce_near(ring.bit, ready)) receiver_.wake_soon(ready);
}

namespace {

/// Stores the later arrival of a flit on a link that errs.
[[gnu::noinline, gnu::cold]] void delay(FlitSlot& slot, LinkErrors& errors, Cycle ready_after) {
  slot.fill(slot.identity(), slot.sequence(), slot.cycle() + errors.delay(slot.cycle() - ready_after));
}

}  // namespace

/// Slow path of send(): over a long cable, with a SystemC process per module, with a probe, on a link that
/// errs, or to a module of another thread, whose LaneCrossing announces.
void FlitSender::announce(Cycle now, const FlitRing& ring, FlitSlot& slot, Cycle credit) {
  FlitChannel& channel = *channel_;
  Cycle ready = slot.cycle();
  if (channel.near_) {  // neither errs nor crosses
    if (arrivals().announce_near(ring.bit, ready)) receiver_.wake_soon(ready);
  } else {
    if (channel.errors_ != nullptr) delay(slot, *channel.errors_, channel.ready_after_);
    if (channel.crossed_) return;
    ready = slot.cycle();
    channel.announce(now, ring, ready);
  }
  if (channel.probe_ == nullptr || (channel.heads_only_ && !slot.head())) return;
  channel.credit_taken_ = credit;
  channel.probe_->on_flit(channel, ring.vc, slot.flit(), ready - channel.ready_after_, ready);
}

/// Announces a flit in the receiver's calendar, and wakes the receiver.
void FlitChannel::announce(Cycle now, const FlitRing& ring, Cycle ready) {
  const Cycle at = ready - early_;
  ArrivalCalendar::Column arrivals = sender_->arrivals();
  bool first = true;
  if (arrivals.reaches(at - now)) {
    first = arrivals.announce_near(ring.bit, at);
  } else {
    arrivals.busy() |= std::uint64_t{1} << ring.bit;
  }
  if (first && sender_->receiver_) sender_->receiver_.wake_at(at);
}

FlitChannel::FlitChannel(const FlitChannelConfig& config, const FlitLink* link)
    : ready_after_(static_cast<std::uint32_t>(config.latency_cycles +
                                              (config.whole_flit ? config.flit_cycles - 1 : 0))),
      credit_after_(
          static_cast<std::uint32_t>(1 + config.credit_latency_cycles + config.credit_process_cycles)),
      flit_cycles_(static_cast<std::uint32_t>(config.flit_cycles)),
      last_word_after_(ready_after_ - static_cast<std::uint32_t>(config.latency_cycles)),
      vcs_(static_cast<std::uint16_t>(config.vcs)),
      depth_(static_cast<std::uint16_t>(config.depth_flits)),
      whole_packets_(config.whole_packets),
      link_(link) {
  if (config.depth_flits == 0 || config.depth_flits > FlitRing::largest_depth)
    throw ModelError("channel", "a buffer of " + std::to_string(config.depth_flits) + " flits");
}

void FlitChannel::bind_receiver(const Waker& receiver, ArrivalCalendar& calendar, unsigned first_event,
                                Cycle after_cycles, const FlitBuffers& buffers, Cycle early_cycles) {
  if (first_event / 64 != (first_event + vcs_ - 1U) / 64)
    throw ModelError(name(), "the indices of its virtual channels lie in two 64-bit words");
  receiver_ = std::make_unique<Receiver>(Receiver{receiver, calendar.column(first_event / 64)});
  ready_after_ += static_cast<std::uint32_t>(after_cycles);
  early_ = static_cast<std::uint32_t>(early_cycles);
  buffers_ = buffers;
  for (unsigned vc = 0; vc < vcs_; ++vc) {
    FlitRing& own = ring(vc);
    own.slots = buffers.slots + static_cast<std::size_t>(vc) * depth_;
    own.end = static_cast<std::uint16_t>(depth_ * FlitRing::slot_words);
    own.credit_after = credit_after_;
    own.bit = static_cast<std::uint8_t>((first_event + vc) % 64);
    own.vc = static_cast<std::uint8_t>(vc);
  }
  connect();
}

void FlitChannel::bind_receiver(const Waker& receiver, ArrivalCalendar& calendar, unsigned first_event,
                                Cycle after_cycles, Arena& arena) {
  FlitBuffers buffers;
  buffers.first = arena.array<FlitRing>(vcs_);
  buffers.slots = arena.array<FlitSlot>(static_cast<std::size_t>(vcs_) * depth_);
  bind_receiver(receiver, calendar, first_event, after_cycles, buffers);
}

void FlitChannel::bind_sender(const Waker& sender, ArrivalCalendar& calendar, Cycle leaves_after,
                              FlitSender& place) {
  leaves_after_ = static_cast<std::uint32_t>(leaves_after);
  sender_waker_ = sender;
  sender_calendar_ = &calendar;
  sender_ = &place;
  connect();
}

/// Copies to the sending end what it needs to know of the receiver, once both are bound.
void FlitChannel::connect() {
  if (sender_ == nullptr || receiver_ == nullptr) return;
  FlitSender& sender = *sender_;
  sender.first_ = buffers_.first;
  sender.stride_bytes_ = buffers_.stride_bytes;
  sender.rows_ = receiver_->arrivals.rows_;
  sender.row_mask_ = receiver_->arrivals.row_mask_;
  sender.receiver_ = receiver_->waker;
  sender.channel_ = this;
  sender.ready_after_ = leaves_after_ + ready_after_;
  if (early_ >= sender.ready_after_)
    throw ModelError(name(), "its receiver would see flits " + std::to_string(early_) +
                                 " cycles early, and their latency is " +
                                 std::to_string(sender.ready_after_));
  receiver_.reset();
  set_probe(probe_);
}

void FlitChannel::set_probe(FlitProbe* probe) {
  if (crossed_ && probe != nullptr)
    throw ModelError(name(), "a probe on a channel between modules of two threads");
  if (whole_packets_ && probe != nullptr && probe->scope() == FlitProbe::Scope::all)
    throw ModelError(name(), "a probe for flits on a channel that passes whole packets");
  probe_ = probe;
  if (sender_ == nullptr || sender_->channel_ == nullptr) return;  // connect() calls this function again
  const Cycle ahead = sender_->ready_after_;
  near_ = !crossed_ && errors_ == nullptr && early_ == 0 && sender_->receiver_.has_wheel() &&
          sender_->arrivals().reaches(ahead) && ahead <= ClockDomain::soon;
  sender_->announces_near_ = near_ && probe == nullptr;
  heads_only_ = probe != nullptr && probe->scope() == FlitProbe::Scope::heads;
  const std::uint16_t probed = probe == nullptr || heads_only_ ? 0 : FlitRing::probed;
  for (unsigned vc = 0; vc < vcs_; ++vc) {
    std::uint16_t& listeners = ring(vc).listeners;
    listeners = static_cast<std::uint16_t>((listeners & ~FlitRing::probed) | probed);
  }
}

void FlitChannel::set_errors(LinkErrors* errors) {
  errors_ = errors;
  set_probe(probe_);
}

/// Announces a credit, usable in cycle `at` > now, to the sender that waits for it, and wakes the sender.
void FlitChannel::wake_watcher(FlitRing& ring, Cycle now, Cycle at) {
  const unsigned watcher = ring.listeners & static_cast<std::uint16_t>(~FlitRing::lasting);
  if (watcher == 0) return;
  ArrivalCalendar::Column events = sender_calendar_->column((watcher - 1U) / 64);
  const unsigned bit = (watcher - 1U) % 64;
  ring.listeners &= FlitRing::lasting;
  bool first = true;
  if (events.reaches(at - now)) {
    first = events.announce_near(bit, at);
  } else {
    events.busy() |= std::uint64_t{1} << bit;
  }
  if (first && sender_waker_) sender_waker_.wake_at(at);
}

void FlitChannel::set_down(bool down, Cycle now) {
  sender_->down_ = down;
  for (unsigned vc = 0; !down && buffers_.first != nullptr && vc < vcs_; ++vc)
    wake_watcher(sender_->ring(vc), now, now + 1);
}

void FlitChannel::notify_freed(Cycle now, FlitRing& ring) {
  const Cycle usable = now + credit_after_;
  wake_watcher(ring, now, usable);
  if ((ring.listeners & FlitRing::probed) != 0) probe_->on_credit(*this, ring.vc, now, usable);
}

void FlitChannel::free_heard(Cycle now, FlitRing& from) {
  notify_freed(now, from);
  from.front().free(now + from.credit_after);
  from.pass_front();
}

template <class Visit>
void FlitChannel::visit_slots(unsigned vc, const Visit& visit) const {
  FlitSlot* const own = ring(vc).slots;
  for (unsigned s = 0; s < depth_; ++s) {
    if (own[s].is_here()) visit(own[s]);
  }
}

template <class Visit>
void FlitChannel::visit_slots(const Visit& visit) const {
  if (buffers_.first == nullptr) return;
  for (unsigned vc = 0; vc < vcs_; ++vc) visit_slots(vc, visit);
}

unsigned FlitChannel::kill(PacketIndex packet, unsigned vc) {
  unsigned count = 0;
  visit_slots(vc, [&](FlitSlot& slot) {
    if (slot.killed() || slot.packet() != packet) return;
    slot.kill();
    ++count;
  });
  return count;
}

unsigned FlitChannel::kill(PacketIndex packet) {
  unsigned count = 0;
  for (unsigned vc = 0; buffers_.first != nullptr && vc < vcs_; ++vc) count += kill(packet, vc);
  return count;
}

void FlitChannel::visit_packets(const std::function<void(PacketIndex)>& visit) const {
  visit_slots([&](const FlitSlot& slot) {
    if (!slot.killed()) visit(slot.packet());
  });
}

void FlitChannel::visit_flits(const std::function<void(PacketIndex, unsigned)>& visit) const {
  for (unsigned vc = 0; buffers_.first != nullptr && vc < vcs_; ++vc) {
    visit_slots(vc, [&](const FlitSlot& slot) {
      if (!slot.killed()) visit(slot.packet(), vc);
    });
  }
}

void FlitChannel::visit_on_wires(Cycle now, const std::function<void(PacketIndex, unsigned)>& visit) const {
  for (unsigned vc = 0; buffers_.first != nullptr && vc < vcs_; ++vc) {
    visit_slots(vc, [&](const FlitSlot& slot) {
      if (!slot.killed() && slot.cycle() > now) visit(slot.packet(), vc);
    });
  }
}

Cycle FlitChannel::last_event() const {
  Cycle last = 0;
  if (buffers_.first == nullptr) return last;
  const std::size_t slots = static_cast<std::size_t>(vcs_) * depth_;
  for (std::size_t s = 0; s < slots; ++s) last = std::max(last, buffers_.slots[s].cycle());
  return last;
}

std::uint64_t FlitChannel::flits_held() const {
  std::uint64_t count = 0;
  visit_slots([&count](const FlitSlot&) { ++count; });
  return count;
}

void FlitChannel::lost_credit(Cycle now, unsigned vc, const std::string& what) const {
  throw ModelError(name(), now, "", "virtual channel " + std::to_string(vc) + " has lost a credit: " + what);
}

/// Each ring is, from the oldest flit on, a run of flits and then a run of free slots.
void FlitChannel::check_credits(Cycle now) const {
  for (unsigned vc = 0; buffers_.first != nullptr && vc < vcs_; ++vc) {
    const FlitRing& own = ring(vc);
    bool free = false;
    for (unsigned place = 0; place < depth_; ++place) {
      const FlitSlot& slot = own.behind_front(place);
      if (slot.holds_flit()) {
        if (free) lost_credit(now, vc, "a slot remains occupied after its flit has left");
        continue;
      }
      free = true;
      if (slot.cycle() > now + own.credit_after + (whole_packets_ ? depth_ : 0U))
        lost_credit(now, vc, "a slot is free from cycle " + std::to_string(slot.cycle()) + " on");
    }
  }
}

void FlitChannel::refuse_pop(Cycle now, unsigned vc) const {
  throw ModelError(name(), now, "",
                   "the receiver takes a flit that is not there, on virtual channel " + std::to_string(vc));
}

}  // namespace tsuji
