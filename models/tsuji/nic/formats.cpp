// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tsuji/core/error.h"
#include "tsuji/nic/parcel.h"
#include "tsuji/nic/tables.h"

namespace tsuji::nic {
namespace {

constexpr std::uint64_t valid_bit = std::uint64_t{1} << 63;
constexpr std::uint64_t writable_bit = std::uint64_t{1} << 62;

constexpr std::uint64_t mask(unsigned bits) {
  return (std::uint64_t{1} << bits) - 1;
}
constexpr std::uint64_t field(std::uint64_t word, unsigned low, unsigned bits) {
  return (word >> low) & mask(bits);
}

[[noreturn, gnu::cold]] void refuse(std::uint64_t value, unsigned bits, const char* what) {
  throw ModelError(
      "nic formats", 0, "",
      std::string(what) + " " + std::to_string(value) + " does not fit in " + std::to_string(bits) + " bits");
}

/// `value` at bits low+bits-1 .. low. A value that does not fit would change its neighbours.
inline std::uint64_t place(std::uint64_t value, unsigned low, unsigned bits, const char* what) {
  if (value > mask(bits)) refuse(value, bits, what);
  return value << low;
}

std::uint64_t flag(bool value, unsigned bit) {
  return static_cast<std::uint64_t>(value) << bit;
}

std::uint64_t physical_word(std::uint64_t address, std::uint64_t flags) {
  if ((address & (valid_bit | writable_bit)) != 0) {
    throw ModelError("nic formats", 0, "", "a physical address has 62 bits at most");
  }
  return address | flags;
}

}  // namespace

std::array<std::uint64_t, 4> ParcelHeader::encode() const {
  const std::uint64_t first = place(static_cast<unsigned>(protocol), 0, 4, "protocol") |
                              place(static_cast<unsigned>(kind), 4, 2, "packet kind") | flag(inline_data, 6) |
                              flag(notify, 7) | flag(log, 8) | flag(physical, 9) |
                              place(length, 10, 20, "data length") | place(logical_pe, 30, 12, "logical PE") |
                              place(rrid, 42, 6, "rrid") | flag(interrupt, 48);
  return {first, source, destination, notification};
}

ParcelHeader ParcelHeader::decode(const std::array<std::uint64_t, 4>& words) {
  ParcelHeader header;
  header.protocol = static_cast<Protocol>(field(words[0], 0, 4));
  header.kind = static_cast<PacketKind>(field(words[0], 4, 2));
  header.inline_data = field(words[0], 6, 1) != 0;
  header.notify = field(words[0], 7, 1) != 0;
  header.log = field(words[0], 8, 1) != 0;
  header.physical = field(words[0], 9, 1) != 0;
  header.length = static_cast<std::uint32_t>(field(words[0], 10, 20));
  header.logical_pe = static_cast<std::uint16_t>(field(words[0], 30, 12));
  header.rrid = static_cast<std::uint8_t>(field(words[0], 42, 6));
  header.interrupt = field(words[0], 48, 1) != 0;
  header.source = words[1];
  header.destination = words[2];
  header.notification = words[3];
  return header;
}

std::array<std::uint64_t, 2> PacketHeader::encode() const {
  const std::uint64_t word = place(node, 0, 10, "node") | place(cid, 10, 8, "cid") |
                             place(static_cast<unsigned>(protocol), 18, 4, "protocol") |
                             place(source_pe, 22, 12, "source PE") |
                             place(payload_bytes, 34, 9, "payload bytes") | flag(last, 43) | flag(first, 44) |
                             flag(log, 45) | place(rrid, 46, 6, "rrid") | flag(equal, 52) |
                             flag(interrupt, 53) | flag(refused, 54) | flag(physical, 55);
  return {word, address};
}

PacketHeader PacketHeader::decode(const std::array<std::uint64_t, 2>& words) {
  PacketHeader header;
  header.node = static_cast<std::uint16_t>(field(words[0], 0, 10));
  header.cid = static_cast<std::uint8_t>(field(words[0], 10, 8));
  header.protocol = static_cast<Protocol>(field(words[0], 18, 4));
  header.source_pe = static_cast<std::uint16_t>(field(words[0], 22, 12));
  header.payload_bytes = static_cast<std::uint16_t>(field(words[0], 34, 9));
  header.last = field(words[0], 43, 1) != 0;
  header.first = field(words[0], 44, 1) != 0;
  header.log = field(words[0], 45, 1) != 0;
  header.rrid = static_cast<std::uint8_t>(field(words[0], 46, 6));
  header.equal = field(words[0], 52, 1) != 0;
  header.interrupt = field(words[0], 53, 1) != 0;
  header.refused = field(words[0], 54, 1) != 0;
  header.physical = field(words[0], 55, 1) != 0;
  header.address = words[1];
  return header;
}

std::uint64_t ReplyPath::encode() const {
  return place(node, 0, 10, "node") | place(cid, 10, 8, "cid") | place(asked_cid, 18, 8, "cid") |
         flag(equal, 26) | flag(refused, 27);
}

ReplyPath ReplyPath::decode(std::uint64_t word) {
  ReplyPath path;
  path.node = static_cast<std::uint16_t>(field(word, 0, 10));
  path.cid = static_cast<std::uint8_t>(field(word, 10, 8));
  path.asked_cid = static_cast<std::uint8_t>(field(word, 18, 8));
  path.equal = field(word, 26, 1) != 0;
  path.refused = field(word, 27, 1) != 0;
  return path;
}

void RequestBody::encode(Protocol protocol, std::byte* body) const {
  const unsigned before = bytes(protocol) - 8;
  std::memcpy(body, words.data(), before);
  const std::uint64_t last = place(length, 0, 20, "data length") | place(cid, 20, 8, "cid") |
                             place(node, 28, 10, "node") | flag(physical, 38);
  std::memcpy(body + before, &last, 8);
}

RequestBody RequestBody::decode(Protocol protocol, const std::byte* body) {
  const unsigned before = bytes(protocol) - 8;
  RequestBody request;
  std::memcpy(request.words.data(), body, before);
  std::uint64_t last = 0;
  std::memcpy(&last, body + before, 8);
  request.length = static_cast<std::uint32_t>(field(last, 0, 20));
  request.cid = static_cast<std::uint8_t>(field(last, 20, 8));
  request.node = static_cast<std::uint16_t>(field(last, 28, 10));
  request.physical = field(last, 38, 1) != 0;
  return request;
}

std::uint64_t NodeEntry::encode() const {
  return flag(valid, 63) | place(cid, 10, 8, "cid") | place(node, 0, 10, "node");
}

NodeEntry NodeEntry::decode(std::uint64_t word) {
  NodeEntry entry;
  entry.valid = (word & valid_bit) != 0;
  entry.cid = static_cast<std::uint8_t>(field(word, 10, 8));
  entry.node = static_cast<std::uint16_t>(field(word, 0, 10));
  return entry;
}

std::array<std::uint64_t, 2> MulticastEntry::encode() const {
  return {map, flag(valid, 63) | place(cid, 18, 8, "cid") | place(group, 0, 18, "node group")};
}

MulticastEntry MulticastEntry::decode(const std::array<std::uint64_t, 2>& words) {
  MulticastEntry entry;
  entry.valid = (words[1] & valid_bit) != 0;
  entry.map = words[0];
  entry.group = static_cast<std::uint32_t>(field(words[1], 0, 18));
  entry.cid = static_cast<std::uint8_t>(field(words[1], 18, 8));
  return entry;
}

std::array<std::uint64_t, 2> SynchronizationEntry::encode() const {
  return {map, flag(valid, 63) | place(cid, 18, 8, "cid") | place(sid, 0, 7, "sid")};
}

SynchronizationEntry SynchronizationEntry::decode(const std::array<std::uint64_t, 2>& words) {
  SynchronizationEntry entry;
  entry.valid = (words[1] & valid_bit) != 0;
  entry.map = words[0];
  entry.sid = static_cast<std::uint8_t>(field(words[1], 0, 7));
  entry.cid = static_cast<std::uint8_t>(field(words[1], 18, 8));
  return entry;
}

std::array<std::uint64_t, 3> SegmentEntry::encode() const {
  return {physical_word(page_table, flag(valid, 63)), lowest_page, highest_page};
}

SegmentEntry SegmentEntry::decode(const std::array<std::uint64_t, 3>& words) {
  SegmentEntry entry;
  entry.valid = (words[0] & valid_bit) != 0;
  entry.page_table = words[0] & ~(valid_bit | writable_bit);
  entry.lowest_page = words[1];
  entry.highest_page = words[2];
  return entry;
}

std::uint64_t PageEntry::encode() const {
  return physical_word(physical, flag(valid, 63) | flag(writable, 62));
}

PageEntry PageEntry::decode(std::uint64_t word) {
  PageEntry entry;
  entry.valid = (word & valid_bit) != 0;
  entry.writable = (word & writable_bit) != 0;
  entry.physical = word & ~(valid_bit | writable_bit);
  return entry;
}

}  // namespace tsuji::nic
