// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsuji::nic {

// NIC registers, 8 bytes each, as offsets in the NIC's TLM target. An access lies within one register; bytes
// that a write leaves out keep their value, and count as 0 where ones or any write have an effect of their
// own. Unknown offsets get a TLM error response. Registers of different tasks lie on different 4 KB pages
// (Kanoh 2000, 5.2), so that the page map protects them.

/// Sender: one page for each of the four control-register sets. Set 0 is the operating system's (physical
/// addresses allowed), set 1 serves the replies to remote reads, sets 2 and 3 are for user tasks.
inline constexpr std::uint64_t sender_set_base = 0x0000;
inline constexpr std::uint64_t sender_set_stride = 0x1000;
inline constexpr unsigned sender_sets = 4;
inline constexpr unsigned os_set = 0;
inline constexpr unsigned reply_set = 1;
inline constexpr unsigned first_user_set = 2;
/// The only register of a set that its task writes: the offset in the queue behind the last parcel header.
inline constexpr std::uint64_t queue_write_pointer = 0x000;
/// Read only: the offset of the next header that RHM will read.
inline constexpr std::uint64_t queue_read_pointer = 0x008;
/// Violation of the last header or write pointer that was refused in bits 7:0, the header's offset in the
/// queue in 31:16; 0: none. Any write clears it.
inline constexpr std::uint64_t queue_status = 0x010;

/// The operating system's page for each set, at sender_os_base + set * sender_set_stride.
inline constexpr std::uint64_t sender_os_base = 0x8000;
inline constexpr std::uint64_t queue_base = 0x000;   ///< physical, aligned to its size
inline constexpr std::uint64_t queue_bytes = 0x008;  ///< 4096..65536, a power of two; 0: the set is off
inline constexpr std::uint64_t queue_cid = 0x010;
inline constexpr std::uint64_t source_pe = 0x018;  ///< this task's own logical PE, goes into every packet
inline constexpr std::uint64_t node_table_base = 0x020;
inline constexpr std::uint64_t node_table_entries = 0x028;
inline constexpr std::uint64_t multicast_table_base = 0x030;
inline constexpr std::uint64_t multicast_table_entries = 0x038;
inline constexpr std::uint64_t synchronization_table_base = 0x040;
inline constexpr std::uint64_t synchronization_table_entries = 0x048;
inline constexpr std::uint64_t empty_interrupt = 0x050;  ///< 1: event when this set has sent everything
/// Pointers and status of a queue, for an exchange of tasks: write pointer in bits 15:0, read pointer in
/// 31:16, `queue_status` in 63:32 (the header's offset in 63:48). Read when `queue_bytes` was set to 0, which
/// takes no more headers from the queue and keeps this word; written when the task's queue is set again.
inline constexpr std::uint64_t queue_state = 0x058;

/// Both halves: physical bases, written by the operating system before the first parcel.
inline constexpr std::uint64_t common_os_base = 0xC000;
inline constexpr std::uint64_t segment_table_base = 0x000;
inline constexpr std::uint64_t buffer_table_base = 0x008;  ///< aligned to 128 bytes
inline constexpr std::uint64_t buffer_limit_table_base = 0x010;
inline constexpr std::uint64_t flush_tlbs = 0x018;  ///< any write forgets all cached translations and entries
inline constexpr std::uint64_t receiver_cid = 0x020;  ///< owner of the Receiver's task page

/// Receiver: the page of the task that has the processor, its address registers and how far it has read its
/// message and log buffers, which is what an overrun is judged by. What is written here goes to the cid's
/// entry of the buffer table or of the limit table.
inline constexpr std::uint64_t receiver_task_base = 0xD000;
inline constexpr std::uint64_t address_register0 = 0x008;      ///< + 8 n
inline constexpr std::uint64_t message_read_pointer0 = 0x020;  ///< + 8 n, logical address
inline constexpr std::uint64_t log_read_pointer = 0x030;

/// Events (nic_events.h), the operating system's page. A handler clears `event_pending` first and looks at
/// the causes then, so that a cause that comes later is pending again.
inline constexpr std::uint64_t event_os_base = 0xE000;
inline constexpr std::uint64_t event_pending = 0x000;  ///< a bit each; ones that are written clear them
inline constexpr std::uint64_t event_enable = 0x008;   ///< those that interrupt
inline constexpr std::uint64_t sender_refusal =
    0x010;  ///< NicEvents::Refusal; writing what was read clears that much
inline constexpr std::uint64_t receiver_refusal = 0x018;  ///< the same
/// NicEvents::Fault of the half that waits, 0: none. Writing `fault_retry` lets it look at the tables again,
/// `fault_refuse` drops the rest of the parcel, the packet or the notification.
inline constexpr std::uint64_t sender_fault_state = 0x020;
inline constexpr std::uint64_t sender_fault_address = 0x028;
inline constexpr std::uint64_t receiver_fault_state = 0x030;
inline constexpr std::uint64_t receiver_fault_address = 0x038;
inline constexpr std::uint64_t fault_retry = 1, fault_refuse = 2;
inline constexpr std::uint64_t empty_sets = 0x040;  ///< a bit a set; ones that are written clear them
/// Physical address of the half's first request that the memory controller answered with an error, and bit
/// 63; 0: none. Any write clears it.
inline constexpr std::uint64_t sender_memory_error = 0x048;
inline constexpr std::uint64_t receiver_memory_error = 0x050;
/// Four lists (CidList) of 256 bits in four words each; ones that are written clear them.
inline constexpr std::uint64_t cid_list0 = 0x080;

inline constexpr std::uint64_t register_space_bytes = 0x10000;

}  // namespace tsuji::nic
