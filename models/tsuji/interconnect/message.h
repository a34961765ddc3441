// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/packet.h"
#include "tsuji/interconnect/access.h"

namespace tsuji::interconnect {

/// Form of messages on the network.
struct WireConfig {
  unsigned packet_bytes = 64;  ///< Most bytes of data in a packet, a multiple of 8.
  unsigned flit_bytes = 8;     ///< Bytes of a flit.
  unsigned header_flits = 1;   ///< Flits of a packet before its data.
  /// Largest packet_bytes: with a byte enable for each byte, the data fit into a packet of the network.
  static constexpr unsigned most_packet_bytes = 224;

  /// Length of a packet with `payload_bytes` of data and byte enables.
  unsigned flits(unsigned payload_bytes) const {
    return header_flits + (payload_bytes + flit_bytes - 1) / flit_bytes;
  }
};

/// Data and byte enables of a transaction in memory.
struct DataView {
  unsigned char* data = nullptr;
  const unsigned char* enables = nullptr;  ///< Null: all bytes are enabled.
  unsigned enable_bytes = 0;               ///< Length of `enables`, which repeats over the data.

  bool enabled(std::uint32_t at) const { return enables == nullptr || enables[at % enable_bytes] != 0; }
};

/// Part of a request or response that one packet carries: bytes offset .. offset + bytes - 1 of the
/// transaction's data, or of its byte enables, or none of both.
///
///     request     write: data [, byte enables]    read: [byte enables]
///     response    write: -                        read without error: data
///
/// A header of three words describes the part completely, so parts may arrive in any order.
struct MessagePart {
  Access access;                        ///< Attributes of the transaction.
  std::uint16_t tag = 0;                ///< Number of the transaction at its initiator, below `tags`.
  bool is_response = false;             ///< A response; not in the header, as classes of messages differ.
  Status status = Status::incomplete;   ///< In a response.
  bool dmi_allowed = false;             ///< In a response: the target's DMI hint.
  bool last = false;                    ///< The message has no further part.
  std::uint32_t offset = 0, bytes = 0;  ///< Bytes of the data, or of the byte enables.

  static constexpr unsigned tags = 1U << 12;  ///< Tags that a header can carry.

  /// True if the packet carries data.
  bool has_data() const {
    return is_response ? access.command == Command::read && status == Status::ok
                       : access.command == Command::write;
  }
  /// True if the packet carries byte enables.
  bool has_enables() const { return !is_response && access.has_enables && access.command != Command::ignore; }
  /// Number of bytes of the transaction that all parts carry together.
  std::uint32_t carried_bytes() const { return has_data() || has_enables() ? access.bytes : 0; }
  /// Bytes of data and byte enables in the packet.
  unsigned payload_bytes() const { return (has_data() ? bytes : 0) + (has_enables() ? (bytes + 7) / 8 : 0); }

  /// Writes header and payload of the packet. `packet` has room for a payload.
  void pack(const DataView& view, Packet& packet) const;
  /// Header of a packet that pack() has written. `is_response`: by the packet's class of messages.
  static MessagePart of(const Packet& packet, bool is_response);
  /// Copies the data of a packet to `to`; with byte enables only the enabled bytes.
  void unpack_data(const Packet& packet, const DataView& to) const;
  /// Copies the byte enables of a packet, one byte each as TLM-2.0 has them.
  void unpack_enables(const Packet& packet, unsigned char* enables) const;
};

/// Cuts a message into parts of at most `packet_bytes` bytes of data or byte enables, in the order of their
/// addresses. A message without both has one part.
class MessageCutter {
 public:
  /// `message` has the fields that all parts have in common.
  MessageCutter(const MessagePart& message, unsigned packet_bytes)
      : part_(message), packet_bytes_(packet_bytes), left_bytes_(message.carried_bytes()) {}
  /// True if there is a further part.
  bool more() const { return more_; }
  /// The next part.
  MessagePart next();

 private:
  MessagePart part_;
  unsigned packet_bytes_;
  std::uint32_t offset_ = 0, left_bytes_;
  bool more_ = true;
};

/// Counts the parts of a message that have arrived.
class Reassembly {
 public:
  /// Takes a part. Returns null, or what is wrong with it: a part beyond the message, or one too many.
  const char* take(const MessagePart& part);
  /// True if all parts have arrived.
  bool complete() const { return began_ && left_bytes_ == 0; }
  void reset() { *this = Reassembly(); }

 private:
  bool began_ = false;
  std::uint32_t left_bytes_ = 0;
};

}  // namespace tsuji::interconnect
