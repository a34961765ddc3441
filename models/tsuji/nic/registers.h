// SPDX-License-Identifier: Apache-2.0
// Made of models/tsuji/nic/interface.yaml by scripts/nic_interface.
#pragma once

#include <cstdint>

namespace tsuji::nic {

// NIC registers, 8 bytes each, as offsets in the NIC's TLM target. An access lies within one register.
// Bytes that a write omits keep their value; in registers where writing ones, or any write, has an effect,
// they count as 0. Unknown offsets get a TLM error response. Registers of different tasks lie on different
// pages of 4 KB (Kanoh 2000, 5.2), so that the page map protects them.
/// Size of these registers' address space.
inline constexpr std::uint64_t register_space_bytes = 0x10000;

/// Sender: one page for each of the four control-register sets. Set 0 is the operating system's (physical
/// addresses allowed), set 1 serves the replies to remote reads, sets 2 and 3 are for user tasks.
inline constexpr std::uint64_t sender_set_base = 0x0000;
/// Distance in bytes between the blocks `sender_set`.
inline constexpr std::uint64_t sender_set_stride = 0x1000;
/// Number of blocks `sender_set`.
inline constexpr unsigned sender_sets = 4;
/// Set of the operating system.
inline constexpr unsigned os_set = 0;
/// Set of the Receiver's replies.
inline constexpr unsigned reply_set = 1;
/// First set of user tasks.
inline constexpr unsigned first_user_set = 2;
/// The only register of a set that its task writes: the offset in the queue after the last parcel header.
inline constexpr std::uint64_t queue_write_pointer = 0x000;
/// The offset of the next header that the Sender will read.
inline constexpr std::uint64_t queue_read_pointer = 0x008;
/// The last refused header or write pointer.
inline constexpr std::uint64_t queue_status = 0x010;

/// The operating system's page for each set, at sender_os_base + set * sender_set_stride.
inline constexpr std::uint64_t sender_os_base = 0x8000;
/// Physical address of the queue, aligned to its size.
inline constexpr std::uint64_t queue_base = 0x000;
/// 4096..65536, a power of two; 0: the set is off.
inline constexpr std::uint64_t queue_bytes = 0x008;
/// Context of the set's task.
inline constexpr std::uint64_t queue_cid = 0x010;
/// Logical PE of the task, which every packet carries.
inline constexpr std::uint64_t source_pe = 0x018;
/// Physical address of the node table.
inline constexpr std::uint64_t node_table_base = 0x020;
/// Entries of the node table.
inline constexpr std::uint64_t node_table_entries = 0x028;
/// Physical address of the multicast header table.
inline constexpr std::uint64_t multicast_table_base = 0x030;
/// Entries of the multicast header table.
inline constexpr std::uint64_t multicast_table_entries = 0x038;
/// Physical address of the synchronization header table.
inline constexpr std::uint64_t synchronization_table_base = 0x040;
/// Entries of the synchronization header table.
inline constexpr std::uint64_t synchronization_table_entries = 0x048;
/// 1: event `sender_empty` when all parcels of the set have left.
inline constexpr std::uint64_t empty_interrupt = 0x050;
/// Pointers and status of a queue, for a task switch. The operating system sets `queue_bytes` to 0, which
/// stops reads of headers and keeps this word, and reads it; it writes the word after it has set the
/// task's queue again.
inline constexpr std::uint64_t queue_state = 0x058;

/// Page of both halves: physical bases of tables, written by the operating system before the first parcel.
inline constexpr std::uint64_t common_os_base = 0xc000;
/// Segment table, aligned to 8 bytes.
inline constexpr std::uint64_t segment_table_base = 0x000;
/// Buffer table, aligned to 128 bytes.
inline constexpr std::uint64_t buffer_table_base = 0x008;
/// Buffer limit table, aligned to 128 bytes.
inline constexpr std::uint64_t buffer_limit_table_base = 0x010;
/// Any write empties the TLBs and the buffer table cache.
inline constexpr std::uint64_t flush_tlbs = 0x018;
/// Owner of the Receiver's task page.
inline constexpr std::uint64_t receiver_cid = 0x020;

/// Receiver: page of the task that runs on the processor, with its address registers and its read pointers
/// of the message and log buffers, from which the Receiver detects overruns. A write changes the entry of
/// `receiver_cid` in the buffer table or the buffer limit table.
inline constexpr std::uint64_t receiver_task_base = 0xd000;
/// Address registers 0 to 2. Register n of 3 is at + 8 n.
inline constexpr std::uint64_t address_register0 = 0x008;
/// Read pointers of message buffers 0 and 1, logical addresses. Register n of 2 is at + 8 n.
inline constexpr std::uint64_t message_read_pointer0 = 0x020;
/// Read pointer of the log buffer, a logical address.
inline constexpr std::uint64_t log_read_pointer = 0x030;

/// Events (nic_events.h), on a page of the operating system. A handler clears `event_pending` first and
/// reads the causes afterwards, so that a later cause sets the bit again.
inline constexpr std::uint64_t event_os_base = 0xe000;
/// One bit for each event.
inline constexpr std::uint64_t event_pending = 0x000;
/// One bit for each event that interrupts.
inline constexpr std::uint64_t event_enable = 0x008;
/// First refusal of the Sender since the register was cleared; writing the value that was read clears the
/// refusals that it counts.
inline constexpr std::uint64_t sender_refusal = 0x010;
/// First refusal of the Receiver, cleared like `sender_refusal`.
inline constexpr std::uint64_t receiver_refusal = 0x018;
/// Sender that waits for the operating system; 0: it does not. Writing a `fault_answer` answers it.
inline constexpr std::uint64_t sender_fault_state = 0x020;
/// Logical address of the fault.
inline constexpr std::uint64_t sender_fault_address = 0x028;
/// Receiver that waits for the operating system, like `sender_fault_state`.
inline constexpr std::uint64_t receiver_fault_state = 0x030;
/// Logical address of the fault.
inline constexpr std::uint64_t receiver_fault_address = 0x038;
/// One bit for each control-register set, set by `sender_empty`.
inline constexpr std::uint64_t empty_sets = 0x040;
/// First request of the Sender that the memory controller answered with an error; 0: none.
inline constexpr std::uint64_t sender_memory_error = 0x048;
/// First request of the Receiver that the memory controller answered with an error; 0: none.
inline constexpr std::uint64_t receiver_memory_error = 0x050;
/// Contexts that an event concerns, in four lists of 256 bits: `received`, then `quarter` of message
/// buffer 0, of message buffer 1 and of the log buffer. Bit b of word 4 l + w is context 64 w + b in list
/// l. Register n of 16 is at + 8 n.
inline constexpr std::uint64_t cid_list0 = 0x080;

// Interrupts for a processor that has no 64-bit accesses (interface/interrupt_unit.h). The line is up
// while an enabled event is pending.
/// Size of these registers' address space.
inline constexpr std::uint64_t interrupt_unit_bytes = 0x10;

/// Registers of the unit, 4 bytes each.
/// Events that are pending and enabled.
inline constexpr std::uint64_t interrupt_status = 0x000;
/// Events that are pending.
inline constexpr std::uint64_t interrupt_raw = 0x004;
/// Events that interrupt.
inline constexpr std::uint64_t interrupt_enable = 0x008;
/// Writing 1 clears an event; reads give 0.
inline constexpr std::uint64_t interrupt_clear = 0x00c;

// Answers of the operating system to a fault.
/// The translation is repeated.
inline constexpr std::uint64_t fault_retry = 1;
/// The rest of the parcel, the notification or the packet is dropped.
inline constexpr std::uint64_t fault_refuse = 2;

}  // namespace tsuji::nic
