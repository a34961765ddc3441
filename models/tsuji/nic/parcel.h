// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::nic {

/// Protocol of a parcel (Kanoh 2000, table 1). Replies are parcels of the Receiver, in the queue of set 1.
enum class Protocol : std::uint8_t {
  remote_dma = 0,
  /// Remote DMA to the Receiver's address register 0; the next two values use registers 1 and 2.
  remote_dma_register0 = 1,
  remote_dma_register1 = 2,
  remote_dma_register2 = 3,
  message0 = 4,
  message1 = 5,
  atomic_add = 6,
  remote_read = 7,
  swap = 8,
  compare_swap = 9,
  remote_read_reply = 10,
  swap_reply = 11,
  compare_swap_reply = 12,
  synchronization = 15,
};
constexpr bool is_message(Protocol protocol) {
  return protocol == Protocol::message0 || protocol == Protocol::message1;
}
/// True if an address register of the Receiver determines the destination of the data.
constexpr bool is_address_register(Protocol protocol) {
  return protocol >= Protocol::remote_dma_register0 && protocol <= Protocol::remote_dma_register2;
}
/// True if the Receiver answers the parcel.
constexpr bool is_request(Protocol protocol) {
  return protocol >= Protocol::remote_read && protocol <= Protocol::compare_swap;
}
constexpr bool is_reply(Protocol protocol) {
  return protocol >= Protocol::remote_read_reply && protocol <= Protocol::compare_swap_reply;
}

/// A parcel header as it lies in a header queue: 32 bytes, four little-endian 64-bit words. The paper fixes
/// what the first word holds (4.1), not where; these are our places.
///
///   word 0   bits 3:0 protocol, 5:4 packet kind, 6 inline, 7 notify, 8 log, 9 physical addresses (OS queue
///   only),
///            29:10 data length in bytes (a multiple of 4, up to 512 KB), 41:30 logical PE, or the offset in
///            the multicast or synchronization header table, 47:42 rrid (remote read, compare & swap), 48
///            interrupt at the Receiver
///   word 1   source address, of a remote read on the other node; in inline mode the data; atomic add: the
///            immediate; swap, compare & swap: dst1, on the other node
///   word 2   destination address; address-register protocols: offset added to the register; messages: 0;
///            swap: the immediate; compare & swap: the first immediate
///   word 3   notification address (bit 7 of word 0 says whether it is used); swap: dst2; compare & swap: the
///            second immediate; replies: ReplyPath
struct ParcelHeader {
  static constexpr unsigned bytes = 32;
  static constexpr std::uint32_t max_data_bytes = 512 * 1024;
  static constexpr unsigned inline_bytes = 8;

  Protocol protocol = Protocol::remote_dma;
  PacketKind kind = PacketKind::single_cast;
  bool inline_data = false;
  bool notify = false;
  bool log = false;
  bool physical = false;
  /// Interrupt after the parcel's last packet has been written, if the Receiver enables it.
  bool interrupt = false;
  std::uint32_t length = 0;
  std::uint16_t logical_pe = 0;
  std::uint8_t rrid = 0;
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint64_t notification = 0;

  std::array<std::uint64_t, 4> encode() const;
  static ParcelHeader decode(const std::array<std::uint64_t, 4>& words);
};

/// Problem of a header from control-register set `set` (registers.h); empty if RHM may accept it.
std::string parcel_problem(const ParcelHeader& header, unsigned set);

/// Word 3 of a reply's header: 9:0 node that asked, 17:10 its cid, 25:18 cid that was asked, whose addresses
/// the source is one of, 26 the comparison's result, 27 refused: there are no data.
struct ReplyPath {
  std::uint16_t node = 0;
  std::uint8_t cid = 0;
  std::uint8_t asked_cid = 0;
  bool equal = false;
  bool refused = false;
  std::uint64_t encode() const;
  static ReplyPath decode(std::uint64_t word);
};

/// Body of a request's packet: the words that the packet header has no place for. remote read: destination;
/// swap: immediate, dst2; compare & swap: both immediates; then, as the last word, 19:0 length of a remote
/// read in bytes, 27:20 cid of the task that asks, 37:28 its node, 38 its addresses are physical.
struct RequestBody {
  std::array<std::uint64_t, 2> words{};
  std::uint32_t length = 0;
  std::uint8_t cid = 0;
  std::uint16_t node = 0;
  bool physical = false;
  /// Bytes of the body.
  static unsigned bytes(Protocol protocol) { return protocol == Protocol::remote_read ? 16 : 24; }
  void encode(Protocol protocol, std::byte* body) const;
  static RequestBody decode(Protocol protocol, const std::byte* body);
};

/// An entry of a task's remote-read notification buffer, 16 bytes a rrid (4.3): word 0 bit 0 has arrived, bit
/// 1 the values were equal (compare & swap), bit 2 the other node refused (an address that is not mapped
/// there); word 1 the old value (compare & swap), else 0.
struct ReplyNotification {
  static constexpr unsigned bytes = 16;
  static constexpr unsigned entries = 64;
  static constexpr std::uint64_t arrived = 1, equal = 2, refused = 4;
};

/// The two header words of a packet behind the port flit (and behind the map of a multicast): what a Receiver
/// knows.
///
///   word 0   9:0 destination node (single cast), 17:10 cid, 21:18 protocol, 33:22 source's logical PE, 42:34
///   payload
///            bytes, 43 last packet of its parcel, 44 first, 45 log, 51:46 rrid, 52 equal (reply of compare &
///            swap), 53 interrupt, 54 refused (reply), 55 physical
///            address, 63:56 zero
///   word 1   destination address (remote DMA, atomic add, replies); source (remote read); dst1 (swap,
///   compare & swap); offset from the register (address registers); messages: the
///            payload's offset in the parcel
struct PacketHeader {
  std::uint16_t node = 0;
  std::uint8_t cid = 0;
  Protocol protocol = Protocol::remote_dma;
  std::uint16_t source_pe = 0;
  std::uint16_t payload_bytes = 0;
  bool last = false;
  bool first = false;
  bool log = false;
  std::uint8_t rrid = 0;
  bool equal = false;
  bool interrupt = false;
  bool refused = false;
  bool physical = false;
  std::uint64_t address = 0;

  std::array<std::uint64_t, 2> encode() const;
  static PacketHeader decode(const std::array<std::uint64_t, 2>& words);
};

/// Flits of a packet (rooms/core.md, Where the paper is silent, 1): the port flit, the header,
/// three flits for every 8 bytes. A header is at least as long as the words that `spell_flit` gives it.
struct PacketSizes {
  static constexpr unsigned port_flits = 1;
  unsigned header_flits = 18;                 ///< single cast, 6..64; both: six doublewords
  unsigned multicast_header_flits = 18;       ///< 9..64
  unsigned synchronization_header_flits = 9;  ///< 9..64; map and sid alone
  unsigned flits_per_word = 3;                ///< 3..8
  unsigned max_payload_bytes = 256;
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
  unsigned flits(PacketKind kind, unsigned payload_bytes) const {
    return port_flits + header(kind) + flits_per_word * ((payload_bytes + 7) / 8);
  }
  unsigned largest() const {
    return std::max(flits(PacketKind::single_cast, max_payload_bytes),
                    flits(PacketKind::multicast, max_payload_bytes));
  }
};

/// Pattern that the Sender writes to a notification address after a parcel's last packet has left.
inline constexpr std::uint64_t sent_pattern = 0x544e455344454e55;

}  // namespace tsuji::nic
