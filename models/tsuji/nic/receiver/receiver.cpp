// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/receiver/receiver.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/nic/tables.h"

namespace tsuji::nic {

using State = ReceiverState;
using Event = ReceiverEvent;
using Work = ReceiverWork;

namespace {

template <std::size_t count>
void take_words(const MemoryPort& port, std::array<std::uint64_t, count>& words) {
  unsigned index = 0;
  for (std::uint64_t& word : words) word = port.word(index++);
}

}  // namespace

void Receiver::add_parts(PartList& parts) const {
  parts.add("tlb", translation_);
  parts.add("buffer_table", buffers_);
  parts.add("delivery", plan_);
}

Receiver::Receiver(sc_core::sc_module_name name, const NicConfig& config, ClockDomain& domain, NodeId node,
                   NicEvents& events)
    : sc_module(name),
      Clocked(domain),
      network("network"),
      memory("memory"),
      config_(config),
      node_(node),
      port_(memory, *this, *this, counters_.memory_requests, NicHalf::receiver, events),
      translation_(config.receiver.tlb_entries, counters_.translations),
      buffers_(config.receiver.buffer_entries),
      events_(events),
      arrived_(config.receiver.fifo_packets + 1) {}

void Receiver::end_of_elaboration() {
  // No packet is complete before its port flit and header have passed. A waveform shows it from then on.
  const PacketSizes& sizes = config_.sizes;
  const Cycle shown = PacketSizes::port_flits + std::min({sizes.header_flits, sizes.multicast_header_flits,
                                                          sizes.synchronization_header_flits});
  network->bind_receiver(*this, 1, config_.receiver.fifo_packets, wave_ ? shown : PacketInIf::whole_packet);
}

void Receiver::fail(Cycle now, const std::string& what) const {
  throw ModelError(name(), now, packet_name(packet().id), what);
}

void Receiver::step(Cycle now) {
  take_arrivals(now);
  collect(now);
  advance(now);
  const Cycle next = next_look(now);
  if (next != never) wake_at(std::max(next, now + 1));
  if (wave_) {
    wave_->show(now, 0, static_cast<unsigned>(sequence_.shown(now)));
    wave_->show(now, 1, held_);
  }
}

void Receiver::take_arrivals(Cycle now) {
  PacketTransfer transfer;
  Cycle arrival = 0;
  while (network->receive(now, transfer, arrival)) {
    const Cycle complete_at = arrival + transfer.packet->flits;
    if (held_ == arrived_.size()) {
      throw ModelError(name(), now, packet_name(transfer.packet->id),
                       "the FIFO overran: no room was offered");
    }
    arrived_[(head_ + held_) % arrived_.size()] = {std::move(transfer), complete_at, false};
    ++held_;
  }
}

void Receiver::collect(Cycle now) {
  if (!port_.complete(now)) return;
  switch (sequence_.state()) {
    case State::walking: {
      const auto status = translation_.feed(port_.data());
      port_.finish();
      translated(now, status);
      break;
    }
    case State::fetching_entry:
      take_words(port_, fetched_entry_);
      port_.finish();
      sequence_.on(Event::answered, now);
      break;
    case State::fetching_limits:
      take_resources(now);
      break;
    case State::writing:
      if (is_request(header_.protocol) && is_atomic(plan_[write_].kind))
        plan_.set_old_value(port_.answer().old_value);
      port_.finish();
      written(now);
      break;
    case State::setting_register:
      port_.finish();
      register_writes_.erase(register_writes_.begin());
      sequence_.on(Event::answered, now);
      break;
    default:
      throw ModelError(name(), now, "", "memory answered without an outstanding request");
  }
}

void Receiver::advance(Cycle now) {
  if (!sequence_.is_due(now)) return;
  switch (sequence_.work()) {
    case Work::start:
      return start(now);
    case Work::look_up:
      return look_up(now);
    case Work::translate:
      return translate(now);
    case Work::request:
      if (port_.idle(now)) issue(now);
      return;
    case Work::take_answer:
      return take_answer(now);
    case Work::await_memory:
    case Work::await_system:
      return;
  }
}

Cycle Receiver::next_look(Cycle now) const {
  ReceiverSequence::Inputs inputs;
  if (held_ > 0) inputs.packet_at = front().complete_at;
  inputs.register_write = !register_writes_.empty();
  inputs.port_idle_at = port_.idle_at();
  inputs.shown = wave_ != nullptr;
  return sequence_.next_look(now, inputs);
}

void Receiver::start(Cycle now) {
  if (flush_) {
    translation_.flush();
    buffers_.flush();
    flush_ = false;
  }
  if (!register_writes_.empty()) {
    const RegisterWrite& write = register_writes_.front();
    if (BufferResources* resources = buffers_.find(write.cid)) {
      (write.table == Table::entry ? resources->entry[write.word] : resources->limits[write.word]) =
          write.value;
    }
    sequence_.on(Event::register_write, now);
    if (port_.idle(now)) issue(now);
  } else if (held_ > 0 && front().complete_at <= now) {
    judge(now);
  }
}

void Receiver::judge(Cycle now) {
  if (check_ != nullptr) {
    CheckResult result = check_->check(packet());
    if (result.repaired) {
      arrived_[head_].transfer.packet = std::move(result.repaired);
      if (!is_destination(packet(), node_))
        result = {CheckVerdict::dropped, ReceiverDropCause::misrouted, {}};
      arrived_[head_].was_hit = true;
    }
    if (result.verdict == CheckVerdict::dropped) return drop(now, result.cause);
    if (result.verdict == CheckVerdict::corrected) ++counters_.corrected;
  }
  const Cycle checked = now + config_.receiver.check_cycles;
  sequence_.on(Event::packet, checked);
  header_ = PacketHeader::decode(packet().header);
  if (wave_ != nullptr || !needs_no_look_up()) return;
  plan(checked, nullptr);
  if (sequence_.state() == State::write && port_.takes_delays()) issue_ahead(now);
}

/// True if the writes of a packet depend on nothing that may change until its header has been checked: data
/// for an address, without a fault of any kind. The Receiver then sleeps until the first write is done.
bool Receiver::needs_no_look_up() const {
  return !is_request(header_.protocol) && !is_reply(header_.protocol) && !header_.refused &&
         !DeliveryPlan::needs_resources(packet(), header_) && header_.address % 8 == 0 &&
         header_problem().empty();
}

std::string Receiver::header_problem() const {
  if (!is_destination(packet(), node_))
    return "delivered to node " + std::to_string(node_) + ", which is not one of its destinations";
  return DeliveryPlan::header_problem(packet(), header_);
}

void Receiver::drop(Cycle now, ReceiverDropCause cause) {
  ++counters_.dropped[static_cast<unsigned>(cause)];
  network->release(0, now);
  drop_front();
  sequence_.on(Event::dropped, now + 1);
}

void Receiver::refuse(Cycle now, const std::string& what) {
  if (!front().was_hit) fail(now, what);
  drop(now, ReceiverDropCause::impossible);
}

void Receiver::refuse(Cycle now, Violation cause, const std::string& what) {
  take_back_pointers();
  if (!events_.handled())
    return front().was_hit && sequence_.in_fifo() ? drop(now, ReceiverDropCause::impossible)
                                                  : fail(now, what);
  ++counters_.dropped[static_cast<unsigned>(front().was_hit ? ReceiverDropCause::impossible
                                                            : ReceiverDropCause::refused)];
  sequence_.refuse();
  if (is_request(header_.protocol)) {
    plan_.make_refused_reply(packet(), header_, replies_->next_header());
  } else {
    // A packet with a transmission error may carry data that no task has requested.
    if (!front().was_hit) events_.receiver_refused(cause, header_.cid, plan_.buffer(), now);
    plan_.make_status(header_.cid, cause, buffer_table_, sequence_.in_fifo());
  }
  start_writing(now);
}

void Receiver::take_back_pointers() {
  if (!untouched_.valid) return;
  if (BufferResources* resources = buffers_.find(header_.cid)) {
    // After the body, the message's pointer is already in memory: only the log is missing.
    if (sequence_.in_fifo())
      resources->entry = untouched_.entry;
    else
      resources->entry[BufferEntry::log_word] = untouched_.entry[BufferEntry::log_word];
  }
}

void Receiver::look_up(Cycle now) {
  const std::string problem = header_problem();
  if (!problem.empty()) return refuse(now, problem);
  if (is_reply(header_.protocol) && !replies_->awaits_reply()) {
    refuse(now, "a reply without an outstanding request");
  } else if (is_request(header_.protocol)) {
    plan_reply(now);
  } else if (!DeliveryPlan::needs_resources(packet(), header_)) {
    plan(now, nullptr);
  } else if (BufferResources* resources = buffers_.find(header_.cid)) {
    ++counters_.buffer_entry_hits;
    plan(now, resources);
  } else {
    ++counters_.buffer_entry_misses;
    sequence_.on(Event::miss, now);
    if (port_.idle(now)) issue(now);
  }
}

void Receiver::take_resources(Cycle now) {
  BufferResources& resources = buffers_.claim(header_.cid);
  resources.entry = fetched_entry_;
  take_words(port_, resources.limits);
  port_.finish();
  plan(now, &resources);
}

void Receiver::plan(Cycle now, BufferResources* resources) {
  untouched_.valid = resources != nullptr;
  if (resources != nullptr) untouched_ = *resources;
  const std::string problem = plan_.make(packet(), header_, buffer_table_, resources);
  if (!problem.empty())
    return refuse(now, plan_.violation(), "cid " + std::to_string(header_.cid) + ": " + problem);
  start_writing(now);
}

void Receiver::plan_reply(Cycle now) {
  // Requests that have not been answered are counted, so the queue has room.
  const std::string full = replies_->queue_problem();
  if (!full.empty()) return refuse(now, full);
  untouched_.valid = false;
  const std::string problem = plan_.make_reply(packet(), header_, replies_->next_header());
  if (!problem.empty())
    return refuse(now, plan_.violation(), "cid " + std::to_string(header_.cid) + ": " + problem);
  start_writing(now);
}

void Receiver::start_writing(Cycle now) {
  write_ = 0;
  page_.reset();
  begin_write(now + config_.receiver.place_cycles);
}

void Receiver::begin_write(Cycle at) {
  const DeliveryWrite& write = plan_[write_];
  const bool known = page_ && write.address / page_bytes == page_->number;
  if (!write.logical || known) return sequence_.on(Event::physical, at);
  sequence_.on(Event::logical, at);
  // The TLB does not change until the next packet, so a hit is known before its cycle.
  if (!translation_.knows(header_.cid, write.address, true)) return;
  translate(at);
  sequence_.translate_ahead(at);
}

void Receiver::translate(Cycle now) {
  translated(now, translation_.begin(segment_table_, header_.cid, plan_[write_].address, true));
}

void Receiver::translated(Cycle now, AddressTranslation::Status status) {
  if (status == AddressTranslation::Status::fault) return no_page(now);
  if (status == AddressTranslation::Status::reading) {
    const bool looked_up = sequence_.state() == State::translate;
    return sequence_.on(Event::walks, looked_up ? now + config_.receiver.translate_cycles : now);
  }
  const std::uint64_t logical = plan_[write_].address;
  page_ = Page{logical / page_bytes, translation_.physical() - logical};
  sequence_.on(Event::translated, now + config_.receiver.translate_cycles);
}

void Receiver::no_page(Cycle now) {
  if (events_.handled()) {
    sequence_.on(Event::fault, now);
    const DeliveryWrite& write = plan_[write_];
    return events_.receiver_fault({true, translation_.violation(), header_.cid, true, write.address}, now);
  }
  // Pointers and the log lie where the operating system put them, whatever the packet says.
  const bool fixed = plan_[write_].data != DeliveryWrite::Data::payload && !is_atomic(plan_[write_].kind);
  if (fixed) fail(now, translation_.fault());
  refuse(now, translation_.violation(), translation_.fault());
}

void Receiver::answer_fault(bool again) {
  if (sequence_.state() != State::faulted) return;
  events_.receiver_answered();
  const Cycle at = domain().next_cycle();
  sequence_.on(again ? Event::again : Event::refuse, at);
  wake_at(at);
}

void Receiver::take_answer(Cycle now) {
  if (sequence_.state() == State::look_again)
    sequence_.on(Event::logical, now + config_.receiver.place_cycles);
  else
    refuse(now, translation_.violation(), translation_.fault());
}

/// Sends the first write of a packet, whose cycle is known: until then nothing else uses the port.
void Receiver::issue_ahead(Cycle now) {
  if (!port_.idle(sequence_.due())) return;
  const DeliveryWrite& write = plan_[write_];
  port_.issue_later(now, sequence_.due() - now, write.kind, physical(write), write.bytes, bytes_of(write));
  sequence_.on_requested();
}

void Receiver::issue(Cycle now) {
  switch (sequence_.state()) {
    case State::fetch_entry:
      port_.issue(now, MemoryAccessKind::noncoherent_read,
                  buffer_table_ + std::uint64_t{BufferEntry::bytes} * header_.cid, BufferEntry::bytes);
      break;
    case State::fetch_limits:
      port_.issue(now, MemoryAccessKind::noncoherent_read,
                  limit_table_ + std::uint64_t{BufferLimits::bytes} * header_.cid, BufferLimits::bytes);
      break;
    case State::walk: {
      const auto& read = translation_.next_read();
      port_.issue(now, MemoryAccessKind::noncoherent_read, read.address, read.bytes);
      break;
    }
    case State::write: {
      const DeliveryWrite& write = plan_[write_];
      port_.issue(now, write.kind, physical(write), write.bytes, bytes_of(write));
      break;
    }
    default:
      issue_register(now);
      break;
  }
  sequence_.on_requested();
}

void Receiver::issue_register(Cycle now) {
  const RegisterWrite& write = register_writes_.front();
  const std::uint64_t entry = write.table == Table::entry
                                  ? buffer_table_ + std::uint64_t{BufferEntry::bytes} * write.cid
                                  : limit_table_ + std::uint64_t{BufferLimits::bytes} * write.cid;
  port_.issue(now, MemoryAccessKind::coherent_write, entry + std::uint64_t{8} * write.word, 8, &write.value);
}

void Receiver::written(Cycle now) {
  if (plan_[write_].ends_body) {
    network->release(0, now);
    sequence_.body_written();
  }
  if (++write_ == plan_.size()) {
    finish(now);
  } else {
    begin_write(now);
  }
}

void Receiver::finish(Cycle now) {
  const Packet& own = packet();
  if (sequence_.in_fifo()) fail(now, "written to memory without freeing its place in the FIFO");
  tell_sender(now);
  if (!sequence_.refused()) {
    ++counters_.packets[static_cast<unsigned>(own.kind)];
    counters_.bytes[static_cast<unsigned>(own.kind)] += own.payload_bytes;
    if (header_.log && header_.last) ++counters_.log_entries;
    tell_events(now);
    if (observer_ != nullptr) observer_->on_delivered(own, now, front().transfer.hops);
  }
  drop_front();
  sequence_.on(Event::done, now);
}

void Receiver::tell_events(Cycle now) {
  if (header_.refused) events_.receiver_refused(Violation::remote, header_.cid, 0, now);
  if (!untouched_.valid) return;
  const std::uint64_t wanted = untouched_.limits[BufferLimits::interrupt_word];
  if (header_.interrupt && header_.last && (wanted & BufferLimits::receive_interrupt) != 0)
    events_.received(header_.cid, now);
  for (unsigned buffer = 0, entered = plan_.quarters(); entered != 0; ++buffer, entered >>= 1U) {
    if ((entered & 1U) != 0 && (wanted & BufferLimits::quarter_interrupt(buffer)) != 0)
      events_.quarter(header_.cid, buffer, now);
  }
}

void Receiver::tell_sender(Cycle now) {
  if (is_request(header_.protocol)) replies_->append(now);
  if (is_reply(header_.protocol) && header_.last) replies_->answered(now);
}

void Receiver::drop_front() {
  arrived_[head_].transfer.packet.reset();
  head_ = head_ + 1 == arrived_.size() ? 0 : head_ + 1;
  --held_;
}

void Receiver::set_buffer_table(std::uint64_t physical) {
  if (physical % line_bytes != 0) {
    throw ModelError(name(), domain().cycle_at_kernel_time(), "",
                     "buffer table base is not aligned to 128 bytes");
  }
  buffer_table_ = physical;
}

void Receiver::set_limit_table(std::uint64_t physical) {
  if (physical % line_bytes != 0) {
    throw ModelError(name(), domain().cycle_at_kernel_time(), "",
                     "buffer limit table base is not aligned to 128 bytes");
  }
  limit_table_ = physical;
}

void Receiver::flush() {
  flush_ = true;
  wake_at(domain().next_cycle());
}

void Receiver::set_cid(std::uint64_t cid) {
  if (cid >= cids) {
    throw ModelError(name(), domain().cycle_at_kernel_time(), "",
                     "cid " + std::to_string(cid) + " does not exist");
  }
  task_.cid = static_cast<unsigned>(cid);
}

void Receiver::write_through(const RegisterWrite& write) {
  register_writes_.push_back(write);
  wake_at(domain().next_cycle());
}

void Receiver::set_address_register(unsigned n, std::uint64_t value) {
  task_.address[n] = value;
  write_through({task_.cid, Table::entry, BufferEntry::address_register_word + n, value});
}

void Receiver::set_read_pointer(unsigned buffer, std::uint64_t value) {
  task_.read[buffer] = value;
  write_through({task_.cid, Table::limits, BufferLimits::read_pointer_word + buffer, value});
}

void Receiver::add_wave(observe::Wave& wave, const std::string& scope) {
  wave_ = std::make_unique<WaveGroup>(wave, domain(), scope, std::move(wave_));
  std::vector<std::string> names;
  for (unsigned state = 0; state < ReceiverSequence::shown_states; ++state)
    names.emplace_back(ReceiverSequence::name(State{static_cast<std::uint8_t>(state)}));
  wave_->add("state", 4, observe::WaveFormat::decimal, names);
  wave_->add("packets_held", 4, observe::WaveFormat::decimal);
}

}  // namespace tsuji::nic
