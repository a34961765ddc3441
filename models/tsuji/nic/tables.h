// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace tsuji::nic {

// Tables in main memory, written by the operating system's agent, read by Sender and Receiver (Kanoh 2000,
// fig. 4). Words are 64 bits, little-endian. All base addresses are physical and aligned to 8 bytes unless
// said otherwise.

inline constexpr unsigned page_bytes = 4096;
inline constexpr unsigned line_bytes = 128;
inline constexpr unsigned cids = 256;
inline constexpr unsigned nodes_of_a_header = 1024;  ///< a packet header names one of so many
inline constexpr unsigned sids = 128;
inline constexpr unsigned segments_per_cid = 4;

/// Node table, one word a logical PE: bit 63 valid, 17:10 cid, 9:0 physical node.
struct NodeEntry {
  static constexpr unsigned bytes = 8;
  bool valid = false;
  std::uint16_t node = 0;
  std::uint8_t cid = 0;
  std::uint64_t encode() const;
  static NodeEntry decode(std::uint64_t word);
};

/// Multicast header table, two words an entry: the 64-bit map; then bit 63 valid, 25:18 cid, 17:0 node group.
struct MulticastEntry {
  static constexpr unsigned bytes = 16;
  bool valid = false;
  std::uint64_t map = 0;
  std::uint32_t group = 0;
  std::uint8_t cid = 0;
  std::array<std::uint64_t, 2> encode() const;
  static MulticastEntry decode(const std::array<std::uint64_t, 2>& words);
};

/// Synchronization header table, two words an entry: the 64-bit map; then bit 63 valid, 25:18 cid, 6:0 sid.
struct SynchronizationEntry {
  static constexpr unsigned bytes = 16;
  bool valid = false;
  std::uint64_t map = 0;
  std::uint8_t sid = 0;
  std::uint8_t cid = 0;
  std::array<std::uint64_t, 2> encode() const;
  static SynchronizationEntry decode(const std::array<std::uint64_t, 2>& words);
};

/// Segment table, three words an entry, four entries a cid (5.2): physical address of the page table (bit 63
/// of the word: valid); lowest page number; highest page number. Page numbers are logical address /
/// page_bytes.
struct SegmentEntry {
  static constexpr unsigned bytes = 24;
  bool valid = false;
  std::uint64_t page_table = 0;
  std::uint64_t lowest_page = 0;
  std::uint64_t highest_page = 0;
  std::array<std::uint64_t, 3> encode() const;
  static SegmentEntry decode(const std::array<std::uint64_t, 3>& words);
};

/// Page table of a segment, one word a page, indexed by page - lowest_page: bit 63 valid, bit 62 writable,
/// below them the physical address of the page.
struct PageEntry {
  static constexpr unsigned bytes = 8;
  bool valid = false;
  bool writable = false;
  std::uint64_t physical = 0;
  std::uint64_t encode() const;
  static PageEntry decode(std::uint64_t word);
};

/// Buffer table, 64 bytes a cid (4.3). Pointers are logical addresses of the next byte to be written. Words
/// that a task polls are here; the limits lie beside the table, in the buffer limit table, which only the OS
/// and the Receiver read.
///
///   word 0, 1   message buffer 0 and 1 pointers         word 5   remote-read notification buffer's base; 0:
///   none word 2-4    address registers 0-2                   word 6   log buffer pointer       word 7
///   Violation of the last packet for this cid that the Receiver refused; 0: none since the task began
struct BufferEntry {
  static constexpr unsigned bytes = 64;
  static constexpr unsigned message_word = 0;
  static constexpr unsigned address_register_word = 2;
  static constexpr unsigned reply_notification_word = 5;
  static constexpr unsigned log_word = 6;
  static constexpr unsigned status_word = 7;
};

/// Buffer limit table, a line a cid: base and size in bytes (a multiple of line_bytes) of message buffer 0,
/// message buffer 1 and the log buffer, as (base, size) pairs in words 0-5; word 6: physical base of the
/// synchronization notification table of this cid (128 counters of 8 bytes); word 7: bit 0 receive
/// interrupts are let through, 1-3 interrupts for each quarter of message buffer 0, 1 and the log buffer;
/// words 8-10: how far the task has read these three buffers, as logical addresses, 0: nothing of them yet;
/// words 11-15 are free. Size 0: that buffer does not exist.
struct BufferLimits {
  static constexpr unsigned bytes = 128;
  static constexpr unsigned synchronization_word = 6;
  static constexpr unsigned interrupt_word = 7;
  static constexpr unsigned read_pointer_word = 8;
  static constexpr std::uint64_t receive_interrupt = 1;
  static constexpr std::uint64_t quarter_interrupt(unsigned buffer) { return std::uint64_t{2} << buffer; }
};

/// A log entry, 16 bytes: word 0 = bits 3:0 protocol, 15:4 source's logical PE, 31:16 zero, 63:32 payload
/// bytes; word 1 = logical address where the data were written.
struct LogEntry {
  static constexpr unsigned bytes = 16;
};

}  // namespace tsuji::nic
