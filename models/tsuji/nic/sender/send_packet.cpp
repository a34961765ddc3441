// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/sender/send_packet.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::nic {

SendPacket::SendPacket(const NicConfig& config, const sc_core::sc_object& module, NodeId node,
                       PacketPool& pool, ControlRegisterSets& sets, HeaderRegisters& registers,
                       MemoryPort& port, PacketBuffers& buffers, NicEvents& events, SenderCounters& counters)
    : config_(config),
      module_(module),
      node_(node),
      pool_(pool),
      sets_(sets),
      registers_(registers),
      port_(port),
      buffers_(buffers),
      events_(events),
      counters_(counters),
      own_builder_(config.sizes, node),
      translation_(config.sender.tlb_entries, counters.translations) {}

void SendPacket::fail(Cycle now, const std::string& what) {
  throw ModelError(module_.name(), now, "", parcel().name() + ": " + what);
}

void SendPacket::collect(Cycle now) {
  if (state_ == State::walking && port_.complete(now)) {
    const auto status = translation_.feed(port_.data());
    port_.finish();
    translated(now, status);
  } else if (state_ == State::reading) {
    // The last line's words have fixed times once it is granted, and those are all that the head waits for.
    const bool last = reads_done_ + 1 == cut_.reads;
    if (last ? port_.granted(now) : port_.complete(now)) take_line(now);
  } else if (state_ == State::notifying && port_.complete(now)) {
    port_.finish();
    ++counters_.notifications;
    registers_.release(register_);
    go(State::idle, now);
  }
}

void SendPacket::act(Cycle now, bool yield_port) {
  const bool may_issue = port_.idle(now) && !yield_port;
  switch (state_) {
    case State::idle:
      choose(now);
      break;
    case State::translate:
      translate(now);
      break;
    case State::build:
      build(now);
      break;
    case State::walk:
    case State::read:
    case State::notify:
      if (may_issue) issue(now);
      break;
    case State::faulted:
      if (answer_ != Answer::none) take_answer(now);
      break;
    case State::walking:
    case State::reading:
    case State::notifying:
      break;
  }
}

Cycle SendPacket::next_work(Cycle now) const {
  switch (state_) {
    case State::idle: {
      if (now < due_) return due_;
      // A packet buffer is released when the packet on the wires has left; other causes wake the unit
      // themselves.
      if (!registers_.any_sending() || buffers_.has_place(now)) return registers_.notification_at();
      const Cycle place = buffers_.sending_until() > now ? buffers_.sending_until() : never;
      return std::min(registers_.notification_at(), place);
    }
    case State::walking:
    case State::reading:
    case State::notifying:
    case State::faulted:
      return never;  // the port wakes, or the register that answers
    case State::walk:
    case State::read:
    case State::notify:
      return now < due_ ? next_step(now) : port_.idle_at();
    case State::translate:
    case State::build:
      break;
  }
  return due_;
}

Cycle SendPacket::next_step(Cycle now) const {
  if (!shows_each_step_ || state_ != State::read || now >= read_at_) return due_;
  return now < build_at_ ? build_at_ : read_at_;
}

void SendPacket::choose(Cycle now) {
  if (const int index = registers_.notification(now); index >= 0) {
    start_notification(now, static_cast<unsigned>(index));
    return;
  }
  if (!registers_.any_sending() || !buffers_.has_place(now)) return;
  const bool may_read_ahead = buffers_.unsent() < config_.sender.read_ahead_packets;
  // Without a choice, and with a buffer to wait in, room does not matter yet.
  if (const int only = registers_.only_sending(); only >= 0 && may_read_ahead)
    return start_packet(now, static_cast<unsigned>(only));
  const auto choice = registers_.order().choose(buffers_.room(now));
  if (choice.has_room || may_read_ahead) {
    start_packet(now, static_cast<unsigned>(choice.index));
  } else {
    buffers_.want_room(now, registers_.order().wanted_ports());
  }
}

void SendPacket::start_notification(Cycle now, unsigned index) {
  register_ = index;
  notification_ = true;
  to_physical_ = 0;
  go(parcel().header.physical ? State::notify : State::translate, now + config_.sender.choose_cycles);
}

void SendPacket::start_packet(Cycle now, unsigned index) {
  register_ = index;
  notification_ = false;
  ParcelState& own = parcel();
  const ParcelHeader& header = own.header;
  cut_ = builder_->cut(own);
  if (cut_.reads > 0) own.last_line = cut_.last_line;
  own.offset += cut_.bytes;
  PacketBuffers::Entry& entry = buffers_.open(pool_.make(), own.port_bits);
  entry.last = cut_.last;
  entry.set = static_cast<std::uint8_t>(own.set);
  if (cut_.last) {
    // Later packets in the buffers pass this packet only by this rule.
    registers_.cut_through(index);
    if (header.notify) entry.parcel = static_cast<int>(index);
  }
  reads_done_ = 0;
  to_physical_ = 0;
  if (cut_.reads == 0) return go(State::build, now + config_.sender.choose_cycles);
  const bool translates = !header.physical;
  if (translates && !translation_.knows(own.cid, header.source + cut_.offset, false))
    return go(State::translate, now + config_.sender.choose_cycles);
  build_ahead(now, translates);
}

/// A packet that is chosen in this cycle or later, and was translated already, is translated again.
bool SendPacket::flush_translations(Cycle now) {
  translation_.flush();
  if (!is_translated_ahead_ || chosen_at_ < now) return false;
  --counters_.translations.hits;
  --serial_;
  go(State::translate, build_at_);
  return true;
}

/// Builds a packet when it is chosen if its page is known; the Sender then sleeps until the first read. Only
/// a flush of the TLB can occur in between. It applies to packets that are chosen later.
void SendPacket::build_ahead(Cycle chosen, bool translates) {
  chosen_at_ = build_at_ = chosen;
  read_at_ = chosen + config_.sender.choose_cycles;
  if (translates) {
    build_at_ = read_at_;
    const ParcelState& own = parcel();
    const std::uint64_t logical = own.header.source + cut_.offset;
    translation_.begin(segment_table_, own.cid, logical, false);
    to_physical_ = translation_.physical() - logical;
    read_at_ += config_.sender.translate_cycles;
  }
  fill_header(buffers_.newest().packet.edit());
  is_translated_ahead_ = translates;
  go(State::read, read_at_ + config_.sender.build_header_cycles);
}

void SendPacket::take_answer(Cycle now) {
  const Answer answer = std::exchange(answer_, Answer::none);
  if (answer == Answer::again)
    go(State::translate, now + config_.sender.choose_cycles);
  else
    abandon(now);
}

void SendPacket::abandon(Cycle now) {
  ParcelState& own = parcel();
  sets_[own.set].refused(translation_.violation(), own.queue_offset, own.generation);
  events_.sender_refused(translation_.violation(), own.cid, own.set, now);
  const bool last = notification_ || cut_.last;
  if (!notification_ && is_reply(own.header.protocol)) {
    own.refused = true;
    own.offset = cut_.offset;
    cut_ = builder_->cut(own);
    buffers_.newest().last = true;
    if (!last) registers_.cut_through(register_);
    return go(State::build, now);
  }
  if (!notification_) buffers_.cancel();
  if (!last) registers_.cut_through(register_);
  registers_.release(register_);
  go(State::idle, now + 1);
}

void SendPacket::translate(Cycle now) {
  const ParcelState& own = parcel();
  const std::uint64_t logical = notification_ ? own.header.notification : own.header.source + cut_.offset;
  translated(now, translation_.begin(segment_table_, own.cid, logical, notification_));
}

void SendPacket::translated(Cycle now, AddressTranslation::Status status) {
  if (status == AddressTranslation::Status::fault) {
    if (!events_.handled()) fail(now, translation_.fault());
    state_ = State::faulted;
    events_.sender_fault({true, translation_.violation(), static_cast<std::uint8_t>(parcel().cid),
                          notification_, translation_.logical()},
                         now);
    return;
  }
  if (status == AddressTranslation::Status::reading) {
    go(State::walk, state_ == State::translate ? now + config_.sender.translate_cycles : now);
    return;
  }
  const ParcelHeader& header = parcel().header;
  to_physical_ =
      translation_.physical() - (notification_ ? header.notification : header.source + cut_.offset);
  go(notification_ ? State::notify : State::build, now + config_.sender.translate_cycles);
}

void SendPacket::build(Cycle now) {
  Packet& packet = buffers_.newest().packet.edit();
  fill_header(packet);
  const Cycle built = now + config_.sender.build_header_cycles;
  if (cut_.reads > 0) {
    go(State::read, built);
    return;
  }
  close(now, built);
}

void SendPacket::fill_header(Packet& packet) {
  const ParcelState& own = parcel();
  packet.id = packet_id(node_, serial_++);
  packet.created = own.created;
  packet.source = node_;
  builder_->build(packet, own, cut_);
  const PacketSizes& sizes = config_.sizes;
  release_ = ReleaseTime(sizes.flits(packet.kind, 0), sizes.flits_per_word);
}

void SendPacket::issue(Cycle now) {
  if (state_ == State::walk) {
    const auto& read = translation_.next_read();
    port_.issue(now, MemoryAccessKind::noncoherent_read, read.address, read.bytes);
    state_ = State::walking;
  } else if (state_ == State::read) {
    const LineRead& read = cut_.read[reads_done_];
    const bool noncoherent = read.again && config_.sender.optimized_first_read;
    const bool last = reads_done_ + 1 == cut_.reads;
    port_.issue(now, noncoherent ? MemoryAccessKind::noncoherent_read : MemoryAccessKind::coherent_read,
                read.line + to_physical_, line_bytes, nullptr, last);
    state_ = State::reading;
  } else {
    const std::uint64_t word = sent_pattern;
    port_.issue(now, MemoryAccessKind::coherent_write, parcel().header.notification + to_physical_, 8, &word);
    owes_turn_ = true;
    state_ = State::notifying;
  }
}

void SendPacket::take_line(Cycle now) {
  const LineRead& read = cut_.read[reads_done_++];
  builder_->take_line(buffers_.newest().packet.edit(), read, port_.data());
  release_.add_bytes(read.payload, read.bytes, read.skip, port_.answer().first_word_cycle);
  const Cycle granted = now - 1;
  port_.finish();
  if (reads_done_ < cut_.reads) {
    go(State::read, now);
  } else {
    close(now, std::max(granted + config_.sender.release_cycles, release_.earliest()));
  }
}

void SendPacket::close(Cycle now, Cycle ready_at) {
  builder_->close(*buffers_.newest().packet, buffers_.newest().port_bits);
  buffers_.close(ready_at);
  if (cut_.last && !parcel().header.notify) registers_.release(register_);
  go(State::idle, cut_.reads > 0 ? now : ready_at);
  owes_turn_ = true;
}

}  // namespace tsuji::nic
