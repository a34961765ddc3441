// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/receiver/delivery_plan.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tsuji/nic/registers.h"
#include "tsuji/nic/tables.h"

namespace tsuji::nic {
namespace {

constexpr unsigned log_buffer = 2;

/// A remote read's or compare & swap's reply that ends with this packet.
bool notifies(const PacketHeader& header) {
  return header.last &&
         (header.protocol == Protocol::remote_read_reply || header.protocol == Protocol::compare_swap_reply);
}

}  // namespace

bool DeliveryPlan::needs_resources(const Packet& packet, const PacketHeader& header) {
  return packet.kind == PacketKind::synchronization || is_message(header.protocol) ||
         is_address_register(header.protocol) || notifies(header) ||
         (header.last && (header.log || header.interrupt));
}

std::string DeliveryPlan::header_problem(const Packet& packet, const PacketHeader& header) {
  if (header.payload_bytes != packet.payload_bytes) return "payload length and packet header differ";
  const bool synchronization = header.protocol == Protocol::synchronization;
  if (header.protocol > Protocol::compare_swap_reply && !synchronization) {
    return "protocol " + std::to_string(static_cast<unsigned>(header.protocol)) + " does not exist";
  }
  if (synchronization && packet.payload_bytes > line_bytes)
    return "an operand of " + std::to_string(packet.payload_bytes) + " bytes";
  const bool empty = is_reply(header.protocol) && header.refused;
  if (synchronization != (packet.kind == PacketKind::synchronization) ||
      (!synchronization && empty != (packet.payload_bytes == 0))) {
    return "the protocol does not match the kind of the packet";
  }
  if (header.protocol == Protocol::atomic_add && packet.payload_bytes != 8)
    return "an atomic add of " + std::to_string(packet.payload_bytes) + " bytes";
  if (is_reply(header.protocol) && header.refused)
    return packet.payload_bytes == 0 && header.last ? "" : "a refused reply with data";
  const bool one_word =
      header.protocol == Protocol::swap_reply || header.protocol == Protocol::compare_swap_reply;
  if (one_word && packet.payload_bytes != 8)
    return "a reply of " + std::to_string(packet.payload_bytes) + " bytes instead of one 8-byte value";
  if (is_request(header.protocol) && packet.payload_bytes != RequestBody::bytes(header.protocol))
    return "a request with a body of " + std::to_string(packet.payload_bytes) + " bytes";
  if ((is_request(header.protocol) || is_reply(header.protocol)) && packet.kind != PacketKind::single_cast)
    return "a request or a reply for several nodes";
  return {};
}

void DeliveryPlan::add_lines(std::uint64_t address, unsigned bytes, bool logical) {
  for (unsigned done = 0; done < bytes;) {
    DeliveryWrite& write = writes_[count_++];
    write = {};
    write.logical = logical;
    write.address = address + done;
    write.payload = static_cast<std::uint16_t>(done);
    write.bytes = static_cast<std::uint16_t>(
        std::min<std::uint64_t>(line_bytes - write.address % line_bytes, bytes - done));
    done += write.bytes;
    write.ends_body = done == bytes;
  }
}

void DeliveryPlan::add_words(MemoryAccessKind kind, bool logical, std::uint64_t address, std::uint64_t word) {
  DeliveryWrite& write = writes_[count_++];
  write = {};
  write.kind = kind;
  write.logical = logical;
  write.data = DeliveryWrite::Data::words;
  write.bytes = 8;
  write.address = address;
  write.words[0] = word;
}

void DeliveryPlan::add_pointer(std::uint64_t buffer_table, const BufferResources& resources, unsigned word) {
  add_words(MemoryAccessKind::coherent_write, false,
            buffer_table + std::uint64_t{BufferEntry::bytes} * resources.cid + std::uint64_t{8} * word,
            resources.entry[word]);
}

std::string DeliveryPlan::ring_problem(unsigned buffer, const MessageRing& ring, std::uint64_t pointer,
                                       const BufferResources& resources, unsigned bytes) {
  const std::uint64_t known = resources.limits[BufferLimits::read_pointer_word + buffer];
  const std::uint64_t read = known == 0 ? ring.base : known;
  std::string text = ring.problem(pointer, read, bytes);
  if (text.empty()) return text;
  buffer_ = buffer;
  return problem(ring.overruns(pointer, read, bytes) ? Violation::overrun : Violation::buffer,
                 std::move(text));
}

void DeliveryPlan::advance(unsigned buffer, const MessageRing& ring, std::uint64_t& pointer, unsigned bytes) {
  const unsigned before = ring.quarter(pointer);
  pointer = ring.advance(pointer, bytes);
  if (ring.quarter(pointer) != before) quarters_ |= 1U << buffer;
}

std::string DeliveryPlan::message(unsigned buffer, unsigned bytes, std::uint64_t buffer_table,
                                  BufferResources& resources, std::uint64_t& address) {
  const MessageRing ring{resources.limits[std::uint64_t{2} * buffer], resources.limits[2 * buffer + 1],
                         line_bytes};
  std::uint64_t& pointer = resources.entry[BufferEntry::message_word + buffer];
  address = pointer;
  const std::string problem = ring_problem(buffer, ring, pointer, resources, bytes);
  if (!problem.empty()) return "message buffer " + std::to_string(buffer) + ": " + problem;
  const std::uint64_t before_end = ring.base + ring.bytes - pointer;
  add_lines(pointer, bytes, true);
  // The ring ends at a line border, so only whole writes move to its start.
  for (unsigned w = 0; w < count_; ++w) {
    if (writes_[w].payload >= before_end) writes_[w].address -= ring.bytes;
  }
  advance(buffer, ring, pointer, bytes);
  add_pointer(buffer_table, resources, BufferEntry::message_word + buffer);
  return {};
}

std::string DeliveryPlan::log(const PacketHeader& header, std::uint64_t address, std::uint64_t buffer_table,
                              BufferResources& resources) {
  const MessageRing ring{resources.limits[4], resources.limits[5], LogEntry::bytes};
  std::uint64_t& pointer = resources.entry[BufferEntry::log_word];
  const std::string problem = ring_problem(log_buffer, ring, pointer, resources, LogEntry::bytes);
  if (!problem.empty()) return "log buffer: " + problem;
  add_words(MemoryAccessKind::coherent_write, true, pointer,
            fields::log_entry::protocol.word_of(static_cast<std::uint64_t>(header.protocol)) |
                fields::log_entry::source_pe.word_of(header.source_pe) |
                fields::log_entry::payload_bytes.word_of(header.payload_bytes));
  writes_[count_ - 1].bytes = LogEntry::bytes;
  writes_[count_ - 1].words[1] = address;
  advance(log_buffer, ring, pointer, LogEntry::bytes);
  add_pointer(buffer_table, resources, BufferEntry::log_word);
  return {};
}

std::string DeliveryPlan::add_notification(const PacketHeader& header, const BufferResources& resources,
                                           const std::array<std::uint64_t, 2>& words) {
  const std::uint64_t base = resources.entry[BufferEntry::reply_notification_word];
  if (base == 0 || base % ReplyNotification::bytes != 0)
    return problem(Violation::buffer, "the cid has no remote-read notification buffer");
  DeliveryWrite& write = writes_[count_++];
  write = {};
  write.data = DeliveryWrite::Data::words;
  write.bytes = ReplyNotification::bytes;
  write.address = base + std::uint64_t{ReplyNotification::bytes} * header.rrid;
  write.words = {words[0], words[1], 0, 0};
  return {};
}

namespace {

/// The reply's header without what is sent back.
ParcelHeader reply_to(const PacketHeader& header, const RequestBody& body, bool refused) {
  ParcelHeader reply;
  reply.protocol = static_cast<Protocol>(static_cast<unsigned>(header.protocol) +
                                         static_cast<unsigned>(Protocol::remote_read_reply) -
                                         static_cast<unsigned>(Protocol::remote_read));
  reply.rrid = header.rrid;
  reply.length = body.length;
  reply.physical = body.physical;
  ReplyPath path;
  path.node = body.node;
  path.cid = body.cid;
  path.asked_cid = header.cid;
  path.refused = refused;
  reply.notification = path.encode();
  return reply;
}

}  // namespace

void DeliveryPlan::add_reply(const ParcelHeader& reply, std::uint64_t queue) {
  DeliveryWrite& write = writes_[count_++];
  write = {};
  write.logical = false;
  write.data = DeliveryWrite::Data::words;
  write.bytes = ParcelHeader::bytes;
  write.address = queue;
  write.words = reply.encode();
  write.ends_body = true;
}

void DeliveryPlan::make_refused_reply(const Packet& packet, const PacketHeader& header, std::uint64_t queue) {
  count_ = 0;
  ParcelHeader reply = reply_to(header, RequestBody::decode(header.protocol, packet.payload.data()), true);
  reply.inline_data = true;
  reply.length = ParcelHeader::inline_bytes;
  add_reply(reply, queue);
}

void DeliveryPlan::make_status(unsigned cid, Violation cause, std::uint64_t buffer_table, bool in_fifo) {
  count_ = 0;
  add_words(
      MemoryAccessKind::coherent_write, false,
      buffer_table + std::uint64_t{BufferEntry::bytes} * cid + std::uint64_t{8} * BufferEntry::status_word,
      static_cast<std::uint64_t>(cause));
  writes_[0].ends_body = in_fifo;
}

std::string DeliveryPlan::make_reply(const Packet& packet, const PacketHeader& header, std::uint64_t queue) {
  count_ = 0;
  const RequestBody body = RequestBody::decode(header.protocol, packet.payload.data());
  ParcelHeader reply = reply_to(header, body, false);
  if (header.protocol == Protocol::remote_read) {
    reply.source = header.address;
    reply.destination = body.words[0];
  } else {
    const bool swaps = header.protocol == Protocol::swap;
    if (header.address % 8 != 0) return problem(Violation::alignment, "address is not a multiple of 8");
    add_words(swaps ? MemoryAccessKind::swap : MemoryAccessKind::compare_swap, !header.physical,
              header.address, body.words[0]);
    writes_[0].words[1] = body.words[1];
    writes_[0].bytes = swaps ? 8 : 16;
    reply.inline_data = true;
    reply.destination = swaps ? body.words[1] : 0;
  }
  const std::string bad = parcel_problem(reply, reply_set);
  if (!bad.empty()) return problem(Violation::header, "its reply: " + bad);
  add_reply(reply, queue);
  return {};
}

void DeliveryPlan::set_old_value(std::uint64_t old) {
  DeliveryWrite& header = writes_[1];
  header.words[1] = old;
  if (writes_[0].kind != MemoryAccessKind::compare_swap) return;
  ReplyPath path = ReplyPath::decode(header.words[3]);
  path.equal = old == writes_[0].words[0];
  header.words[3] = path.encode();
}

/// Delivers data to an address, and the notification after a reply's last packet.
std::string DeliveryPlan::add_data(const Packet& packet, const PacketHeader& header, std::uint64_t address,
                                   const BufferResources* resources) {
  const unsigned alignment = packet.payload_bytes == 4 ? 4 : 8;  // a single word goes anywhere (5.1.3)
  if (address % alignment != 0)
    return problem(Violation::alignment,
                   "destination address is not a multiple of " + std::to_string(alignment));
  // A register holds an address of its task, also for the operating system's parcel.
  const bool in_register = is_address_register(header.protocol) || packet.kind == PacketKind::synchronization;
  add_lines(address, packet.payload_bytes, !header.physical || in_register);
  if (header.protocol == Protocol::atomic_add) writes_[0].kind = MemoryAccessKind::atomic_add;
  if (!notifies(header)) return {};
  return add_notification(header, *resources, {ReplyNotification::arrived, 0});
}

std::string DeliveryPlan::make(const Packet& packet, const PacketHeader& header, std::uint64_t buffer_table,
                               BufferResources* resources) {
  count_ = 0;
  quarters_ = 0;
  buffer_ = 0;
  std::uint64_t address = header.address;
  std::string problem;
  if (packet.kind == PacketKind::synchronization) {
    const std::uint64_t table = resources->limits[BufferLimits::synchronization_word];
    if (table == 0 || table % 8 != 0)
      return this->problem(Violation::buffer, "the cid has no synchronization notification table");
    if (packet.payload_bytes > 0)
      problem = add_data(packet, header,
                         address + resources->entry[BufferEntry::address_register_word + combine_register],
                         resources);
    address = table + std::uint64_t{8} * packet.sid;
    add_words(MemoryAccessKind::atomic_add, false, address, 1);
    if (packet.payload_bytes == 0) writes_[0].ends_body = true;
  } else if (is_message(header.protocol)) {
    const unsigned buffer = header.protocol == Protocol::message0 ? 0 : 1;
    problem = message(buffer, packet.payload_bytes, buffer_table, *resources, address);
  } else if (header.refused) {
    make_status(header.cid, Violation::remote, buffer_table, true);
    if (notifies(header))
      problem =
          add_notification(header, *resources, {ReplyNotification::arrived | ReplyNotification::refused, 0});
  } else if (header.protocol == Protocol::compare_swap_reply) {
    std::uint64_t old = 0;
    std::memcpy(&old, packet.payload.data(), 8);
    const std::uint64_t state = ReplyNotification::arrived | (header.equal ? ReplyNotification::equal : 0);
    problem = add_notification(header, *resources, {state, old});
    writes_[0].ends_body = true;
  } else {
    if (is_address_register(header.protocol)) {
      const auto n =
          static_cast<unsigned>(header.protocol) - static_cast<unsigned>(Protocol::remote_dma_register0);
      address += resources->entry[BufferEntry::address_register_word + n];
    }
    problem = add_data(packet, header, address, resources);
  }
  if (!problem.empty()) return problem;
  if (header.log && header.last) return log(header, address, buffer_table, *resources);
  return {};
}

}  // namespace tsuji::nic
