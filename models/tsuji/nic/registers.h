// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsuji::nic {

// NIC registers, 8 bytes each, as offsets in the NIC's TLM target. An access lies within one register. Bytes
// that a write omits keep their value; in registers where writing ones, or any write, has an effect, they
// count as 0. Unknown offsets get a TLM error response. Registers of different tasks lie on different pages
// of 4 KB (Kanoh 2000, 5.2), so that the page map protects them.

/// Sender: one page for each of the four control-register sets. Set 0 is the operating system's (physical
/// addresses allowed), set 1 serves the replies to remote reads, sets 2 and 3 are for user tasks.
inline constexpr std::uint64_t sender_set_base = 0x0000;
inline constexpr std::uint64_t sender_set_stride = 0x1000;
inline constexpr unsigned sender_sets = 4;
inline constexpr unsigned os_set = 0;
inline constexpr unsigned reply_set = 1;
inline constexpr unsigned first_user_set = 2;
/// The only register of a set that its task writes: the offset in the queue after the last parcel header.
inline constexpr std::uint64_t queue_write_pointer = 0x000;
/// Read only: the offset of the next header that RHM will read.
inline constexpr std::uint64_t queue_read_pointer = 0x008;
/// Bits 7:0: Violation of the last refused header or write pointer; 31:16: offset of the header in the queue.
/// 0: none. Any write clears the register.
inline constexpr std::uint64_t queue_status = 0x010;

/// The operating system's page for each set, at sender_os_base + set * sender_set_stride.
inline constexpr std::uint64_t sender_os_base = 0x8000;
inline constexpr std::uint64_t queue_base = 0x000;   ///< physical, aligned to its size
inline constexpr std::uint64_t queue_bytes = 0x008;  ///< 4096..65536, a power of two; 0: the set is off
inline constexpr std::uint64_t queue_cid = 0x010;
inline constexpr std::uint64_t source_pe = 0x018;  ///< logical PE of the task, which every packet carries
inline constexpr std::uint64_t node_table_base = 0x020;
inline constexpr std::uint64_t node_table_entries = 0x028;
inline constexpr std::uint64_t multicast_table_base = 0x030;
inline constexpr std::uint64_t multicast_table_entries = 0x038;
inline constexpr std::uint64_t synchronization_table_base = 0x040;
inline constexpr std::uint64_t synchronization_table_entries = 0x048;
inline constexpr std::uint64_t empty_interrupt = 0x050;  ///< 1: event when all parcels of the set have left
/// Pointers and status of a queue, for a task switch: write pointer in bits 15:0, read pointer in 31:16,
/// `queue_status` in 63:32 (the header's offset in 63:48). The operating system sets `queue_bytes` to 0,
/// which stops reads of headers and keeps this word, and reads it; it writes the word after it has set the
/// task's queue again.
inline constexpr std::uint64_t queue_state = 0x058;

/// Page of both halves: physical bases of tables, written by the operating system before the first parcel.
inline constexpr std::uint64_t common_os_base = 0xC000;
inline constexpr std::uint64_t segment_table_base = 0x000;
inline constexpr std::uint64_t buffer_table_base = 0x008;  ///< aligned to 128 bytes
inline constexpr std::uint64_t buffer_limit_table_base = 0x010;
inline constexpr std::uint64_t flush_tlbs = 0x018;  ///< any write empties the TLBs and the buffer table cache
inline constexpr std::uint64_t receiver_cid = 0x020;  ///< owner of the Receiver's task page

/// Receiver: page of the task that runs on the processor, with its address registers and its read pointers of
/// the message and log buffers, from which the Receiver detects overruns. A write changes the entry of
/// `receiver_cid` in the buffer table or the buffer limit table.
inline constexpr std::uint64_t receiver_task_base = 0xD000;
inline constexpr std::uint64_t address_register0 = 0x008;      ///< + 8 n
inline constexpr std::uint64_t message_read_pointer0 = 0x020;  ///< + 8 n, logical address
inline constexpr std::uint64_t log_read_pointer = 0x030;

/// Events (nic_events.h), on a page of the operating system. A handler clears `event_pending` first and reads
/// the causes afterwards, so that a later cause sets the bit again.
inline constexpr std::uint64_t event_os_base = 0xE000;
inline constexpr std::uint64_t event_pending = 0x000;  ///< one bit for each event; writing 1 clears a bit
inline constexpr std::uint64_t event_enable = 0x008;   ///< one bit for each event that interrupts
/// NicEvents::Refusal of the Sender; writing the value that was read clears the refusals that it counts.
inline constexpr std::uint64_t sender_refusal = 0x010;
/// NicEvents::Refusal of the Receiver, cleared like sender_refusal.
inline constexpr std::uint64_t receiver_refusal = 0x018;
/// NicEvents::Fault of the Sender while it waits for the operating system; 0: none. Writing `fault_retry`
/// repeats the translation, `fault_refuse` drops the rest of the parcel or the notification. Of the Receiver,
/// in receiver_fault_state: `fault_refuse` drops the packet.
inline constexpr std::uint64_t sender_fault_state = 0x020;
inline constexpr std::uint64_t sender_fault_address = 0x028;
inline constexpr std::uint64_t receiver_fault_state = 0x030;
inline constexpr std::uint64_t receiver_fault_address = 0x038;
inline constexpr std::uint64_t fault_retry = 1, fault_refuse = 2;
inline constexpr std::uint64_t empty_sets = 0x040;  ///< one bit for each set; writing 1 clears a bit
/// Bit 63, and the physical address of the first request of the Sender or Receiver that the memory controller
/// answered with an error; 0: none. Any write clears the register.
inline constexpr std::uint64_t sender_memory_error = 0x048;
inline constexpr std::uint64_t receiver_memory_error = 0x050;
/// Four lists (CidList) of 256 bits, in four words each; writing 1 clears a bit.
inline constexpr std::uint64_t cid_list0 = 0x080;

inline constexpr std::uint64_t register_space_bytes = 0x10000;

}  // namespace tsuji::nic
