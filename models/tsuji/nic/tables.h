// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace tsuji::nic {

// Tables in main memory, written by the operating system's agent, read by Sender and Receiver (Kanoh 2000,
// fig. 4). Words are 64 bits, little-endian. All base addresses are physical, and aligned to 8 bytes where no
// other alignment is given.

inline constexpr unsigned page_bytes = 4096;
inline constexpr unsigned line_bytes = 128;
inline constexpr unsigned cids = 256;
inline constexpr unsigned nodes_of_a_header = 1024;  ///< number of nodes that a packet header can address
inline constexpr unsigned sids = 128;
inline constexpr unsigned segments_per_cid = 4;

/// Entry of the node table, one word for each logical PE: bit 63 valid, 17:10 cid, 9:0 physical node.
struct NodeEntry {
  static constexpr unsigned bytes = 8;
  bool valid = false;
  std::uint16_t node = 0;
  std::uint8_t cid = 0;
  std::uint64_t encode() const;
  static NodeEntry decode(std::uint64_t word);
};

/// Entry of the multicast header table. Word 0: map of 64 nodes; word 1: bit 63 valid, 25:18 cid, 17:0 node
/// group.
struct MulticastEntry {
  static constexpr unsigned bytes = 16;
  bool valid = false;
  std::uint64_t map = 0;
  std::uint32_t group = 0;
  std::uint8_t cid = 0;
  std::array<std::uint64_t, 2> encode() const;
  static MulticastEntry decode(const std::array<std::uint64_t, 2>& words);
};

/// Entry of the synchronization header table. Word 0: map of 64 nodes; word 1: bit 63 valid, 25:18 cid, 6:0
/// sid.
struct SynchronizationEntry {
  static constexpr unsigned bytes = 16;
  bool valid = false;
  std::uint64_t map = 0;
  std::uint8_t sid = 0;
  std::uint8_t cid = 0;
  std::array<std::uint64_t, 2> encode() const;
  static SynchronizationEntry decode(const std::array<std::uint64_t, 2>& words);
};

/// Entry of the segment table, four entries for each cid (Kanoh 2000, 5.2). Word 0: bit 63 valid, below it
/// the physical address of the page table; word 1: lowest page number; word 2: highest page number. A page
/// number is the logical address divided by page_bytes.
struct SegmentEntry {
  static constexpr unsigned bytes = 24;
  bool valid = false;
  std::uint64_t page_table = 0;
  std::uint64_t lowest_page = 0;
  std::uint64_t highest_page = 0;
  std::array<std::uint64_t, 3> encode() const;
  static SegmentEntry decode(const std::array<std::uint64_t, 3>& words);
};

/// Entry of a segment's page table, one word for each page, indexed by page number - lowest_page: bit 63
/// valid, bit 62 writable, below them the physical address of the page.
struct PageEntry {
  static constexpr unsigned bytes = 8;
  bool valid = false;
  bool writable = false;
  std::uint64_t physical = 0;
  std::uint64_t encode() const;
  static PageEntry decode(std::uint64_t word);
};

/// Entry of the buffer table, 64 bytes for each cid (Kanoh 2000, 4.3). It holds the words that a task polls;
/// limits are in the buffer limit table, which only the operating system and the Receiver read. Pointers are
/// logical addresses of the next byte to be written.
///
///   word 0, 1   pointers of message buffers 0 and 1
///   word 2-4    address registers 0-2
///   word 5      base of the remote-read notification buffer; 0: none
///   word 6      pointer of the log buffer
///   word 7      Violation of the last packet for this cid that the Receiver refused; 0: none since the task
///               began
struct BufferEntry {
  static constexpr unsigned bytes = 64;
  static constexpr unsigned message_word = 0;
  static constexpr unsigned address_register_word = 2;
  static constexpr unsigned reply_notification_word = 5;
  static constexpr unsigned log_word = 6;
  static constexpr unsigned status_word = 7;
};

/// Entry of the buffer limit table, one line of memory for each cid.
///
///   word 0-5    base and size in bytes (a multiple of line_bytes; 0: no such buffer) of message buffer 0,
///               message buffer 1 and the log buffer
///   word 6      physical base of the cid's synchronization notification table, 128 counters of 8 bytes
///   word 7      bit 0 enables receive interrupts, bits 1-3 interrupts for each quarter of message buffer 0,
///               message buffer 1 and the log buffer
///   word 8-10   read pointers of the task in the three buffers, logical addresses; 0: nothing read yet
///   word 11-15  unused
struct BufferLimits {
  static constexpr unsigned bytes = 128;
  static constexpr unsigned synchronization_word = 6;
  static constexpr unsigned interrupt_word = 7;
  static constexpr unsigned read_pointer_word = 8;
  static constexpr std::uint64_t receive_interrupt = 1;
  static constexpr std::uint64_t quarter_interrupt(unsigned buffer) { return std::uint64_t{2} << buffer; }
};

/// Entry of a task's log, 16 bytes. Word 0: bits 3:0 protocol, 15:4 logical PE of the source, 31:16 zero,
/// 63:32 payload bytes. Word 1: logical address of the written data.
struct LogEntry {
  static constexpr unsigned bytes = 16;
};

}  // namespace tsuji::nic
