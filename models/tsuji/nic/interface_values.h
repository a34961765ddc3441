// SPDX-License-Identifier: Apache-2.0
// Made of models/tsuji/nic/interface.yaml by scripts/nic_interface.
#pragma once

#include <cstdint>

namespace tsuji::nic {

/// Page of the segment and page tables.
inline constexpr unsigned page_bytes = 4096;
/// Line of the cache and of message buffers.
inline constexpr unsigned line_bytes = 128;
/// Number of contexts.
inline constexpr unsigned cids = 256;
/// Number of nodes that a packet header can address.
inline constexpr unsigned nodes_of_a_header = 1024;
/// Number of synchronization identifiers.
inline constexpr unsigned sids = 128;
/// Entries of a context in the segment table.
inline constexpr unsigned segments_per_cid = 4;
/// Entries of a remote-read notification buffer, one for each rrid.
inline constexpr unsigned reply_notification_entries = 64;
/// Largest data length of a parcel.
inline constexpr unsigned max_data_bytes = 524288;
/// First word of a boot block.
inline constexpr unsigned boot_magic = 1414747465;
/// Word that the Sender writes to a notification address.
inline constexpr std::uint64_t sent_pattern = 0x544e455344454e55;
/// Version of the description that this header was made of.
inline constexpr unsigned interface_version = 1;

/// Protocol of a parcel (Kanoh 2000, table 1). Replies are parcels of the Receiver, in the queue of set 1.
enum class Protocol : std::uint8_t {
  /// Data to an address of the destination.
  remote_dma = 0,
  /// Remote DMA to the Receiver's address register 0 plus an offset.
  remote_dma_register0 = 1,
  /// The same with address register 1.
  remote_dma_register1 = 2,
  /// The same with address register 2.
  remote_dma_register2 = 3,
  /// Data to message buffer 0.
  message0 = 4,
  /// Data to message buffer 1.
  message1 = 5,
  /// Adds an immediate to a word of the destination.
  atomic_add = 6,
  /// Data of the destination to an address of the source.
  remote_read = 7,
  /// Exchanges a word of the destination for an immediate.
  swap = 8,
  /// Exchanges a word of the destination for an immediate if it equals another one.
  compare_swap = 9,
  /// Reply of the Receiver.
  remote_read_reply = 10,
  /// Reply of the Receiver.
  swap_reply = 11,
  /// Reply of the Receiver.
  compare_swap_reply = 12,
  /// Barrier, or operand that the switches combine.
  synchronization = 15,
};

/// Reason for which the interface refuses a task's request (rooms/nic.md, Protection and events). The
/// numbers are those of the status registers; 0: nothing was refused.
enum class Violation : std::uint8_t {
  /// Nothing was refused.
  none = 0,
  /// A header that the Sender's check refuses.
  header = 1,
  /// A logical PE or an offset outside its table, or without an entry.
  destination = 2,
  /// A pointer outside the queue, not at a header, or past the read pointer.
  write_pointer = 3,
  /// An address in no segment of its cid.
  segment = 4,
  /// A page without a valid entry.
  page = 5,
  /// A write to a page that is read only.
  read_only = 6,
  /// A packet for a buffer that its cid does not have, or whose read pointer is outside the buffer.
  buffer = 7,
  /// A packet for a message or log buffer without room.
  overrun = 8,
  /// A register plus offset that is not a valid address of a packet's data.
  alignment = 9,
  /// The other node has refused a request: its address is not mapped there.
  remote = 10,
};

/// Events that can interrupt the operating system; the number is the bit in `event_pending`. Arrival:
/// `received` and `quarter`; send done: `sender_empty`; error: all others.
enum class NicEvent : std::uint8_t {
  /// Error: a header or a write pointer, or the rest of a parcel, was refused.
  sender_refused = 0,
  /// Error: the Sender waits for a page.
  sender_fault = 1,
  /// Error: a packet was refused.
  receiver_refused = 2,
  /// Error: the Receiver waits for a page.
  receiver_fault = 3,
  /// Send done: a queue with `empty_interrupt` is empty and its last packet has left.
  sender_empty = 4,
  /// Arrival: a parcel whose header asks for it has been written, if its cid permits interrupts.
  received = 5,
  /// Arrival: the pointer of a message or log buffer has entered another quarter, if its cid permits.
  quarter = 6,
  /// Error: the memory controller has answered a request with an error.
  memory_error = 7,
};

/// Bits low .. low + bits - 1 of word `word` of a structure or register.
struct Field {
  unsigned word = 0;   ///< Word of 8 bytes, from 0 on.
  unsigned low = 0;    ///< Lowest bit in the word.
  unsigned bits = 64;  ///< Width.
  /// Largest value.
  constexpr std::uint64_t largest() const { return ~std::uint64_t{0} >> (64 - bits); }
  /// Value of the field in a word.
  constexpr std::uint64_t of(std::uint64_t value) const { return value >> low & largest(); }
  /// Word with the value, which must fit, in this field, and 0 in all others.
  constexpr std::uint64_t word_of(std::uint64_t value) const { return value << low; }
};

/// Positions of bits, a namespace for each structure in memory and each register with fields.
namespace fields {

/// Parcel header in a header queue. The paper lists the fields of the first word (Kanoh 2000, 4.1) without
/// their positions, which are this model's choice.
namespace parcel_header {
/// Size of the structure.
inline constexpr unsigned bytes = 32;
/// Operation of the parcel.
inline constexpr Field protocol{0, 0, 4};
/// Kind of packet.
inline constexpr Field kind{0, 4, 2};
/// The second word is the data, 8 bytes.
inline constexpr Field inline_data{0, 6, 1};
/// The last word is a notification address to write when the last packet has left.
inline constexpr Field notify{0, 7, 1};
/// Each receiver adds an entry to its task's log.
inline constexpr Field log{0, 8, 1};
/// Addresses are physical (queue of the operating system only).
inline constexpr Field physical{0, 9, 1};
/// Data length in bytes, a multiple of 4, up to 512 KB.
inline constexpr Field length{0, 10, 20};
/// Logical PE, or offset in the multicast or synchronization header table.
inline constexpr Field logical_pe{0, 30, 12};
/// Number of a remote read or compare & swap; operation of a synchronization with an operand.
inline constexpr Field rrid{0, 42, 6};
/// Interrupt after the last packet has been written, if the Receiver enables it.
inline constexpr Field interrupt{0, 48, 1};
/// Source address (remote read: on the other node); inline data; atomic add: the immediate; swaps: dst1,
/// on the other node.
inline constexpr Field source{1, 0, 64};
/// Destination address, or offset from an address register; messages: 0; swap: the immediate; compare &
/// swap: the first immediate.
inline constexpr Field destination{2, 0, 64};
/// Notification address; swap: dst2; compare & swap: the second immediate; replies: `reply_path`.
inline constexpr Field notification{3, 0, 64};
}  // namespace parcel_header

/// Word 3 of a reply's header.
namespace reply_path {
/// Size of the structure.
inline constexpr unsigned bytes = 8;
/// Node of the requesting task.
inline constexpr Field node{0, 0, 10};
/// Context of the requesting task.
inline constexpr Field cid{0, 10, 8};
/// Context of the requested task, to which the source address belongs.
inline constexpr Field asked_cid{0, 18, 8};
/// Result of the comparison.
inline constexpr Field equal{0, 26, 1};
/// The request was refused; the reply has no data.
inline constexpr Field refused{0, 27, 1};
}  // namespace reply_path

/// Last word of a request's body; before it come the destination (remote read), or immediate and dst2
/// (swap), or both immediates.
namespace request_end {
/// Size of the structure.
inline constexpr unsigned bytes = 8;
/// Length of a remote read in bytes.
inline constexpr Field length{0, 0, 20};
/// Context of the requesting task.
inline constexpr Field cid{0, 20, 8};
/// Node of the requesting task.
inline constexpr Field node{0, 28, 10};
/// Addresses of the requesting task are physical.
inline constexpr Field physical{0, 38, 1};
}  // namespace request_end

/// Header words of a packet after the port flit and, for a multicast, the map.
namespace packet_header {
/// Size of the structure.
inline constexpr unsigned bytes = 16;
/// Destination node, group (multicast) or sid (synchronization).
inline constexpr Field node{0, 0, 10};
/// Context of the receiving task.
inline constexpr Field cid{0, 10, 8};
/// Operation of the parcel.
inline constexpr Field protocol{0, 18, 4};
/// Logical PE of the sender.
inline constexpr Field source_pe{0, 22, 12};
/// Payload in bytes.
inline constexpr Field payload_bytes{0, 34, 9};
/// Last packet of its parcel.
inline constexpr Field last{0, 43, 1};
/// First packet of its parcel.
inline constexpr Field first{0, 44, 1};
/// The Receiver adds an entry to the task's log.
inline constexpr Field log{0, 45, 1};
/// Number of a remote read or compare & swap; operation on an operand.
inline constexpr Field rrid{0, 46, 6};
/// Result of the comparison (reply of compare & swap).
inline constexpr Field equal{0, 52, 1};
/// Interrupt after the packet has been written.
inline constexpr Field interrupt{0, 53, 1};
/// The request was refused (reply).
inline constexpr Field refused{0, 54, 1};
/// The address is physical.
inline constexpr Field physical{0, 55, 1};
/// Destination address, source (remote read), dst1 (swaps), offset from a register, or offset of the
/// payload in the parcel (messages).
inline constexpr Field address{1, 0, 64};
}  // namespace packet_header

/// Entry of the node table, one for each logical PE.
namespace node_entry {
/// Size of the structure.
inline constexpr unsigned bytes = 8;
/// Physical node.
inline constexpr Field node{0, 0, 10};
/// Context of the task there.
inline constexpr Field cid{0, 10, 8};
/// The entry is valid.
inline constexpr Field valid{0, 63, 1};
}  // namespace node_entry

/// Entry of the multicast header table.
namespace multicast_entry {
/// Size of the structure.
inline constexpr unsigned bytes = 16;
/// Map of the 64 nodes of a group.
inline constexpr Field map{0, 0, 64};
/// Group of 64 nodes.
inline constexpr Field group{1, 0, 18};
/// Context of the receiving tasks.
inline constexpr Field cid{1, 18, 8};
/// The entry is valid.
inline constexpr Field valid{1, 63, 1};
}  // namespace multicast_entry

/// Entry of the synchronization header table.
namespace synchronization_entry {
/// Size of the structure.
inline constexpr unsigned bytes = 16;
/// Map of 64 nodes.
inline constexpr Field map{0, 0, 64};
/// Synchronization identifier.
inline constexpr Field sid{1, 0, 7};
/// Context of the tasks.
inline constexpr Field cid{1, 18, 8};
/// The entry is valid.
inline constexpr Field valid{1, 63, 1};
}  // namespace synchronization_entry

/// Entry of the segment table, four for each cid (Kanoh 2000, 5.2). A page number is the logical address
/// divided by page_bytes.
namespace segment_entry {
/// Size of the structure.
inline constexpr unsigned bytes = 24;
/// Physical address of the page table.
inline constexpr Field page_table{0, 0, 62};
/// The entry is valid.
inline constexpr Field valid{0, 63, 1};
/// Lowest page number.
inline constexpr Field lowest_page{1, 0, 64};
/// Highest page number.
inline constexpr Field highest_page{2, 0, 64};
}  // namespace segment_entry

/// Entry of a segment's page table, one for each page, indexed by page number - lowest_page.
namespace page_entry {
/// Size of the structure.
inline constexpr unsigned bytes = 8;
/// Physical address of the page.
inline constexpr Field address{0, 0, 62};
/// The page may be written.
inline constexpr Field writable{0, 62, 1};
/// The entry is valid.
inline constexpr Field valid{0, 63, 1};
}  // namespace page_entry

/// Entry of the buffer table, one for each cid (Kanoh 2000, 4.3). It holds the words that a task polls;
/// limits are in the buffer limit table, which only the operating system and the Receiver read. Pointers
/// are logical addresses of the next byte to be written.
namespace buffer_entry {
/// Size of the structure.
inline constexpr unsigned bytes = 64;
/// Pointer of message buffer 0.
inline constexpr Field message0_pointer{0, 0, 64};
/// Pointer of message buffer 1.
inline constexpr Field message1_pointer{1, 0, 64};
/// Address register 0.
inline constexpr Field address_register0{2, 0, 64};
/// Address register 1.
inline constexpr Field address_register1{3, 0, 64};
/// Address register 2.
inline constexpr Field address_register2{4, 0, 64};
/// Base of the remote-read notification buffer; 0: none.
inline constexpr Field reply_notifications{5, 0, 64};
/// Pointer of the log buffer.
inline constexpr Field log_pointer{6, 0, 64};
/// Cause of the last packet for this cid that the Receiver refused; 0: none since the task began.
inline constexpr Field status{7, 0, 64};
}  // namespace buffer_entry

/// Entry of the buffer limit table, one line of memory for each cid. Sizes are multiples of line_bytes; 0:
/// no such buffer.
namespace buffer_limits {
/// Size of the structure.
inline constexpr unsigned bytes = 128;
/// Logical base of message buffer 0.
inline constexpr Field message0_base{0, 0, 64};
/// Size of message buffer 0.
inline constexpr Field message0_bytes{1, 0, 64};
/// Logical base of message buffer 1.
inline constexpr Field message1_base{2, 0, 64};
/// Size of message buffer 1.
inline constexpr Field message1_bytes{3, 0, 64};
/// Logical base of the log buffer.
inline constexpr Field log_base{4, 0, 64};
/// Size of the log buffer.
inline constexpr Field log_bytes{5, 0, 64};
/// Physical base of the cid's synchronization notification table, 128 counters of 8 bytes.
inline constexpr Field synchronization_counters{6, 0, 64};
/// Enables the event `received`.
inline constexpr Field receive_interrupt{7, 0, 1};
/// Enables the event `quarter` of message buffer 0, of message buffer 1 and of the log buffer.
inline constexpr Field quarter_interrupt{7, 1, 3};
/// Read pointer of the task in message buffer 0; 0: nothing read yet.
inline constexpr Field message0_read_pointer{8, 0, 64};
/// Read pointer of the task in message buffer 1.
inline constexpr Field message1_read_pointer{9, 0, 64};
/// Read pointer of the task in the log buffer.
inline constexpr Field log_read_pointer{10, 0, 64};
}  // namespace buffer_limits

/// Entry of a task's log.
namespace log_entry {
/// Size of the structure.
inline constexpr unsigned bytes = 16;
/// Operation of the parcel.
inline constexpr Field protocol{0, 0, 4};
/// Logical PE of the source.
inline constexpr Field source_pe{0, 4, 12};
/// Payload in bytes.
inline constexpr Field payload_bytes{0, 32, 32};
/// Logical address of the written data.
inline constexpr Field address{1, 0, 64};
}  // namespace log_entry

/// Entry of a task's remote-read notification buffer, one for each rrid (Kanoh 2000, 4.3).
namespace reply_notification {
/// Size of the structure.
inline constexpr unsigned bytes = 16;
/// The reply has arrived.
inline constexpr Field arrived{0, 0, 1};
/// The values were equal (compare & swap).
inline constexpr Field equal{0, 1, 1};
/// The other node refused the request: the address is not mapped there.
inline constexpr Field refused{0, 2, 1};
/// Old value of a compare & swap, otherwise 0.
inline constexpr Field old_value{1, 0, 64};
}  // namespace reply_notification

/// Read-only region that software reads at its start (host/boot_block.h). Addresses are physical addresses
/// of the node unless they are called logical; tables are loaded before the first instruction.
namespace boot_block {
/// Size of the structure.
inline constexpr unsigned bytes = 248;
/// `boot_magic`.
inline constexpr Field magic{0, 0, 32};
/// `version` of this description.
inline constexpr Field version{0, 32, 32};
/// Number of the node.
inline constexpr Field node{1, 0, 32};
/// Number of nodes.
inline constexpr Field nodes{1, 32, 32};
/// Clock period of network and interface, in picoseconds.
inline constexpr Field clock_period_ps{2, 0, 64};
/// Logical PE of the task.
inline constexpr Field logical_pe{3, 0, 12};
/// Context of the task.
inline constexpr Field cid{3, 16, 8};
/// Control-register set of the task.
inline constexpr Field sender_set{3, 24, 8};
/// Number of logical PEs.
inline constexpr Field pes{3, 32, 32};
/// Address of the register map, where the processor sees it.
inline constexpr Field registers{4, 0, 64};
/// Address of the interrupt unit, where the processor sees it.
inline constexpr Field interrupt_unit{5, 0, 64};
/// Bytes of main memory, which begins at 0.
inline constexpr Field memory_bytes{6, 0, 64};
/// Queue of parcel headers of the task's set.
inline constexpr Field queue{7, 0, 64};
/// Bytes of the queue.
inline constexpr Field queue_bytes{8, 0, 64};
/// Node table.
inline constexpr Field node_table{9, 0, 64};
/// Entries of the node table.
inline constexpr Field node_table_entries{10, 0, 64};
/// Multicast header table.
inline constexpr Field multicast_table{11, 0, 64};
/// Entries of the multicast header table.
inline constexpr Field multicast_table_entries{12, 0, 64};
/// Synchronization header table.
inline constexpr Field synchronization_table{13, 0, 64};
/// Entries of the synchronization header table.
inline constexpr Field synchronization_table_entries{14, 0, 64};
/// Segment table, 4 entries for each of 256 cids.
inline constexpr Field segment_table{15, 0, 64};
/// Buffer table, an entry for each of 256 cids.
inline constexpr Field buffer_table{16, 0, 64};
/// Buffer limit table, an entry for each of 256 cids.
inline constexpr Field buffer_limit_table{17, 0, 64};
/// Synchronization notification table of the task, 128 counters of 8 bytes.
inline constexpr Field synchronization_counters{18, 0, 64};
/// Logical address of the task's heap, equal on all nodes.
inline constexpr Field heap{19, 0, 64};
/// Bytes of the heap.
inline constexpr Field heap_bytes{20, 0, 64};
/// Physical address of the heap; 0: its pages are scattered.
inline constexpr Field heap_physical{21, 0, 64};
/// Logical address of message buffer 0.
inline constexpr Field message0{22, 0, 64};
/// Bytes of message buffer 0; 0: no buffer.
inline constexpr Field message0_bytes{23, 0, 64};
/// Physical address of message buffer 0; 0: its pages are scattered.
inline constexpr Field message0_physical{24, 0, 64};
/// Logical address of message buffer 1.
inline constexpr Field message1{25, 0, 64};
/// Bytes of message buffer 1; 0: no buffer.
inline constexpr Field message1_bytes{26, 0, 64};
/// Physical address of message buffer 1; 0: its pages are scattered.
inline constexpr Field message1_physical{27, 0, 64};
/// Logical address of the log buffer.
inline constexpr Field log{28, 0, 64};
/// Bytes of the log buffer; 0: no buffer.
inline constexpr Field log_bytes{29, 0, 64};
/// Physical address of the log buffer; 0: its pages are scattered.
inline constexpr Field log_physical{30, 0, 64};
}  // namespace boot_block

/// Register `queue_status`. The last refused header or write pointer.
namespace queue_status {
/// Cause; 0: nothing was refused.
inline constexpr Field cause{0, 0, 8};
/// Offset of the header in the queue.
inline constexpr Field header_offset{0, 16, 16};
}  // namespace queue_status

/// Register `queue_state`. Pointers and status of a queue, for a task switch. The operating system sets
/// `queue_bytes` to 0, which stops reads of headers and keeps this word, and reads it; it writes the word
/// after it has set the task's queue again.
namespace queue_state {
/// Write pointer.
inline constexpr Field write_pointer{0, 0, 16};
/// Read pointer.
inline constexpr Field read_pointer{0, 16, 16};
/// Cause in `queue_status`.
inline constexpr Field cause{0, 32, 8};
/// Header's offset in `queue_status`.
inline constexpr Field header_offset{0, 48, 16};
}  // namespace queue_state

/// Register `sender_refusal`. First refusal of the Sender since the register was cleared; writing the
/// value that was read clears the refusals that it counts.
namespace sender_refusal {
/// Cause; 0: nothing was refused.
inline constexpr Field cause{0, 0, 8};
/// Context of the task.
inline constexpr Field cid{0, 8, 8};
/// Sender: set; Receiver: buffer (0, 1: message; 2: log).
inline constexpr Field place{0, 16, 16};
/// Refusals after the first, at most 65,535.
inline constexpr Field further{0, 32, 16};
}  // namespace sender_refusal

/// Register `receiver_refusal`. First refusal of the Receiver, cleared like `sender_refusal`.
namespace receiver_refusal {
/// Cause; 0: nothing was refused.
inline constexpr Field cause{0, 0, 8};
/// Context of the task.
inline constexpr Field cid{0, 8, 8};
/// Sender: set; Receiver: buffer (0, 1: message; 2: log).
inline constexpr Field place{0, 16, 16};
/// Refusals after the first, at most 65,535.
inline constexpr Field further{0, 32, 16};
}  // namespace receiver_refusal

/// Register `sender_fault_state`. Sender that waits for the operating system; 0: it does not. Writing a
/// `fault_answer` answers it.
namespace sender_fault_state {
/// Cause.
inline constexpr Field cause{0, 0, 8};
/// Context of the task.
inline constexpr Field cid{0, 8, 8};
/// The access is a write.
inline constexpr Field write{0, 16, 1};
/// The half waits.
inline constexpr Field waits{0, 63, 1};
}  // namespace sender_fault_state

/// Register `receiver_fault_state`. Receiver that waits for the operating system, like
/// `sender_fault_state`.
namespace receiver_fault_state {
/// Cause.
inline constexpr Field cause{0, 0, 8};
/// Context of the task.
inline constexpr Field cid{0, 8, 8};
/// The access is a write.
inline constexpr Field write{0, 16, 1};
/// The half waits.
inline constexpr Field waits{0, 63, 1};
}  // namespace receiver_fault_state

/// Register `sender_memory_error`. First request of the Sender that the memory controller answered with an
/// error; 0: none.
namespace sender_memory_error {
/// Physical address.
inline constexpr Field address{0, 0, 62};
/// A request has failed.
inline constexpr Field failed{0, 63, 1};
}  // namespace sender_memory_error

/// Register `receiver_memory_error`. First request of the Receiver that the memory controller answered
/// with an error; 0: none.
namespace receiver_memory_error {
/// Physical address.
inline constexpr Field address{0, 0, 62};
/// A request has failed.
inline constexpr Field failed{0, 63, 1};
}  // namespace receiver_memory_error

}  // namespace fields

}  // namespace tsuji::nic
