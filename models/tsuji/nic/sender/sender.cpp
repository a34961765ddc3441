// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/sender/sender.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::nic {

void Sender::add_parts(PartList& parts) const {
  parts.add("rhm", rhm_);
  parts.add("header_registers", registers_);
  spm_.add_parts(parts);
  parts.add("packet_buffers", buffers_);
}

Sender::Sender(sc_core::sc_module_name name, const NicConfig& config, ClockDomain& domain, PacketPool& pool,
               NodeId node, const FirstHop& first_hop, NicEvents& events)
    : sc_module(name),
      Clocked(domain),
      network("network"),
      memory("memory"),
      config_(config),
      registers_(config.sender.header_registers),
      port_(memory, *this, *this, counters_.memory_requests, NicHalf::sender, events),
      buffers_(config_.sender, counters_),
      events_(events),
      rhm_(config_.sender, *this, first_hop, sets_, registers_, port_, events),
      spm_(config_, *this, node, pool, sets_, registers_, port_, buffers_, events, counters_) {}

void Sender::end_of_elaboration() {
  network->bind_sender(*this);
  buffers_.bind(*network[0]);
}

std::string Sender::queue_problem() const {
  const HeaderQueue& queue = sets_[reply_set].queue;
  if (queue.bytes() == 0) return "the queue for replies is disabled";
  const std::uint64_t held = (next_header() - queue.address_of(queue.read_pointer())) & (queue.bytes() - 1);
  return held + ParcelHeader::bytes == queue.bytes() ? "the queue for replies is full" : "";
}

std::uint64_t Sender::next_header() const {
  const HeaderQueue& queue = sets_[reply_set].queue;
  const std::uint64_t offset = queue.write_pointer() + std::uint64_t{ParcelHeader::bytes} * told_headers_;
  return queue.address_of(offset & (queue.bytes() - 1));
}

void Sender::append(Cycle now) {
  take_told(now);
  ++told_headers_;
  told_at_ = now;
  wake_at(now + 1);
}

void Sender::answered(Cycle now) {
  take_told(now);
  ++told_answers_;
  told_at_ = now;
  wake_at(now + 1);
}

/// The order of the two halves in a cycle must not show.
void Sender::count_told(Cycle now) {
  if (told_at_ >= now) return;
  HeaderQueue& queue = sets_[reply_set].queue;
  for (; told_headers_ > 0; --told_headers_)
    refuse(queue.set_write_pointer((queue.write_pointer() + ParcelHeader::bytes) & (queue.bytes() - 1)));
  rhm_.queue_changed();
  for (; told_answers_ > 0; --told_answers_) rhm_.answered();
}

void Sender::step(Cycle now) {
  take_told(now);
  rhm_.finish_store(now);
  if (port_.granted(now)) {
    if (rhm_.collect(now)) spm_.turn_taken();
    spm_.collect(now);
    if (rhm_.state() == ReadHeader::State::store && !wave_) choose_ahead(now);
  }
  const auto departure = buffers_.output(now);
  if (departure.parcel >= 0) registers_[static_cast<unsigned>(departure.parcel)].left_at = departure.left_at;
  const bool wanted = rhm_.wants_port(now);
  spm_.advance(now, wanted && spm_.owes_turn());
  rhm_.advance(now);
  if (wanted && !rhm_.wants_port(now)) spm_.turn_taken();
  const Cycle due = std::min(rhm_.due(now), std::min(spm_.due(now), buffers_.due(now)));
  if (due != never) wake_at(std::max(due, now + 1));
  if (may_empty_ != 0) tell_empty_sets(now);
  if (wave_) show(now);
}

inline void Sender::choose_ahead(Cycle now) {
  if (spm_.may_choose_ahead(rhm_.due(now))) spm_.choose_ahead(rhm_.finish_ahead());
}

void Sender::flush_translations() {
  const Cycle now = domain().next_cycle();
  if (spm_.flush_translations(now)) wake_at(now);
}

void Sender::refuse(const std::string& problem) const {
  if (!problem.empty())
    throw ModelError(name(), std::max(domain().now(), domain().cycle_at_kernel_time()), "", problem);
}

void Sender::write_queue_pointer(unsigned set, std::uint64_t value) {
  const std::string problem = sets_[set].queue.set_write_pointer(value);
  rhm_.queue_changed();
  const Cycle now = domain().next_cycle();
  const bool chosen = told_headers_ + told_answers_ == 0 && rhm_.choose_ahead(now);
  wake_at(chosen && !wave_ ? rhm_.due(now) : now);
  if (problem.empty()) {
    if (sets_[set].at(empty_interrupt) != 0) may_empty_ |= 1U << set;
    return;
  }
  if (!events_.handled()) refuse("set " + std::to_string(set) + ": " + problem);
  const HeaderQueue& queue = sets_[set].queue;
  sets_[set].refused(Violation::write_pointer, queue.write_pointer(), queue.generation());
  events_.sender_refused(Violation::write_pointer, static_cast<unsigned>(sets_[set].at(queue_cid)), set, now);
}

void Sender::answer_fault(bool again) {
  if (spm_.state() != SendPacket::State::faulted) return;
  events_.sender_answered();
  spm_.answer_fault(again);
  wake_at(domain().next_cycle());
}

void Sender::tell_empty_sets(Cycle now) {
  for (unsigned set = 0; set < sender_sets; ++set) {
    if ((may_empty_ >> set & 1U) == 0 || !sets_[set].queue.empty() || registers_.holds(set)) continue;
    if (buffers_.holds(set, now)) {
      if (buffers_.sending_until() > now) wake_at(buffers_.sending_until());
      continue;
    }
    may_empty_ &= ~(1U << set);
    events_.sender_empty(set, now);
  }
}

void Sender::write_os(unsigned set, std::uint64_t offset, std::uint64_t value) {
  ControlRegisterSet& own = sets_[set];
  rhm_.queue_changed();
  std::string problem;
  if (offset == queue_base) problem = own.queue.set_base(value);
  if (offset == queue_bytes) problem = own.queue.set_bytes(value);
  if (offset == queue_state)
    problem = own.queue.set_pointers(fields::queue_state::write_pointer.of(value),
                                     fields::queue_state::read_pointer.of(value));
  if (offset == queue_cid && value >= cids) problem = "cid " + std::to_string(value) + " does not exist";
  if (offset == source_pe && value > 0xfff) problem = "a logical PE has 12 bits";
  if (!problem.empty()) refuse("set " + std::to_string(set) + ": " + problem);
  if (offset == queue_bytes) rhm_.exchanged(set);
  if (offset == queue_state) {
    own.status = value >> fields::queue_state::cause.low;
    wake_at(domain().next_cycle());
    return;
  }
  own.os[offset / 8] = value;
  if (offset != empty_interrupt) return;
  may_empty_ = value != 0 ? may_empty_ | 1U << set : may_empty_ & ~(1U << set);
  wake_at(domain().next_cycle());
}

std::uint64_t Sender::read_os(unsigned set, std::uint64_t offset) const {
  return offset == queue_state ? sets_[set].state() : sets_[set].at(offset);
}

bool Sender::drained(Cycle now) const {
  return std::all_of(sets_.begin(), sets_.end(), [](const auto& set) { return set.queue.empty(); }) &&
         told_headers_ == 0 && registers_.used() == 0 && buffers_.unsent() == 0 &&
         buffers_.sending_until() <= now;
}

void Sender::add_wave(observe::Wave& wave, const std::string& scope) {
  using observe::WaveFormat;
  spm_.show_each_step();
  rhm_.show_each_step();
  wave_ = std::make_unique<WaveGroup>(wave, domain(), scope, std::move(wave_));
  wave_->add("rhm", 3, WaveFormat::decimal, {"idle", "fetch", "fetching", "look_up", "looking_up", "store"});
  wave_->add(
      "spm", 4, WaveFormat::decimal,
      {"idle", "translate", "walk", "walking", "build", "read", "reading", "notify", "notifying", "faulted"});
  wave_->add("header_registers_used", 4, WaveFormat::decimal);
  wave_->add("packets_unsent", 4, WaveFormat::decimal);
  wave_->add("room", 16, WaveFormat::binary);
  for (unsigned set = 0; set < sender_sets; ++set) {
    wave_->add("set" + std::to_string(set) + ".write_pointer", 16, WaveFormat::hex);
    wave_->add("set" + std::to_string(set) + ".read_pointer", 16, WaveFormat::hex);
  }
}

void Sender::show(Cycle now) {
  unsigned signal = 0;
  wave_->show(now, signal++, static_cast<unsigned>(rhm_.state()));
  wave_->show(now, signal++, static_cast<unsigned>(spm_.state_at(now)));
  wave_->show(now, signal++, registers_.used());
  wave_->show(now, signal++, buffers_.unsent());
  wave_->show(now, signal++, network->room(now));
  for (const ControlRegisterSet& set : sets_) {
    wave_->show(now, signal++, set.queue.write_pointer());
    wave_->show(now, signal++, set.queue.read_pointer());
  }
}

}  // namespace tsuji::nic
