// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "tsuji/core/combine.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/nic/interface_values.h"

namespace tsuji::nic {

/// True for a message to message buffer 0 or 1.
constexpr bool is_message(Protocol protocol) {
  return protocol == Protocol::message0 || protocol == Protocol::message1;
}
/// True if an address register of the Receiver determines the destination of the data.
constexpr bool is_address_register(Protocol protocol) {
  return protocol >= Protocol::remote_dma_register0 && protocol <= Protocol::remote_dma_register2;
}
/// Address register to which the result of combined operands is written.
inline constexpr unsigned combine_register = 2;
/// True if the Receiver answers the parcel.
constexpr bool is_request(Protocol protocol) {
  return protocol >= Protocol::remote_read && protocol <= Protocol::compare_swap;
}
/// True for a parcel of the Receiver that answers a request.
constexpr bool is_reply(Protocol protocol) {
  return protocol >= Protocol::remote_read_reply && protocol <= Protocol::compare_swap_reply;
}

/// Parcel header in a header queue: four little-endian 64-bit words, `fields::parcel_header`.
///
/// A synchronization of length 0 is a barrier's. Of 8 bytes to a cache line, within one line, it has an
/// operand (in no paper): words that the switches combine with those of the other members. Every member's
/// Receiver writes the result to its address register `combine_register` + word 2, then counts the round.
struct ParcelHeader {
  static constexpr unsigned bytes = fields::parcel_header::bytes;       ///< Size of a header in the queue.
  static constexpr std::uint32_t max_data_bytes = nic::max_data_bytes;  ///< Largest data length.
  static constexpr unsigned inline_bytes = 8;  ///< Data length of a put in inline mode.

  Protocol protocol = Protocol::remote_dma;   ///< Operation of the parcel.
  PacketKind kind = PacketKind::single_cast;  ///< Selects the table in which the destination is looked up.
  bool inline_data = false;                   ///< Word 1 is the data.
  bool notify = false;    ///< Word 3 is a notification address to write when the last packet has left.
  bool log = false;       ///< Each receiver adds an entry to its task's log.
  bool physical = false;  ///< Addresses are physical (queue of the operating system only).
  /// Interrupt after the parcel's last packet has been written, if the Receiver enables it.
  bool interrupt = false;
  std::uint32_t length = 0;      ///< Data length in bytes, a multiple of 4.
  std::uint16_t logical_pe = 0;  ///< Logical PE, or offset in the multicast or synchronization header table.
  /// Number of a remote read or compare & swap, 0..63; synchronization with an operand: its Combine.
  std::uint8_t rrid = 0;
  std::uint64_t source = 0;        ///< Source address (word 1); other uses are in the table above.
  std::uint64_t destination = 0;   ///< Destination address (word 2); other uses are in the table above.
  std::uint64_t notification = 0;  ///< Notification address (word 3); other uses are in the table above.

  /// The header's four words.
  std::array<std::uint64_t, 4> encode() const;
  /// Reads the four words; unused bits are ignored.
  static ParcelHeader decode(const std::array<std::uint64_t, 4>& words);
};

/// Problem of a header from control-register set `set` (registers.h); empty if RHM may accept it.
std::string parcel_problem(const ParcelHeader& header, unsigned set);

/// Word 3 of a reply's header, `fields::reply_path`.
struct ReplyPath {
  std::uint16_t node = 0;      ///< Node of the requesting task.
  std::uint8_t cid = 0;        ///< Context of the requesting task.
  std::uint8_t asked_cid = 0;  ///< Context of the requested task, to which the source address belongs.
  bool equal = false;          ///< Result of the comparison (compare & swap).
  bool refused = false;        ///< The request was refused; the reply has no data.
  /// Word 3 of the header.
  std::uint64_t encode() const;
  /// Reads word 3.
  static ReplyPath decode(std::uint64_t word);
};

/// Body of a request's packet: the words that do not fit in the packet header. Remote read: destination;
/// swap: immediate, dst2; compare & swap: both immediates. The last word: `fields::request_end`.
struct RequestBody {
  /// Words at the front of the body, as above; a remote read uses the first.
  std::array<std::uint64_t, 2> words{};
  std::uint32_t length = 0;  ///< Length of a remote read in bytes.
  std::uint8_t cid = 0;      ///< Context of the requesting task.
  std::uint16_t node = 0;    ///< Node of the requesting task.
  bool physical = false;     ///< Addresses of the requesting task are physical.
  /// Bytes of the body.
  static unsigned bytes(Protocol protocol) { return protocol == Protocol::remote_read ? 16 : 24; }
  /// Writes bytes() bytes to `body`.
  void encode(Protocol protocol, std::byte* body) const;
  /// Reads bytes() bytes.
  static RequestBody decode(Protocol protocol, const std::byte* body);
};

/// Entry of a task's remote-read notification buffer (Kanoh 2000, 4.3), `fields::reply_notification`.
struct ReplyNotification {
  static constexpr unsigned bytes = fields::reply_notification::bytes;  ///< Size of an entry.
  static constexpr unsigned entries = reply_notification_entries;       ///< Number of entries.
  /// Bit of word 0: the reply has arrived.
  static constexpr std::uint64_t arrived = fields::reply_notification::arrived.word_of(1);
  /// Bit of word 0: the values were equal (compare & swap).
  static constexpr std::uint64_t equal = fields::reply_notification::equal.word_of(1);
  /// Bit of word 0: the other node refused the request.
  static constexpr std::uint64_t refused = fields::reply_notification::refused.word_of(1);
};

/// The two header words of a packet after the port flit and, for a multicast, the map. A Receiver knows
/// nothing else about a packet. Positions: `fields::packet_header`.
struct PacketHeader {
  std::uint16_t node = 0;                    ///< Destination node, group or sid: routing_field().
  std::uint8_t cid = 0;                      ///< Context of the receiving task.
  Protocol protocol = Protocol::remote_dma;  ///< Operation of the parcel.
  std::uint16_t source_pe = 0;               ///< Logical PE of the sender.
  std::uint16_t payload_bytes = 0;           ///< Payload in bytes.
  bool last = false;                         ///< Last packet of its parcel.
  bool first = false;                        ///< First packet of its parcel.
  bool log = false;                          ///< The Receiver adds an entry to the task's log.
  std::uint8_t rrid = 0;                     ///< Number of a remote read or compare & swap, 0..63.
  bool equal = false;                        ///< Result of the comparison (reply of compare & swap).
  bool interrupt = false;                    ///< Interrupt after the packet has been written.
  bool refused = false;                      ///< The request was refused (reply).
  bool physical = false;                     ///< `address` is physical.
  std::uint64_t address = 0;                 ///< Destination address or offset (word 1).

  /// The header's two words.
  std::array<std::uint64_t, 2> encode() const;
  /// Decodes the header's two words.
  static PacketHeader decode(const std::array<std::uint64_t, 2>& words);
};

/// Lengths of packets in flits (rooms/core.md, Where the paper is silent, 1): the port flit, the header, and
/// flits_per_word flits for every 8 bytes of payload. A header has at least the flits that spell_flit() needs
/// for the header words.
struct PacketSizes {
  static constexpr unsigned port_flits = 1;  ///< Flits before the header.
  unsigned header_flits = 18;            ///< Header flits of a single cast, 6..64; 18 are six doublewords.
  unsigned multicast_header_flits = 18;  ///< Header flits of a multicast, 9..64.
  unsigned synchronization_header_flits =
      9;                             ///< Header flits of a synchronization, 9..64: map and sid alone.
  unsigned flits_per_word = 3;       ///< Flits of a doubleword of 8 bytes, 3..8.
  unsigned max_payload_bytes = 256;  ///< Largest payload in bytes, 128 or 256.
  /// Header flits of a packet of this kind.
  unsigned header(PacketKind kind) const {
    switch (kind) {
      case PacketKind::single_cast:
        return header_flits;
      case PacketKind::multicast:
        return multicast_header_flits;
      case PacketKind::synchronization:
        break;
    }
    return synchronization_header_flits;
  }
  /// All flits of a packet of this kind.
  unsigned flits(PacketKind kind, unsigned payload_bytes) const {
    return port_flits + header(kind) + flits_per_word * ((payload_bytes + 7) / 8);
  }
  /// Flits of the largest packet of any kind.
  unsigned largest() const {
    return std::max(flits(PacketKind::single_cast, max_payload_bytes),
                    flits(PacketKind::multicast, max_payload_bytes));
  }
};

}  // namespace tsuji::nic
