// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/message.h"

#include <algorithm>
#include <cstring>

namespace tsuji::interconnect {
namespace {

// Word 1 of the header: 11:0 tag, 13:12 command, 16:14 status, 17 byte enables, 18 DMI hint, 19 last part,
// 28:20 bytes of the part, 63:32 streaming width. Word 0: address. Word 2 (Packet::map): 31:0 length,
// 63:32 offset of the part.
constexpr unsigned command_at = 12, status_at = 14, enables_at = 17, dmi_at = 18, last_at = 19, bytes_at = 20,
                   upper_half = 32;

constexpr std::uint64_t field(std::uint64_t word, unsigned at, unsigned bits) {
  return word >> at & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

void MessagePart::pack(const DataView& view, Packet& packet) const {
  packet.header[0] = access.address;
  packet.header[1] = tag | std::uint64_t(access.command) << command_at | std::uint64_t(status) << status_at |
                     std::uint64_t(access.has_enables) << enables_at | std::uint64_t(dmi_allowed) << dmi_at |
                     std::uint64_t(last) << last_at | std::uint64_t(bytes) << bytes_at |
                     std::uint64_t(access.streaming_bytes) << upper_half;
  packet.map = access.bytes | std::uint64_t(offset) << upper_half;
  const unsigned filled = payload_bytes(), words = (filled + 7) / 8;
  packet.payload_bytes = static_cast<std::uint16_t>(8 * words);
  if (words == 0) return;
  std::byte* at = packet.payload.data();
  std::fill(at + 8 * (words - 1), at + 8 * words, std::byte{0});
  if (has_data()) {
    std::memcpy(at, view.data + offset, bytes);
    at += bytes;
  }
  if (!has_enables()) return;
  std::fill(at, at + (bytes + 7) / 8, std::byte{0});
  for (std::uint32_t i = 0; i < bytes; ++i)
    if (view.enabled(offset + i)) at[i / 8] |= std::byte(1U << i % 8);
}

MessagePart MessagePart::of(const Packet& packet, bool is_response) {
  const std::uint64_t word = packet.header[1];
  MessagePart part;
  part.is_response = is_response;
  part.access.address = packet.header[0];
  part.tag = static_cast<std::uint16_t>(field(word, 0, command_at));
  part.access.command = static_cast<Command>(field(word, command_at, 2));
  part.status = static_cast<Status>(field(word, status_at, 3));
  part.access.has_enables = field(word, enables_at, 1) != 0;
  part.dmi_allowed = field(word, dmi_at, 1) != 0;
  part.last = field(word, last_at, 1) != 0;
  part.bytes = static_cast<std::uint32_t>(field(word, bytes_at, 9));
  part.access.streaming_bytes = static_cast<std::uint32_t>(word >> upper_half);
  part.access.bytes = static_cast<std::uint32_t>(packet.map);
  part.offset = static_cast<std::uint32_t>(packet.map >> upper_half);
  return part;
}

void MessagePart::unpack_data(const Packet& packet, const DataView& to) const {
  if (!has_data()) return;
  const std::byte* const from = packet.payload.data();
  if (to.enables == nullptr) {
    std::memcpy(to.data + offset, from, bytes);
    return;
  }
  for (std::uint32_t i = 0; i < bytes; ++i)
    if (to.enabled(offset + i)) to.data[offset + i] = std::to_integer<unsigned char>(from[i]);
}

void MessagePart::unpack_enables(const Packet& packet, unsigned char* enables) const {
  constexpr unsigned char on = 0xff;  // TLM_BYTE_ENABLED
  const std::byte* const from = packet.payload.data() + (has_data() ? bytes : 0);
  for (std::uint32_t i = 0; i < bytes; ++i)
    enables[offset + i] = (from[i / 8] >> i % 8 & std::byte{1}) != std::byte{0} ? on : 0;
}

MessagePart MessageCutter::next() {
  part_.offset = offset_;
  part_.bytes = std::min(left_bytes_, packet_bytes_);
  offset_ += part_.bytes;
  left_bytes_ -= part_.bytes;
  more_ = left_bytes_ != 0;
  part_.last = !more_;
  return part_;
}

const char* Reassembly::take(const MessagePart& part) {
  if (!began_) {
    began_ = true;
    left_bytes_ = part.carried_bytes();
  } else if (left_bytes_ == 0) {
    return "a part of a message that is complete";
  }
  if (part.offset > part.access.bytes || part.bytes > part.access.bytes - part.offset)
    return "a part beyond the end of its message";
  if (part.bytes > left_bytes_) return "a part that has arrived before";
  left_bytes_ -= part.bytes;
  return nullptr;
}

}  // namespace tsuji::interconnect
