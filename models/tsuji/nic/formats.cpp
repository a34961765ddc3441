// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tsuji/core/error.h"
#include "tsuji/nic/packet_check.h"
#include "tsuji/nic/parcel.h"
#include "tsuji/nic/tables.h"

namespace tsuji::nic {
namespace {

[[noreturn, gnu::cold]] void refuse(std::uint64_t value, unsigned bits, const char* what) {
  throw ModelError(
      "nic formats", 0, "",
      std::string(what) + " " + std::to_string(value) + " does not fit in " + std::to_string(bits) + " bits");
}

/// `value` in its field. A value that does not fit would change its neighbours.
inline std::uint64_t place(std::uint64_t value, Field field, const char* what) {
  if (value > field.largest()) refuse(value, field.bits, what);
  return field.word_of(value);
}

constexpr std::uint64_t flag(bool value, Field field) {
  return field.word_of(static_cast<std::uint64_t>(value));
}

}  // namespace

std::array<std::uint64_t, 4> ParcelHeader::encode() const {
  namespace at = fields::parcel_header;
  const std::uint64_t first =
      place(static_cast<unsigned>(protocol), at::protocol, "protocol") |
      place(static_cast<unsigned>(kind), at::kind, "packet kind") | flag(inline_data, at::inline_data) |
      flag(notify, at::notify) | flag(log, at::log) | flag(physical, at::physical) |
      place(length, at::length, "data length") | place(logical_pe, at::logical_pe, "logical PE") |
      place(rrid, at::rrid, "rrid") | flag(interrupt, at::interrupt);
  return {first, source, destination, notification};
}

ParcelHeader ParcelHeader::decode(const std::array<std::uint64_t, 4>& words) {
  namespace at = fields::parcel_header;
  ParcelHeader header;
  header.protocol = static_cast<Protocol>(at::protocol.of(words[0]));
  header.kind = static_cast<PacketKind>(at::kind.of(words[0]));
  header.inline_data = at::inline_data.of(words[0]) != 0;
  header.notify = at::notify.of(words[0]) != 0;
  header.log = at::log.of(words[0]) != 0;
  header.physical = at::physical.of(words[0]) != 0;
  header.length = static_cast<std::uint32_t>(at::length.of(words[0]));
  header.logical_pe = static_cast<std::uint16_t>(at::logical_pe.of(words[0]));
  header.rrid = static_cast<std::uint8_t>(at::rrid.of(words[0]));
  header.interrupt = at::interrupt.of(words[0]) != 0;
  header.source = words[1];
  header.destination = words[2];
  header.notification = words[3];
  return header;
}

std::array<std::uint64_t, 2> PacketHeader::encode() const {
  namespace at = fields::packet_header;
  const std::uint64_t word = place(node, at::node, "node") | place(cid, at::cid, "cid") |
                             place(static_cast<unsigned>(protocol), at::protocol, "protocol") |
                             place(source_pe, at::source_pe, "source PE") |
                             place(payload_bytes, at::payload_bytes, "payload bytes") | flag(last, at::last) |
                             flag(first, at::first) | flag(log, at::log) | place(rrid, at::rrid, "rrid") |
                             flag(equal, at::equal) | flag(interrupt, at::interrupt) |
                             flag(refused, at::refused) | flag(physical, at::physical);
  return {word, address};
}

PacketHeader PacketHeader::decode(const std::array<std::uint64_t, 2>& words) {
  namespace at = fields::packet_header;
  PacketHeader header;
  header.node = static_cast<std::uint16_t>(at::node.of(words[0]));
  header.cid = static_cast<std::uint8_t>(at::cid.of(words[0]));
  header.protocol = static_cast<Protocol>(at::protocol.of(words[0]));
  header.source_pe = static_cast<std::uint16_t>(at::source_pe.of(words[0]));
  header.payload_bytes = static_cast<std::uint16_t>(at::payload_bytes.of(words[0]));
  header.last = at::last.of(words[0]) != 0;
  header.first = at::first.of(words[0]) != 0;
  header.log = at::log.of(words[0]) != 0;
  header.rrid = static_cast<std::uint8_t>(at::rrid.of(words[0]));
  header.equal = at::equal.of(words[0]) != 0;
  header.interrupt = at::interrupt.of(words[0]) != 0;
  header.refused = at::refused.of(words[0]) != 0;
  header.physical = at::physical.of(words[0]) != 0;
  header.address = words[1];
  return header;
}

bool is_destination(const Packet& packet, NodeId node) {
  const unsigned field = PacketHeader::decode(packet.header).node;
  if (packet.kind == PacketKind::single_cast) return field == node;
  // Synchronizations have no group: their nodes are below 64.
  const unsigned group = packet.kind == PacketKind::multicast ? field : 0;
  return (packet.map >> (node % 64) & 1U) != 0 && group == node / 64;
}

std::uint64_t ReplyPath::encode() const {
  namespace at = fields::reply_path;
  return place(node, at::node, "node") | place(cid, at::cid, "cid") | place(asked_cid, at::asked_cid, "cid") |
         flag(equal, at::equal) | flag(refused, at::refused);
}

ReplyPath ReplyPath::decode(std::uint64_t word) {
  namespace at = fields::reply_path;
  ReplyPath path;
  path.node = static_cast<std::uint16_t>(at::node.of(word));
  path.cid = static_cast<std::uint8_t>(at::cid.of(word));
  path.asked_cid = static_cast<std::uint8_t>(at::asked_cid.of(word));
  path.equal = at::equal.of(word) != 0;
  path.refused = at::refused.of(word) != 0;
  return path;
}

void RequestBody::encode(Protocol protocol, std::byte* body) const {
  namespace at = fields::request_end;
  const unsigned before = bytes(protocol) - 8;
  std::memcpy(body, words.data(), before);
  const std::uint64_t last = place(length, at::length, "data length") | place(cid, at::cid, "cid") |
                             place(node, at::node, "node") | flag(physical, at::physical);
  std::memcpy(body + before, &last, 8);
}

RequestBody RequestBody::decode(Protocol protocol, const std::byte* body) {
  namespace at = fields::request_end;
  const unsigned before = bytes(protocol) - 8;
  RequestBody request;
  std::memcpy(request.words.data(), body, before);
  std::uint64_t last = 0;
  std::memcpy(&last, body + before, 8);
  request.length = static_cast<std::uint32_t>(at::length.of(last));
  request.cid = static_cast<std::uint8_t>(at::cid.of(last));
  request.node = static_cast<std::uint16_t>(at::node.of(last));
  request.physical = at::physical.of(last) != 0;
  return request;
}

std::uint64_t NodeEntry::encode() const {
  namespace at = fields::node_entry;
  return flag(valid, at::valid) | place(cid, at::cid, "cid") | place(node, at::node, "node");
}

NodeEntry NodeEntry::decode(std::uint64_t word) {
  namespace at = fields::node_entry;
  NodeEntry entry;
  entry.valid = at::valid.of(word) != 0;
  entry.cid = static_cast<std::uint8_t>(at::cid.of(word));
  entry.node = static_cast<std::uint16_t>(at::node.of(word));
  return entry;
}

std::array<std::uint64_t, 2> MulticastEntry::encode() const {
  namespace at = fields::multicast_entry;
  return {map, flag(valid, at::valid) | place(cid, at::cid, "cid") | place(group, at::group, "node group")};
}

MulticastEntry MulticastEntry::decode(const std::array<std::uint64_t, 2>& words) {
  namespace at = fields::multicast_entry;
  MulticastEntry entry;
  entry.valid = at::valid.of(words[1]) != 0;
  entry.map = words[0];
  entry.group = static_cast<std::uint32_t>(at::group.of(words[1]));
  entry.cid = static_cast<std::uint8_t>(at::cid.of(words[1]));
  return entry;
}

std::array<std::uint64_t, 2> SynchronizationEntry::encode() const {
  namespace at = fields::synchronization_entry;
  return {map, flag(valid, at::valid) | place(cid, at::cid, "cid") | place(sid, at::sid, "sid")};
}

SynchronizationEntry SynchronizationEntry::decode(const std::array<std::uint64_t, 2>& words) {
  namespace at = fields::synchronization_entry;
  SynchronizationEntry entry;
  entry.valid = at::valid.of(words[1]) != 0;
  entry.map = words[0];
  entry.sid = static_cast<std::uint8_t>(at::sid.of(words[1]));
  entry.cid = static_cast<std::uint8_t>(at::cid.of(words[1]));
  return entry;
}

std::array<std::uint64_t, 3> SegmentEntry::encode() const {
  namespace at = fields::segment_entry;
  return {place(page_table, at::page_table, "physical address") | flag(valid, at::valid), lowest_page,
          highest_page};
}

SegmentEntry SegmentEntry::decode(const std::array<std::uint64_t, 3>& words) {
  namespace at = fields::segment_entry;
  SegmentEntry entry;
  entry.valid = at::valid.of(words[0]) != 0;
  entry.page_table = at::page_table.of(words[0]);
  entry.lowest_page = words[1];
  entry.highest_page = words[2];
  return entry;
}

std::uint64_t PageEntry::encode() const {
  namespace at = fields::page_entry;
  return place(physical, at::address, "physical address") | flag(valid, at::valid) |
         flag(writable, at::writable);
}

PageEntry PageEntry::decode(std::uint64_t word) {
  namespace at = fields::page_entry;
  PageEntry entry;
  entry.valid = at::valid.of(word) != 0;
  entry.writable = at::writable.of(word) != 0;
  entry.physical = at::address.of(word);
  return entry;
}

}  // namespace tsuji::nic
