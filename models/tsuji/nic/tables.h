// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tsuji/nic/interface_values.h"

namespace tsuji::nic {

// Tables in main memory, written by the operating system's agent, read by Sender and Receiver (Kanoh 2000,
// fig. 4). Words are 64 bits, little-endian. All base addresses are physical, and aligned to 8 bytes where no
// other alignment is given.

/// Entry of the node table, `fields::node_entry`, one word for each logical PE.
struct NodeEntry {
  static constexpr unsigned bytes = fields::node_entry::bytes;
  bool valid = false;
  std::uint16_t node = 0;
  std::uint8_t cid = 0;
  std::uint64_t encode() const;
  static NodeEntry decode(std::uint64_t word);
};

/// Entry of the multicast header table, `fields::multicast_entry`.
struct MulticastEntry {
  static constexpr unsigned bytes = fields::multicast_entry::bytes;
  bool valid = false;
  std::uint64_t map = 0;
  std::uint32_t group = 0;
  std::uint8_t cid = 0;
  std::array<std::uint64_t, 2> encode() const;
  static MulticastEntry decode(const std::array<std::uint64_t, 2>& words);
};

/// Entry of the synchronization header table, `fields::synchronization_entry`.
struct SynchronizationEntry {
  static constexpr unsigned bytes = fields::synchronization_entry::bytes;
  bool valid = false;
  std::uint64_t map = 0;
  std::uint8_t sid = 0;
  std::uint8_t cid = 0;
  std::array<std::uint64_t, 2> encode() const;
  static SynchronizationEntry decode(const std::array<std::uint64_t, 2>& words);
};

/// Entry of the segment table (Kanoh 2000, 5.2), `fields::segment_entry`: segments_per_cid for each cid.
struct SegmentEntry {
  static constexpr unsigned bytes = fields::segment_entry::bytes;
  bool valid = false;
  std::uint64_t page_table = 0;
  std::uint64_t lowest_page = 0;
  std::uint64_t highest_page = 0;
  std::array<std::uint64_t, 3> encode() const;
  static SegmentEntry decode(const std::array<std::uint64_t, 3>& words);
};

/// Entry of a segment's page table, `fields::page_entry`, indexed by page number - lowest_page.
struct PageEntry {
  static constexpr unsigned bytes = fields::page_entry::bytes;
  bool valid = false;
  bool writable = false;
  std::uint64_t physical = 0;
  std::uint64_t encode() const;
  static PageEntry decode(std::uint64_t word);
};

/// Entry of the buffer table (Kanoh 2000, 4.3), `fields::buffer_entry`, one for each cid.
struct BufferEntry {
  static constexpr unsigned bytes = fields::buffer_entry::bytes;
  static constexpr unsigned message_word = fields::buffer_entry::message0_pointer.word;
  static constexpr unsigned address_register_word = fields::buffer_entry::address_register0.word;
  static constexpr unsigned reply_notification_word = fields::buffer_entry::reply_notifications.word;
  static constexpr unsigned log_word = fields::buffer_entry::log_pointer.word;
  static constexpr unsigned status_word = fields::buffer_entry::status.word;
};

/// Entry of the buffer limit table, `fields::buffer_limits`, one for each cid.
struct BufferLimits {
  static constexpr unsigned bytes = fields::buffer_limits::bytes;
  static constexpr unsigned synchronization_word = fields::buffer_limits::synchronization_counters.word;
  static constexpr unsigned interrupt_word = fields::buffer_limits::receive_interrupt.word;
  static constexpr unsigned read_pointer_word = fields::buffer_limits::message0_read_pointer.word;
  static constexpr std::uint64_t receive_interrupt = fields::buffer_limits::receive_interrupt.word_of(1);
  static constexpr std::uint64_t quarter_interrupt(unsigned buffer) {
    return fields::buffer_limits::quarter_interrupt.word_of(std::uint64_t{1} << buffer);
  }
};

/// Entry of a task's log, `fields::log_entry`.
struct LogEntry {
  static constexpr unsigned bytes = fields::log_entry::bytes;
};

}  // namespace tsuji::nic
