/* SPDX-License-Identifier: Apache-2.0 */
/* Made of models/tsuji/nic/interface.yaml by scripts/nic_interface. C99 and C++11.
 *
 * TSUJI_NAME(n) of a register is its offset from the start of its map; n is the number of the block or of the register
 * where there are several. Fields have a _SHIFT and a _MASK in place. Structures are in memory, little-endian. A 32-bit
 * processor writes a register of 64 bits by its lower word alone, which leaves the upper one unchanged.
 */
#ifndef TSUJI_NIC_H
#define TSUJI_NIC_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
#define TSUJI_ASSERT(name, condition) static_assert(condition, #name)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define TSUJI_ASSERT(name, condition) _Static_assert(condition, #name)
#else
#define TSUJI_ASSERT(name, condition) typedef char tsuji_assert_##name[(condition) ? 1 : -1]
#endif

/* Value of a field in a word, and word with a value in a field: TSUJI_GET(word, PARCEL_HEADER_LENGTH). */
#define TSUJI_GET(word, field) (((word) & TSUJI_##field##_MASK) >> TSUJI_##field##_SHIFT)
#define TSUJI_PUT(value, field) (((uint64_t)(value) << TSUJI_##field##_SHIFT) & TSUJI_##field##_MASK)

#define TSUJI_INTERFACE_VERSION 0x1u
/* Page of the segment and page tables. */
#define TSUJI_PAGE_BYTES 0x1000u
/* Line of the cache and of message buffers. */
#define TSUJI_LINE_BYTES 0x80u
/* Number of contexts. */
#define TSUJI_CIDS 0x100u
/* Number of nodes that a packet header can address. */
#define TSUJI_NODES_OF_A_HEADER 0x400u
/* Number of synchronization identifiers. */
#define TSUJI_SIDS 0x80u
/* Entries of a context in the segment table. */
#define TSUJI_SEGMENTS_PER_CID 0x4u
/* Entries of a remote-read notification buffer, one for each rrid. */
#define TSUJI_REPLY_NOTIFICATION_ENTRIES 0x40u
/* Largest data length of a parcel. */
#define TSUJI_MAX_DATA_BYTES 0x80000u
/* First word of a boot block. */
#define TSUJI_BOOT_MAGIC 0x54535549u
/* Word that the Sender writes to a notification address. */
#define TSUJI_SENT_PATTERN UINT64_C(0x544e455344454e55)

/* Protocol of a parcel (Kanoh 2000, table 1). Replies are parcels of the Receiver, in the queue of set 1. */
enum tsuji_protocol {
  TSUJI_PROTOCOL_REMOTE_DMA = 0, /* Data to an address of the destination. */
  TSUJI_PROTOCOL_REMOTE_DMA_REGISTER0 = 1, /* Remote DMA to the Receiver's address register 0 plus an offset. */
  TSUJI_PROTOCOL_REMOTE_DMA_REGISTER1 = 2, /* The same with address register 1. */
  TSUJI_PROTOCOL_REMOTE_DMA_REGISTER2 = 3, /* The same with address register 2. */
  TSUJI_PROTOCOL_MESSAGE0 = 4, /* Data to message buffer 0. */
  TSUJI_PROTOCOL_MESSAGE1 = 5, /* Data to message buffer 1. */
  TSUJI_PROTOCOL_ATOMIC_ADD = 6, /* Adds an immediate to a word of the destination. */
  TSUJI_PROTOCOL_REMOTE_READ = 7, /* Data of the destination to an address of the source. */
  TSUJI_PROTOCOL_SWAP = 8, /* Exchanges a word of the destination for an immediate. */
  TSUJI_PROTOCOL_COMPARE_SWAP = 9, /* Exchanges a word of the destination for an immediate if it equals another one. */
  TSUJI_PROTOCOL_REMOTE_READ_REPLY = 10, /* Reply of the Receiver. */
  TSUJI_PROTOCOL_SWAP_REPLY = 11, /* Reply of the Receiver. */
  TSUJI_PROTOCOL_COMPARE_SWAP_REPLY = 12, /* Reply of the Receiver. */
  TSUJI_PROTOCOL_SYNCHRONIZATION = 15 /* Barrier, or operand that the switches combine. */
};

/* Table in which the destination of a parcel is looked up. */
enum tsuji_packet_kind {
  TSUJI_PACKET_KIND_SINGLE_CAST = 0, /* Node table. */
  TSUJI_PACKET_KIND_MULTICAST = 1, /* Multicast header table. */
  TSUJI_PACKET_KIND_SYNCHRONIZATION = 2 /* Synchronization header table. */
};

/* Reason for which the interface refuses a task's request (rooms/nic.md, Protection and events). The numbers are
 * those of the status registers; 0: nothing was refused. */
enum tsuji_violation {
  TSUJI_VIOLATION_NONE = 0, /* Nothing was refused. */
  TSUJI_VIOLATION_HEADER = 1, /* A header that the Sender's check refuses. */
  TSUJI_VIOLATION_DESTINATION = 2, /* A logical PE or an offset outside its table, or without an entry. */
  TSUJI_VIOLATION_WRITE_POINTER = 3, /* A pointer outside the queue, not at a header, or past the read pointer. */
  TSUJI_VIOLATION_SEGMENT = 4, /* An address in no segment of its cid. */
  TSUJI_VIOLATION_PAGE = 5, /* A page without a valid entry. */
  TSUJI_VIOLATION_READ_ONLY = 6, /* A write to a page that is read only. */
  TSUJI_VIOLATION_BUFFER = 7, /* A packet for a buffer that its cid does not have, or whose read pointer is outside the buffer. */
  TSUJI_VIOLATION_OVERRUN = 8, /* A packet for a message or log buffer without room. */
  TSUJI_VIOLATION_ALIGNMENT = 9, /* A register plus offset that is not a valid address of a packet's data. */
  TSUJI_VIOLATION_REMOTE = 10 /* The other node has refused a request: its address is not mapped there. */
};

/* Events that can interrupt the operating system; the number is the bit in `event_pending`. Arrival: `received` and
 * `quarter`; send done: `sender_empty`; error: all others. */
enum tsuji_event {
  TSUJI_EVENT_SENDER_REFUSED = 0, /* Error: a header or a write pointer, or the rest of a parcel, was refused. */
  TSUJI_EVENT_SENDER_FAULT = 1, /* Error: the Sender waits for a page. */
  TSUJI_EVENT_RECEIVER_REFUSED = 2, /* Error: a packet was refused. */
  TSUJI_EVENT_RECEIVER_FAULT = 3, /* Error: the Receiver waits for a page. */
  TSUJI_EVENT_SENDER_EMPTY = 4, /* Send done: a queue with `empty_interrupt` is empty and its last packet has left. */
  TSUJI_EVENT_RECEIVED = 5, /* Arrival: a parcel whose header asks for it has been written, if its cid permits interrupts. */
  TSUJI_EVENT_QUARTER = 6, /* Arrival: the pointer of a message or log buffer has entered another quarter, if its cid permits. */
  TSUJI_EVENT_MEMORY_ERROR = 7 /* Error: the memory controller has answered a request with an error. */
};

/* Answers of the operating system to a fault. */
enum tsuji_fault_answer {
  TSUJI_FAULT_ANSWER_RETRY = 1, /* The translation is repeated. */
  TSUJI_FAULT_ANSWER_REFUSE = 2 /* The rest of the parcel, the notification or the packet is dropped. */
};

/* Parcel header in a header queue. The paper lists the fields of the first word (Kanoh 2000, 4.1) without their
 * positions, which are this model's choice. */
typedef struct {
  uint64_t word0;
  uint64_t source; /* Source address (remote read: on the other node); inline data; atomic add: the immediate; swaps: dst1, on the other node. */
  uint64_t destination; /* Destination address, or offset from an address register; messages: 0; swap: the immediate; compare & swap: the first immediate. */
  uint64_t notification; /* Notification address; swap: dst2; compare & swap: the second immediate; replies: `reply_path`. */
} tsuji_parcel_header;
TSUJI_ASSERT(parcel_header, sizeof(tsuji_parcel_header) == 32);
TSUJI_ASSERT(parcel_header_word0, offsetof(tsuji_parcel_header, word0) == 0);
TSUJI_ASSERT(parcel_header_source, offsetof(tsuji_parcel_header, source) == 8);
TSUJI_ASSERT(parcel_header_destination, offsetof(tsuji_parcel_header, destination) == 16);
TSUJI_ASSERT(parcel_header_notification, offsetof(tsuji_parcel_header, notification) == 24);
/* Operation of the parcel. */
#define TSUJI_PARCEL_HEADER_PROTOCOL_SHIFT 0
#define TSUJI_PARCEL_HEADER_PROTOCOL_MASK UINT64_C(0xf)
/* Kind of packet. */
#define TSUJI_PARCEL_HEADER_KIND_SHIFT 4
#define TSUJI_PARCEL_HEADER_KIND_MASK UINT64_C(0x30)
/* The second word is the data, 8 bytes. */
#define TSUJI_PARCEL_HEADER_INLINE_DATA_SHIFT 6
#define TSUJI_PARCEL_HEADER_INLINE_DATA_MASK UINT64_C(0x40)
/* The last word is a notification address to write when the last packet has left. */
#define TSUJI_PARCEL_HEADER_NOTIFY_SHIFT 7
#define TSUJI_PARCEL_HEADER_NOTIFY_MASK UINT64_C(0x80)
/* Each receiver adds an entry to its task's log. */
#define TSUJI_PARCEL_HEADER_LOG_SHIFT 8
#define TSUJI_PARCEL_HEADER_LOG_MASK UINT64_C(0x100)
/* Addresses are physical (queue of the operating system only). */
#define TSUJI_PARCEL_HEADER_PHYSICAL_SHIFT 9
#define TSUJI_PARCEL_HEADER_PHYSICAL_MASK UINT64_C(0x200)
/* Data length in bytes, a multiple of 4, up to 512 KB. */
#define TSUJI_PARCEL_HEADER_LENGTH_SHIFT 10
#define TSUJI_PARCEL_HEADER_LENGTH_MASK UINT64_C(0x3ffffc00)
/* Logical PE, or offset in the multicast or synchronization header table. */
#define TSUJI_PARCEL_HEADER_LOGICAL_PE_SHIFT 30
#define TSUJI_PARCEL_HEADER_LOGICAL_PE_MASK UINT64_C(0x3ffc0000000)
/* Number of a remote read or compare & swap; operation of a synchronization with an operand. */
#define TSUJI_PARCEL_HEADER_RRID_SHIFT 42
#define TSUJI_PARCEL_HEADER_RRID_MASK UINT64_C(0xfc0000000000)
/* Interrupt after the last packet has been written, if the Receiver enables it. */
#define TSUJI_PARCEL_HEADER_INTERRUPT_SHIFT 48
#define TSUJI_PARCEL_HEADER_INTERRUPT_MASK UINT64_C(0x1000000000000)

/* Word 3 of a reply's header. */
typedef struct {
  uint64_t word0;
} tsuji_reply_path;
TSUJI_ASSERT(reply_path, sizeof(tsuji_reply_path) == 8);
TSUJI_ASSERT(reply_path_word0, offsetof(tsuji_reply_path, word0) == 0);
/* Node of the requesting task. */
#define TSUJI_REPLY_PATH_NODE_SHIFT 0
#define TSUJI_REPLY_PATH_NODE_MASK UINT64_C(0x3ff)
/* Context of the requesting task. */
#define TSUJI_REPLY_PATH_CID_SHIFT 10
#define TSUJI_REPLY_PATH_CID_MASK UINT64_C(0x3fc00)
/* Context of the requested task, to which the source address belongs. */
#define TSUJI_REPLY_PATH_ASKED_CID_SHIFT 18
#define TSUJI_REPLY_PATH_ASKED_CID_MASK UINT64_C(0x3fc0000)
/* Result of the comparison. */
#define TSUJI_REPLY_PATH_EQUAL_SHIFT 26
#define TSUJI_REPLY_PATH_EQUAL_MASK UINT64_C(0x4000000)
/* The request was refused; the reply has no data. */
#define TSUJI_REPLY_PATH_REFUSED_SHIFT 27
#define TSUJI_REPLY_PATH_REFUSED_MASK UINT64_C(0x8000000)

/* Last word of a request's body; before it come the destination (remote read), or immediate and dst2 (swap), or both
 * immediates. */
typedef struct {
  uint64_t word0;
} tsuji_request_end;
TSUJI_ASSERT(request_end, sizeof(tsuji_request_end) == 8);
TSUJI_ASSERT(request_end_word0, offsetof(tsuji_request_end, word0) == 0);
/* Length of a remote read in bytes. */
#define TSUJI_REQUEST_END_LENGTH_SHIFT 0
#define TSUJI_REQUEST_END_LENGTH_MASK UINT64_C(0xfffff)
/* Context of the requesting task. */
#define TSUJI_REQUEST_END_CID_SHIFT 20
#define TSUJI_REQUEST_END_CID_MASK UINT64_C(0xff00000)
/* Node of the requesting task. */
#define TSUJI_REQUEST_END_NODE_SHIFT 28
#define TSUJI_REQUEST_END_NODE_MASK UINT64_C(0x3ff0000000)
/* Addresses of the requesting task are physical. */
#define TSUJI_REQUEST_END_PHYSICAL_SHIFT 38
#define TSUJI_REQUEST_END_PHYSICAL_MASK UINT64_C(0x4000000000)

/* Header words of a packet after the port flit and, for a multicast, the map. */
typedef struct {
  uint64_t word0;
  uint64_t address; /* Destination address, source (remote read), dst1 (swaps), offset from a register, or offset of the payload in the parcel (messages). */
} tsuji_packet_header;
TSUJI_ASSERT(packet_header, sizeof(tsuji_packet_header) == 16);
TSUJI_ASSERT(packet_header_word0, offsetof(tsuji_packet_header, word0) == 0);
TSUJI_ASSERT(packet_header_address, offsetof(tsuji_packet_header, address) == 8);
/* Destination node, group (multicast) or sid (synchronization). */
#define TSUJI_PACKET_HEADER_NODE_SHIFT 0
#define TSUJI_PACKET_HEADER_NODE_MASK UINT64_C(0x3ff)
/* Context of the receiving task. */
#define TSUJI_PACKET_HEADER_CID_SHIFT 10
#define TSUJI_PACKET_HEADER_CID_MASK UINT64_C(0x3fc00)
/* Operation of the parcel. */
#define TSUJI_PACKET_HEADER_PROTOCOL_SHIFT 18
#define TSUJI_PACKET_HEADER_PROTOCOL_MASK UINT64_C(0x3c0000)
/* Logical PE of the sender. */
#define TSUJI_PACKET_HEADER_SOURCE_PE_SHIFT 22
#define TSUJI_PACKET_HEADER_SOURCE_PE_MASK UINT64_C(0x3ffc00000)
/* Payload in bytes. */
#define TSUJI_PACKET_HEADER_PAYLOAD_BYTES_SHIFT 34
#define TSUJI_PACKET_HEADER_PAYLOAD_BYTES_MASK UINT64_C(0x7fc00000000)
/* Last packet of its parcel. */
#define TSUJI_PACKET_HEADER_LAST_SHIFT 43
#define TSUJI_PACKET_HEADER_LAST_MASK UINT64_C(0x80000000000)
/* First packet of its parcel. */
#define TSUJI_PACKET_HEADER_FIRST_SHIFT 44
#define TSUJI_PACKET_HEADER_FIRST_MASK UINT64_C(0x100000000000)
/* The Receiver adds an entry to the task's log. */
#define TSUJI_PACKET_HEADER_LOG_SHIFT 45
#define TSUJI_PACKET_HEADER_LOG_MASK UINT64_C(0x200000000000)
/* Number of a remote read or compare & swap; operation on an operand. */
#define TSUJI_PACKET_HEADER_RRID_SHIFT 46
#define TSUJI_PACKET_HEADER_RRID_MASK UINT64_C(0xfc00000000000)
/* Result of the comparison (reply of compare & swap). */
#define TSUJI_PACKET_HEADER_EQUAL_SHIFT 52
#define TSUJI_PACKET_HEADER_EQUAL_MASK UINT64_C(0x10000000000000)
/* Interrupt after the packet has been written. */
#define TSUJI_PACKET_HEADER_INTERRUPT_SHIFT 53
#define TSUJI_PACKET_HEADER_INTERRUPT_MASK UINT64_C(0x20000000000000)
/* The request was refused (reply). */
#define TSUJI_PACKET_HEADER_REFUSED_SHIFT 54
#define TSUJI_PACKET_HEADER_REFUSED_MASK UINT64_C(0x40000000000000)
/* The address is physical. */
#define TSUJI_PACKET_HEADER_PHYSICAL_SHIFT 55
#define TSUJI_PACKET_HEADER_PHYSICAL_MASK UINT64_C(0x80000000000000)

/* Entry of the node table, one for each logical PE. */
typedef struct {
  uint64_t word0;
} tsuji_node_entry;
TSUJI_ASSERT(node_entry, sizeof(tsuji_node_entry) == 8);
TSUJI_ASSERT(node_entry_word0, offsetof(tsuji_node_entry, word0) == 0);
/* Physical node. */
#define TSUJI_NODE_ENTRY_NODE_SHIFT 0
#define TSUJI_NODE_ENTRY_NODE_MASK UINT64_C(0x3ff)
/* Context of the task there. */
#define TSUJI_NODE_ENTRY_CID_SHIFT 10
#define TSUJI_NODE_ENTRY_CID_MASK UINT64_C(0x3fc00)
/* The entry is valid. */
#define TSUJI_NODE_ENTRY_VALID_SHIFT 63
#define TSUJI_NODE_ENTRY_VALID_MASK UINT64_C(0x8000000000000000)

/* Entry of the multicast header table. */
typedef struct {
  uint64_t map; /* Map of the 64 nodes of a group. */
  uint64_t word1;
} tsuji_multicast_entry;
TSUJI_ASSERT(multicast_entry, sizeof(tsuji_multicast_entry) == 16);
TSUJI_ASSERT(multicast_entry_map, offsetof(tsuji_multicast_entry, map) == 0);
TSUJI_ASSERT(multicast_entry_word1, offsetof(tsuji_multicast_entry, word1) == 8);
/* Group of 64 nodes. */
#define TSUJI_MULTICAST_ENTRY_GROUP_SHIFT 0
#define TSUJI_MULTICAST_ENTRY_GROUP_MASK UINT64_C(0x3ffff)
/* Context of the receiving tasks. */
#define TSUJI_MULTICAST_ENTRY_CID_SHIFT 18
#define TSUJI_MULTICAST_ENTRY_CID_MASK UINT64_C(0x3fc0000)
/* The entry is valid. */
#define TSUJI_MULTICAST_ENTRY_VALID_SHIFT 63
#define TSUJI_MULTICAST_ENTRY_VALID_MASK UINT64_C(0x8000000000000000)

/* Entry of the synchronization header table. */
typedef struct {
  uint64_t map; /* Map of 64 nodes. */
  uint64_t word1;
} tsuji_synchronization_entry;
TSUJI_ASSERT(synchronization_entry, sizeof(tsuji_synchronization_entry) == 16);
TSUJI_ASSERT(synchronization_entry_map, offsetof(tsuji_synchronization_entry, map) == 0);
TSUJI_ASSERT(synchronization_entry_word1, offsetof(tsuji_synchronization_entry, word1) == 8);
/* Synchronization identifier. */
#define TSUJI_SYNCHRONIZATION_ENTRY_SID_SHIFT 0
#define TSUJI_SYNCHRONIZATION_ENTRY_SID_MASK UINT64_C(0x7f)
/* Context of the tasks. */
#define TSUJI_SYNCHRONIZATION_ENTRY_CID_SHIFT 18
#define TSUJI_SYNCHRONIZATION_ENTRY_CID_MASK UINT64_C(0x3fc0000)
/* The entry is valid. */
#define TSUJI_SYNCHRONIZATION_ENTRY_VALID_SHIFT 63
#define TSUJI_SYNCHRONIZATION_ENTRY_VALID_MASK UINT64_C(0x8000000000000000)

/* Entry of the segment table, four for each cid (Kanoh 2000, 5.2). A page number is the logical address divided by
 * page_bytes. */
typedef struct {
  uint64_t word0;
  uint64_t lowest_page; /* Lowest page number. */
  uint64_t highest_page; /* Highest page number. */
} tsuji_segment_entry;
TSUJI_ASSERT(segment_entry, sizeof(tsuji_segment_entry) == 24);
TSUJI_ASSERT(segment_entry_word0, offsetof(tsuji_segment_entry, word0) == 0);
TSUJI_ASSERT(segment_entry_lowest_page, offsetof(tsuji_segment_entry, lowest_page) == 8);
TSUJI_ASSERT(segment_entry_highest_page, offsetof(tsuji_segment_entry, highest_page) == 16);
/* Physical address of the page table. */
#define TSUJI_SEGMENT_ENTRY_PAGE_TABLE_SHIFT 0
#define TSUJI_SEGMENT_ENTRY_PAGE_TABLE_MASK UINT64_C(0x3fffffffffffffff)
/* The entry is valid. */
#define TSUJI_SEGMENT_ENTRY_VALID_SHIFT 63
#define TSUJI_SEGMENT_ENTRY_VALID_MASK UINT64_C(0x8000000000000000)

/* Entry of a segment's page table, one for each page, indexed by page number - lowest_page. */
typedef struct {
  uint64_t word0;
} tsuji_page_entry;
TSUJI_ASSERT(page_entry, sizeof(tsuji_page_entry) == 8);
TSUJI_ASSERT(page_entry_word0, offsetof(tsuji_page_entry, word0) == 0);
/* Physical address of the page. */
#define TSUJI_PAGE_ENTRY_ADDRESS_SHIFT 0
#define TSUJI_PAGE_ENTRY_ADDRESS_MASK UINT64_C(0x3fffffffffffffff)
/* The page may be written. */
#define TSUJI_PAGE_ENTRY_WRITABLE_SHIFT 62
#define TSUJI_PAGE_ENTRY_WRITABLE_MASK UINT64_C(0x4000000000000000)
/* The entry is valid. */
#define TSUJI_PAGE_ENTRY_VALID_SHIFT 63
#define TSUJI_PAGE_ENTRY_VALID_MASK UINT64_C(0x8000000000000000)

/* Entry of the buffer table, one for each cid (Kanoh 2000, 4.3). It holds the words that a task polls; limits are in
 * the buffer limit table, which only the operating system and the Receiver read. Pointers are logical addresses of
 * the next byte to be written. */
typedef struct {
  uint64_t message0_pointer; /* Pointer of message buffer 0. */
  uint64_t message1_pointer; /* Pointer of message buffer 1. */
  uint64_t address_register0; /* Address register 0. */
  uint64_t address_register1; /* Address register 1. */
  uint64_t address_register2; /* Address register 2. */
  uint64_t reply_notifications; /* Base of the remote-read notification buffer; 0: none. */
  uint64_t log_pointer; /* Pointer of the log buffer. */
  uint64_t status; /* Cause of the last packet for this cid that the Receiver refused; 0: none since the task began. */
} tsuji_buffer_entry;
TSUJI_ASSERT(buffer_entry, sizeof(tsuji_buffer_entry) == 64);
TSUJI_ASSERT(buffer_entry_message0_pointer, offsetof(tsuji_buffer_entry, message0_pointer) == 0);
TSUJI_ASSERT(buffer_entry_message1_pointer, offsetof(tsuji_buffer_entry, message1_pointer) == 8);
TSUJI_ASSERT(buffer_entry_address_register0, offsetof(tsuji_buffer_entry, address_register0) == 16);
TSUJI_ASSERT(buffer_entry_address_register1, offsetof(tsuji_buffer_entry, address_register1) == 24);
TSUJI_ASSERT(buffer_entry_address_register2, offsetof(tsuji_buffer_entry, address_register2) == 32);
TSUJI_ASSERT(buffer_entry_reply_notifications, offsetof(tsuji_buffer_entry, reply_notifications) == 40);
TSUJI_ASSERT(buffer_entry_log_pointer, offsetof(tsuji_buffer_entry, log_pointer) == 48);
TSUJI_ASSERT(buffer_entry_status, offsetof(tsuji_buffer_entry, status) == 56);

/* Entry of the buffer limit table, one line of memory for each cid. Sizes are multiples of line_bytes; 0: no such
 * buffer. */
typedef struct {
  uint64_t message0_base; /* Logical base of message buffer 0. */
  uint64_t message0_bytes; /* Size of message buffer 0. */
  uint64_t message1_base; /* Logical base of message buffer 1. */
  uint64_t message1_bytes; /* Size of message buffer 1. */
  uint64_t log_base; /* Logical base of the log buffer. */
  uint64_t log_bytes; /* Size of the log buffer. */
  uint64_t synchronization_counters; /* Physical base of the cid's synchronization notification table, 128 counters of 8 bytes. */
  uint64_t word7;
  uint64_t message0_read_pointer; /* Read pointer of the task in message buffer 0; 0: nothing read yet. */
  uint64_t message1_read_pointer; /* Read pointer of the task in message buffer 1. */
  uint64_t log_read_pointer; /* Read pointer of the task in the log buffer. */
  uint64_t unused11;
  uint64_t unused12;
  uint64_t unused13;
  uint64_t unused14;
  uint64_t unused15;
} tsuji_buffer_limits;
TSUJI_ASSERT(buffer_limits, sizeof(tsuji_buffer_limits) == 128);
TSUJI_ASSERT(buffer_limits_message0_base, offsetof(tsuji_buffer_limits, message0_base) == 0);
TSUJI_ASSERT(buffer_limits_message0_bytes, offsetof(tsuji_buffer_limits, message0_bytes) == 8);
TSUJI_ASSERT(buffer_limits_message1_base, offsetof(tsuji_buffer_limits, message1_base) == 16);
TSUJI_ASSERT(buffer_limits_message1_bytes, offsetof(tsuji_buffer_limits, message1_bytes) == 24);
TSUJI_ASSERT(buffer_limits_log_base, offsetof(tsuji_buffer_limits, log_base) == 32);
TSUJI_ASSERT(buffer_limits_log_bytes, offsetof(tsuji_buffer_limits, log_bytes) == 40);
TSUJI_ASSERT(buffer_limits_synchronization_counters, offsetof(tsuji_buffer_limits, synchronization_counters) == 48);
TSUJI_ASSERT(buffer_limits_word7, offsetof(tsuji_buffer_limits, word7) == 56);
TSUJI_ASSERT(buffer_limits_message0_read_pointer, offsetof(tsuji_buffer_limits, message0_read_pointer) == 64);
TSUJI_ASSERT(buffer_limits_message1_read_pointer, offsetof(tsuji_buffer_limits, message1_read_pointer) == 72);
TSUJI_ASSERT(buffer_limits_log_read_pointer, offsetof(tsuji_buffer_limits, log_read_pointer) == 80);
TSUJI_ASSERT(buffer_limits_unused11, offsetof(tsuji_buffer_limits, unused11) == 88);
TSUJI_ASSERT(buffer_limits_unused12, offsetof(tsuji_buffer_limits, unused12) == 96);
TSUJI_ASSERT(buffer_limits_unused13, offsetof(tsuji_buffer_limits, unused13) == 104);
TSUJI_ASSERT(buffer_limits_unused14, offsetof(tsuji_buffer_limits, unused14) == 112);
TSUJI_ASSERT(buffer_limits_unused15, offsetof(tsuji_buffer_limits, unused15) == 120);
/* Enables the event `received`. */
#define TSUJI_BUFFER_LIMITS_RECEIVE_INTERRUPT_SHIFT 0
#define TSUJI_BUFFER_LIMITS_RECEIVE_INTERRUPT_MASK UINT64_C(0x1)
/* Enables the event `quarter` of message buffer 0, of message buffer 1 and of the log buffer. */
#define TSUJI_BUFFER_LIMITS_QUARTER_INTERRUPT_SHIFT 1
#define TSUJI_BUFFER_LIMITS_QUARTER_INTERRUPT_MASK UINT64_C(0xe)

/* Entry of a task's log. */
typedef struct {
  uint64_t word0;
  uint64_t address; /* Logical address of the written data. */
} tsuji_log_entry;
TSUJI_ASSERT(log_entry, sizeof(tsuji_log_entry) == 16);
TSUJI_ASSERT(log_entry_word0, offsetof(tsuji_log_entry, word0) == 0);
TSUJI_ASSERT(log_entry_address, offsetof(tsuji_log_entry, address) == 8);
/* Operation of the parcel. */
#define TSUJI_LOG_ENTRY_PROTOCOL_SHIFT 0
#define TSUJI_LOG_ENTRY_PROTOCOL_MASK UINT64_C(0xf)
/* Logical PE of the source. */
#define TSUJI_LOG_ENTRY_SOURCE_PE_SHIFT 4
#define TSUJI_LOG_ENTRY_SOURCE_PE_MASK UINT64_C(0xfff0)
/* Payload in bytes. */
#define TSUJI_LOG_ENTRY_PAYLOAD_BYTES_SHIFT 32
#define TSUJI_LOG_ENTRY_PAYLOAD_BYTES_MASK UINT64_C(0xffffffff00000000)

/* Entry of a task's remote-read notification buffer, one for each rrid (Kanoh 2000, 4.3). */
typedef struct {
  uint64_t word0;
  uint64_t old_value; /* Old value of a compare & swap, otherwise 0. */
} tsuji_reply_notification;
TSUJI_ASSERT(reply_notification, sizeof(tsuji_reply_notification) == 16);
TSUJI_ASSERT(reply_notification_word0, offsetof(tsuji_reply_notification, word0) == 0);
TSUJI_ASSERT(reply_notification_old_value, offsetof(tsuji_reply_notification, old_value) == 8);
/* The reply has arrived. */
#define TSUJI_REPLY_NOTIFICATION_ARRIVED_SHIFT 0
#define TSUJI_REPLY_NOTIFICATION_ARRIVED_MASK UINT64_C(0x1)
/* The values were equal (compare & swap). */
#define TSUJI_REPLY_NOTIFICATION_EQUAL_SHIFT 1
#define TSUJI_REPLY_NOTIFICATION_EQUAL_MASK UINT64_C(0x2)
/* The other node refused the request: the address is not mapped there. */
#define TSUJI_REPLY_NOTIFICATION_REFUSED_SHIFT 2
#define TSUJI_REPLY_NOTIFICATION_REFUSED_MASK UINT64_C(0x4)

/* Read-only region that software reads at its start (host/boot_block.h). Addresses are physical addresses of the
 * node unless they are called logical; tables are loaded before the first instruction. */
typedef struct {
  uint64_t word0;
  uint64_t word1;
  uint64_t clock_period_ps; /* Clock period of network and interface, in picoseconds. */
  uint64_t word3;
  uint64_t registers; /* Address of the register map, where the processor sees it. */
  uint64_t interrupt_unit; /* Address of the interrupt unit, where the processor sees it. */
  uint64_t memory_bytes; /* Bytes of main memory, which begins at 0. */
  uint64_t queue; /* Queue of parcel headers of the task's set. */
  uint64_t queue_bytes; /* Bytes of the queue. */
  uint64_t node_table; /* Node table. */
  uint64_t node_table_entries; /* Entries of the node table. */
  uint64_t multicast_table; /* Multicast header table. */
  uint64_t multicast_table_entries; /* Entries of the multicast header table. */
  uint64_t synchronization_table; /* Synchronization header table. */
  uint64_t synchronization_table_entries; /* Entries of the synchronization header table. */
  uint64_t segment_table; /* Segment table, 4 entries for each of 256 cids. */
  uint64_t buffer_table; /* Buffer table, an entry for each of 256 cids. */
  uint64_t buffer_limit_table; /* Buffer limit table, an entry for each of 256 cids. */
  uint64_t synchronization_counters; /* Synchronization notification table of the task, 128 counters of 8 bytes. */
  uint64_t heap; /* Logical address of the task's heap, equal on all nodes. */
  uint64_t heap_bytes; /* Bytes of the heap. */
  uint64_t heap_physical; /* Physical address of the heap; 0: its pages are scattered. */
  uint64_t message0; /* Logical address of message buffer 0. */
  uint64_t message0_bytes; /* Bytes of message buffer 0; 0: no buffer. */
  uint64_t message0_physical; /* Physical address of message buffer 0; 0: its pages are scattered. */
  uint64_t message1; /* Logical address of message buffer 1. */
  uint64_t message1_bytes; /* Bytes of message buffer 1; 0: no buffer. */
  uint64_t message1_physical; /* Physical address of message buffer 1; 0: its pages are scattered. */
  uint64_t log; /* Logical address of the log buffer. */
  uint64_t log_bytes; /* Bytes of the log buffer; 0: no buffer. */
  uint64_t log_physical; /* Physical address of the log buffer; 0: its pages are scattered. */
} tsuji_boot_block;
TSUJI_ASSERT(boot_block, sizeof(tsuji_boot_block) == 248);
TSUJI_ASSERT(boot_block_word0, offsetof(tsuji_boot_block, word0) == 0);
TSUJI_ASSERT(boot_block_word1, offsetof(tsuji_boot_block, word1) == 8);
TSUJI_ASSERT(boot_block_clock_period_ps, offsetof(tsuji_boot_block, clock_period_ps) == 16);
TSUJI_ASSERT(boot_block_word3, offsetof(tsuji_boot_block, word3) == 24);
TSUJI_ASSERT(boot_block_registers, offsetof(tsuji_boot_block, registers) == 32);
TSUJI_ASSERT(boot_block_interrupt_unit, offsetof(tsuji_boot_block, interrupt_unit) == 40);
TSUJI_ASSERT(boot_block_memory_bytes, offsetof(tsuji_boot_block, memory_bytes) == 48);
TSUJI_ASSERT(boot_block_queue, offsetof(tsuji_boot_block, queue) == 56);
TSUJI_ASSERT(boot_block_queue_bytes, offsetof(tsuji_boot_block, queue_bytes) == 64);
TSUJI_ASSERT(boot_block_node_table, offsetof(tsuji_boot_block, node_table) == 72);
TSUJI_ASSERT(boot_block_node_table_entries, offsetof(tsuji_boot_block, node_table_entries) == 80);
TSUJI_ASSERT(boot_block_multicast_table, offsetof(tsuji_boot_block, multicast_table) == 88);
TSUJI_ASSERT(boot_block_multicast_table_entries, offsetof(tsuji_boot_block, multicast_table_entries) == 96);
TSUJI_ASSERT(boot_block_synchronization_table, offsetof(tsuji_boot_block, synchronization_table) == 104);
TSUJI_ASSERT(boot_block_synchronization_table_entries, offsetof(tsuji_boot_block, synchronization_table_entries) == 112);
TSUJI_ASSERT(boot_block_segment_table, offsetof(tsuji_boot_block, segment_table) == 120);
TSUJI_ASSERT(boot_block_buffer_table, offsetof(tsuji_boot_block, buffer_table) == 128);
TSUJI_ASSERT(boot_block_buffer_limit_table, offsetof(tsuji_boot_block, buffer_limit_table) == 136);
TSUJI_ASSERT(boot_block_synchronization_counters, offsetof(tsuji_boot_block, synchronization_counters) == 144);
TSUJI_ASSERT(boot_block_heap, offsetof(tsuji_boot_block, heap) == 152);
TSUJI_ASSERT(boot_block_heap_bytes, offsetof(tsuji_boot_block, heap_bytes) == 160);
TSUJI_ASSERT(boot_block_heap_physical, offsetof(tsuji_boot_block, heap_physical) == 168);
TSUJI_ASSERT(boot_block_message0, offsetof(tsuji_boot_block, message0) == 176);
TSUJI_ASSERT(boot_block_message0_bytes, offsetof(tsuji_boot_block, message0_bytes) == 184);
TSUJI_ASSERT(boot_block_message0_physical, offsetof(tsuji_boot_block, message0_physical) == 192);
TSUJI_ASSERT(boot_block_message1, offsetof(tsuji_boot_block, message1) == 200);
TSUJI_ASSERT(boot_block_message1_bytes, offsetof(tsuji_boot_block, message1_bytes) == 208);
TSUJI_ASSERT(boot_block_message1_physical, offsetof(tsuji_boot_block, message1_physical) == 216);
TSUJI_ASSERT(boot_block_log, offsetof(tsuji_boot_block, log) == 224);
TSUJI_ASSERT(boot_block_log_bytes, offsetof(tsuji_boot_block, log_bytes) == 232);
TSUJI_ASSERT(boot_block_log_physical, offsetof(tsuji_boot_block, log_physical) == 240);
/* `boot_magic`. */
#define TSUJI_BOOT_BLOCK_MAGIC_SHIFT 0
#define TSUJI_BOOT_BLOCK_MAGIC_MASK UINT64_C(0xffffffff)
/* `version` of this description. */
#define TSUJI_BOOT_BLOCK_VERSION_SHIFT 32
#define TSUJI_BOOT_BLOCK_VERSION_MASK UINT64_C(0xffffffff00000000)
/* Number of the node. */
#define TSUJI_BOOT_BLOCK_NODE_SHIFT 0
#define TSUJI_BOOT_BLOCK_NODE_MASK UINT64_C(0xffffffff)
/* Number of nodes. */
#define TSUJI_BOOT_BLOCK_NODES_SHIFT 32
#define TSUJI_BOOT_BLOCK_NODES_MASK UINT64_C(0xffffffff00000000)
/* Logical PE of the task. */
#define TSUJI_BOOT_BLOCK_LOGICAL_PE_SHIFT 0
#define TSUJI_BOOT_BLOCK_LOGICAL_PE_MASK UINT64_C(0xfff)
/* Context of the task. */
#define TSUJI_BOOT_BLOCK_CID_SHIFT 16
#define TSUJI_BOOT_BLOCK_CID_MASK UINT64_C(0xff0000)
/* Control-register set of the task. */
#define TSUJI_BOOT_BLOCK_SENDER_SET_SHIFT 24
#define TSUJI_BOOT_BLOCK_SENDER_SET_MASK UINT64_C(0xff000000)
/* Number of logical PEs. */
#define TSUJI_BOOT_BLOCK_PES_SHIFT 32
#define TSUJI_BOOT_BLOCK_PES_MASK UINT64_C(0xffffffff00000000)

/* Map registers: NIC registers, 8 bytes each, as offsets in the NIC's TLM target. An access lies within one
 * register. Bytes that a write omits keep their value; in registers where writing ones, or any write, has an effect,
 * they count as 0. Unknown offsets get a TLM error response. Registers of different tasks lie on different pages of
 * 4 KB (Kanoh 2000, 5.2), so that the page map protects them. */
#define TSUJI_REGISTER_SPACE_BYTES 0x10000u

/* Sender: one page for each of the four control-register sets. Set 0 is the operating system's (physical addresses
 * allowed), set 1 serves the replies to remote reads, sets 2 and 3 are for user tasks. */
#define TSUJI_SENDER_SET_BASE 0x0u
#define TSUJI_SENDER_SET_STRIDE 0x1000u
#define TSUJI_SENDER_SET_COUNT 0x4u
#define TSUJI_OS_SET 0x0u
#define TSUJI_REPLY_SET 0x1u
#define TSUJI_FIRST_USER_SET 0x2u
/* The only register of a set that its task writes: the offset in the queue after the last parcel header. (read and
 * write) */
#define TSUJI_QUEUE_WRITE_POINTER(set) (0x0u + 0x1000u * (set))
/* The offset of the next header that the Sender will read. (read only) */
#define TSUJI_QUEUE_READ_POINTER(set) (0x8u + 0x1000u * (set))
/* The last refused header or write pointer. (read; a write clears) */
#define TSUJI_QUEUE_STATUS(set) (0x10u + 0x1000u * (set))
/* Cause; 0: nothing was refused. */
#define TSUJI_QUEUE_STATUS_CAUSE_SHIFT 0
#define TSUJI_QUEUE_STATUS_CAUSE_MASK UINT64_C(0xff)
/* Offset of the header in the queue. */
#define TSUJI_QUEUE_STATUS_HEADER_OFFSET_SHIFT 16
#define TSUJI_QUEUE_STATUS_HEADER_OFFSET_MASK UINT64_C(0xffff0000)
typedef struct {
  volatile uint64_t queue_write_pointer;
  const volatile uint64_t queue_read_pointer;
  volatile uint64_t queue_status;
} tsuji_sender_set_registers;
TSUJI_ASSERT(sender_set_queue_write_pointer, offsetof(tsuji_sender_set_registers, queue_write_pointer) == 0x0);
TSUJI_ASSERT(sender_set_queue_read_pointer, offsetof(tsuji_sender_set_registers, queue_read_pointer) == 0x8);
TSUJI_ASSERT(sender_set_queue_status, offsetof(tsuji_sender_set_registers, queue_status) == 0x10);

/* The operating system's page for each set, at sender_os_base + set * sender_set_stride. */
#define TSUJI_SENDER_OS_BASE 0x8000u
#define TSUJI_SENDER_OS_STRIDE 0x1000u
#define TSUJI_SENDER_OS_COUNT 0x4u
/* Physical address of the queue, aligned to its size. (read and write) */
#define TSUJI_QUEUE_BASE(set) (0x8000u + 0x1000u * (set))
/* 4096..65536, a power of two; 0: the set is off. (read and write) */
#define TSUJI_QUEUE_BYTES(set) (0x8008u + 0x1000u * (set))
/* Context of the set's task. (read and write) */
#define TSUJI_QUEUE_CID(set) (0x8010u + 0x1000u * (set))
/* Logical PE of the task, which every packet carries. (read and write) */
#define TSUJI_SOURCE_PE(set) (0x8018u + 0x1000u * (set))
/* Physical address of the node table. (read and write) */
#define TSUJI_NODE_TABLE_BASE(set) (0x8020u + 0x1000u * (set))
/* Entries of the node table. (read and write) */
#define TSUJI_NODE_TABLE_ENTRIES(set) (0x8028u + 0x1000u * (set))
/* Physical address of the multicast header table. (read and write) */
#define TSUJI_MULTICAST_TABLE_BASE(set) (0x8030u + 0x1000u * (set))
/* Entries of the multicast header table. (read and write) */
#define TSUJI_MULTICAST_TABLE_ENTRIES(set) (0x8038u + 0x1000u * (set))
/* Physical address of the synchronization header table. (read and write) */
#define TSUJI_SYNCHRONIZATION_TABLE_BASE(set) (0x8040u + 0x1000u * (set))
/* Entries of the synchronization header table. (read and write) */
#define TSUJI_SYNCHRONIZATION_TABLE_ENTRIES(set) (0x8048u + 0x1000u * (set))
/* 1: event `sender_empty` when all parcels of the set have left. (read and write) */
#define TSUJI_EMPTY_INTERRUPT(set) (0x8050u + 0x1000u * (set))
/* Pointers and status of a queue, for a task switch. The operating system sets `queue_bytes` to 0, which stops reads
 * of headers and keeps this word, and reads it; it writes the word after it has set the task's queue again. (read
 * and write) */
#define TSUJI_QUEUE_STATE(set) (0x8058u + 0x1000u * (set))
/* Write pointer. */
#define TSUJI_QUEUE_STATE_WRITE_POINTER_SHIFT 0
#define TSUJI_QUEUE_STATE_WRITE_POINTER_MASK UINT64_C(0xffff)
/* Read pointer. */
#define TSUJI_QUEUE_STATE_READ_POINTER_SHIFT 16
#define TSUJI_QUEUE_STATE_READ_POINTER_MASK UINT64_C(0xffff0000)
/* Cause in `queue_status`. */
#define TSUJI_QUEUE_STATE_CAUSE_SHIFT 32
#define TSUJI_QUEUE_STATE_CAUSE_MASK UINT64_C(0xff00000000)
/* Header's offset in `queue_status`. */
#define TSUJI_QUEUE_STATE_HEADER_OFFSET_SHIFT 48
#define TSUJI_QUEUE_STATE_HEADER_OFFSET_MASK UINT64_C(0xffff000000000000)
typedef struct {
  volatile uint64_t queue_base;
  volatile uint64_t queue_bytes;
  volatile uint64_t queue_cid;
  volatile uint64_t source_pe;
  volatile uint64_t node_table_base;
  volatile uint64_t node_table_entries;
  volatile uint64_t multicast_table_base;
  volatile uint64_t multicast_table_entries;
  volatile uint64_t synchronization_table_base;
  volatile uint64_t synchronization_table_entries;
  volatile uint64_t empty_interrupt;
  volatile uint64_t queue_state;
} tsuji_sender_os_registers;
TSUJI_ASSERT(sender_os_queue_base, offsetof(tsuji_sender_os_registers, queue_base) == 0x0);
TSUJI_ASSERT(sender_os_queue_bytes, offsetof(tsuji_sender_os_registers, queue_bytes) == 0x8);
TSUJI_ASSERT(sender_os_queue_cid, offsetof(tsuji_sender_os_registers, queue_cid) == 0x10);
TSUJI_ASSERT(sender_os_source_pe, offsetof(tsuji_sender_os_registers, source_pe) == 0x18);
TSUJI_ASSERT(sender_os_node_table_base, offsetof(tsuji_sender_os_registers, node_table_base) == 0x20);
TSUJI_ASSERT(sender_os_node_table_entries, offsetof(tsuji_sender_os_registers, node_table_entries) == 0x28);
TSUJI_ASSERT(sender_os_multicast_table_base, offsetof(tsuji_sender_os_registers, multicast_table_base) == 0x30);
TSUJI_ASSERT(sender_os_multicast_table_entries, offsetof(tsuji_sender_os_registers, multicast_table_entries) == 0x38);
TSUJI_ASSERT(sender_os_synchronization_table_base, offsetof(tsuji_sender_os_registers, synchronization_table_base) == 0x40);
TSUJI_ASSERT(sender_os_synchronization_table_entries, offsetof(tsuji_sender_os_registers, synchronization_table_entries) == 0x48);
TSUJI_ASSERT(sender_os_empty_interrupt, offsetof(tsuji_sender_os_registers, empty_interrupt) == 0x50);
TSUJI_ASSERT(sender_os_queue_state, offsetof(tsuji_sender_os_registers, queue_state) == 0x58);

/* Page of both halves: physical bases of tables, written by the operating system before the first parcel. */
#define TSUJI_COMMON_OS_BASE 0xc000u
/* Segment table, aligned to 8 bytes. (read and write) */
#define TSUJI_SEGMENT_TABLE_BASE 0xc000u
/* Buffer table, aligned to 128 bytes. (read and write) */
#define TSUJI_BUFFER_TABLE_BASE 0xc008u
/* Buffer limit table, aligned to 128 bytes. (read and write) */
#define TSUJI_BUFFER_LIMIT_TABLE_BASE 0xc010u
/* Any write empties the TLBs and the buffer table cache. (a write acts; reads give 0) */
#define TSUJI_FLUSH_TLBS 0xc018u
/* Owner of the Receiver's task page. (read and write) */
#define TSUJI_RECEIVER_CID 0xc020u
typedef struct {
  volatile uint64_t segment_table_base;
  volatile uint64_t buffer_table_base;
  volatile uint64_t buffer_limit_table_base;
  volatile uint64_t flush_tlbs;
  volatile uint64_t receiver_cid;
} tsuji_common_os_registers;
TSUJI_ASSERT(common_os_segment_table_base, offsetof(tsuji_common_os_registers, segment_table_base) == 0x0);
TSUJI_ASSERT(common_os_buffer_table_base, offsetof(tsuji_common_os_registers, buffer_table_base) == 0x8);
TSUJI_ASSERT(common_os_buffer_limit_table_base, offsetof(tsuji_common_os_registers, buffer_limit_table_base) == 0x10);
TSUJI_ASSERT(common_os_flush_tlbs, offsetof(tsuji_common_os_registers, flush_tlbs) == 0x18);
TSUJI_ASSERT(common_os_receiver_cid, offsetof(tsuji_common_os_registers, receiver_cid) == 0x20);

/* Receiver: page of the task that runs on the processor, with its address registers and its read pointers of the
 * message and log buffers, from which the Receiver detects overruns. A write changes the entry of `receiver_cid` in
 * the buffer table or the buffer limit table. */
#define TSUJI_RECEIVER_TASK_BASE 0xd000u
/* Address registers 0 to 2. (read and write) */
#define TSUJI_ADDRESS_REGISTER(n) (0xd008u + 0x8u * (n))
/* Read pointers of message buffers 0 and 1, logical addresses. (read and write) */
#define TSUJI_MESSAGE_READ_POINTER(n) (0xd020u + 0x8u * (n))
/* Read pointer of the log buffer, a logical address. (read and write) */
#define TSUJI_LOG_READ_POINTER 0xd030u
typedef struct {
  volatile uint64_t unused0[1];
  volatile uint64_t address_register[3];
  volatile uint64_t message_read_pointer[2];
  volatile uint64_t log_read_pointer;
} tsuji_receiver_task_registers;
TSUJI_ASSERT(receiver_task_address_register, offsetof(tsuji_receiver_task_registers, address_register) == 0x8);
TSUJI_ASSERT(receiver_task_message_read_pointer, offsetof(tsuji_receiver_task_registers, message_read_pointer) == 0x20);
TSUJI_ASSERT(receiver_task_log_read_pointer, offsetof(tsuji_receiver_task_registers, log_read_pointer) == 0x30);

/* Events (nic_events.h), on a page of the operating system. A handler clears `event_pending` first and reads the
 * causes afterwards, so that a later cause sets the bit again. */
#define TSUJI_EVENT_OS_BASE 0xe000u
/* One bit for each event. (read; writing 1 clears a bit) */
#define TSUJI_EVENT_PENDING 0xe000u
/* One bit for each event that interrupts. (read and write) */
#define TSUJI_EVENT_ENABLE 0xe008u
/* First refusal of the Sender since the register was cleared; writing the value that was read clears the refusals
 * that it counts. (read; a write clears) */
#define TSUJI_SENDER_REFUSAL 0xe010u
/* Cause; 0: nothing was refused. */
#define TSUJI_SENDER_REFUSAL_CAUSE_SHIFT 0
#define TSUJI_SENDER_REFUSAL_CAUSE_MASK UINT64_C(0xff)
/* Context of the task. */
#define TSUJI_SENDER_REFUSAL_CID_SHIFT 8
#define TSUJI_SENDER_REFUSAL_CID_MASK UINT64_C(0xff00)
/* Sender: set; Receiver: buffer (0, 1: message; 2: log). */
#define TSUJI_SENDER_REFUSAL_PLACE_SHIFT 16
#define TSUJI_SENDER_REFUSAL_PLACE_MASK UINT64_C(0xffff0000)
/* Refusals after the first, at most 65,535. */
#define TSUJI_SENDER_REFUSAL_FURTHER_SHIFT 32
#define TSUJI_SENDER_REFUSAL_FURTHER_MASK UINT64_C(0xffff00000000)
/* First refusal of the Receiver, cleared like `sender_refusal`. (read; a write clears) */
#define TSUJI_RECEIVER_REFUSAL 0xe018u
/* Cause; 0: nothing was refused. */
#define TSUJI_RECEIVER_REFUSAL_CAUSE_SHIFT 0
#define TSUJI_RECEIVER_REFUSAL_CAUSE_MASK UINT64_C(0xff)
/* Context of the task. */
#define TSUJI_RECEIVER_REFUSAL_CID_SHIFT 8
#define TSUJI_RECEIVER_REFUSAL_CID_MASK UINT64_C(0xff00)
/* Sender: set; Receiver: buffer (0, 1: message; 2: log). */
#define TSUJI_RECEIVER_REFUSAL_PLACE_SHIFT 16
#define TSUJI_RECEIVER_REFUSAL_PLACE_MASK UINT64_C(0xffff0000)
/* Refusals after the first, at most 65,535. */
#define TSUJI_RECEIVER_REFUSAL_FURTHER_SHIFT 32
#define TSUJI_RECEIVER_REFUSAL_FURTHER_MASK UINT64_C(0xffff00000000)
/* Sender that waits for the operating system; 0: it does not. Writing a `fault_answer` answers it. (read and write) */
#define TSUJI_SENDER_FAULT_STATE 0xe020u
/* Cause. */
#define TSUJI_SENDER_FAULT_STATE_CAUSE_SHIFT 0
#define TSUJI_SENDER_FAULT_STATE_CAUSE_MASK UINT64_C(0xff)
/* Context of the task. */
#define TSUJI_SENDER_FAULT_STATE_CID_SHIFT 8
#define TSUJI_SENDER_FAULT_STATE_CID_MASK UINT64_C(0xff00)
/* The access is a write. */
#define TSUJI_SENDER_FAULT_STATE_WRITE_SHIFT 16
#define TSUJI_SENDER_FAULT_STATE_WRITE_MASK UINT64_C(0x10000)
/* The half waits. */
#define TSUJI_SENDER_FAULT_STATE_WAITS_SHIFT 63
#define TSUJI_SENDER_FAULT_STATE_WAITS_MASK UINT64_C(0x8000000000000000)
/* Logical address of the fault. (read only) */
#define TSUJI_SENDER_FAULT_ADDRESS 0xe028u
/* Receiver that waits for the operating system, like `sender_fault_state`. (read and write) */
#define TSUJI_RECEIVER_FAULT_STATE 0xe030u
/* Cause. */
#define TSUJI_RECEIVER_FAULT_STATE_CAUSE_SHIFT 0
#define TSUJI_RECEIVER_FAULT_STATE_CAUSE_MASK UINT64_C(0xff)
/* Context of the task. */
#define TSUJI_RECEIVER_FAULT_STATE_CID_SHIFT 8
#define TSUJI_RECEIVER_FAULT_STATE_CID_MASK UINT64_C(0xff00)
/* The access is a write. */
#define TSUJI_RECEIVER_FAULT_STATE_WRITE_SHIFT 16
#define TSUJI_RECEIVER_FAULT_STATE_WRITE_MASK UINT64_C(0x10000)
/* The half waits. */
#define TSUJI_RECEIVER_FAULT_STATE_WAITS_SHIFT 63
#define TSUJI_RECEIVER_FAULT_STATE_WAITS_MASK UINT64_C(0x8000000000000000)
/* Logical address of the fault. (read only) */
#define TSUJI_RECEIVER_FAULT_ADDRESS 0xe038u
/* One bit for each control-register set, set by `sender_empty`. (read; writing 1 clears a bit) */
#define TSUJI_EMPTY_SETS 0xe040u
/* First request of the Sender that the memory controller answered with an error; 0: none. (read; a write clears) */
#define TSUJI_SENDER_MEMORY_ERROR 0xe048u
/* Physical address. */
#define TSUJI_SENDER_MEMORY_ERROR_ADDRESS_SHIFT 0
#define TSUJI_SENDER_MEMORY_ERROR_ADDRESS_MASK UINT64_C(0x3fffffffffffffff)
/* A request has failed. */
#define TSUJI_SENDER_MEMORY_ERROR_FAILED_SHIFT 63
#define TSUJI_SENDER_MEMORY_ERROR_FAILED_MASK UINT64_C(0x8000000000000000)
/* First request of the Receiver that the memory controller answered with an error; 0: none. (read; a write clears) */
#define TSUJI_RECEIVER_MEMORY_ERROR 0xe050u
/* Physical address. */
#define TSUJI_RECEIVER_MEMORY_ERROR_ADDRESS_SHIFT 0
#define TSUJI_RECEIVER_MEMORY_ERROR_ADDRESS_MASK UINT64_C(0x3fffffffffffffff)
/* A request has failed. */
#define TSUJI_RECEIVER_MEMORY_ERROR_FAILED_SHIFT 63
#define TSUJI_RECEIVER_MEMORY_ERROR_FAILED_MASK UINT64_C(0x8000000000000000)
/* Contexts that an event concerns, in four lists of 256 bits: `received`, then `quarter` of message buffer 0, of
 * message buffer 1 and of the log buffer. Bit b of word 4 l + w is context 64 w + b in list l. (read; writing 1
 * clears a bit) */
#define TSUJI_CID_LIST(n) (0xe080u + 0x8u * (n))
typedef struct {
  volatile uint64_t event_pending;
  volatile uint64_t event_enable;
  volatile uint64_t sender_refusal;
  volatile uint64_t receiver_refusal;
  volatile uint64_t sender_fault_state;
  const volatile uint64_t sender_fault_address;
  volatile uint64_t receiver_fault_state;
  const volatile uint64_t receiver_fault_address;
  volatile uint64_t empty_sets;
  volatile uint64_t sender_memory_error;
  volatile uint64_t receiver_memory_error;
  volatile uint64_t unused0[5];
  volatile uint64_t cid_list[16];
} tsuji_event_os_registers;
TSUJI_ASSERT(event_os_event_pending, offsetof(tsuji_event_os_registers, event_pending) == 0x0);
TSUJI_ASSERT(event_os_event_enable, offsetof(tsuji_event_os_registers, event_enable) == 0x8);
TSUJI_ASSERT(event_os_sender_refusal, offsetof(tsuji_event_os_registers, sender_refusal) == 0x10);
TSUJI_ASSERT(event_os_receiver_refusal, offsetof(tsuji_event_os_registers, receiver_refusal) == 0x18);
TSUJI_ASSERT(event_os_sender_fault_state, offsetof(tsuji_event_os_registers, sender_fault_state) == 0x20);
TSUJI_ASSERT(event_os_sender_fault_address, offsetof(tsuji_event_os_registers, sender_fault_address) == 0x28);
TSUJI_ASSERT(event_os_receiver_fault_state, offsetof(tsuji_event_os_registers, receiver_fault_state) == 0x30);
TSUJI_ASSERT(event_os_receiver_fault_address, offsetof(tsuji_event_os_registers, receiver_fault_address) == 0x38);
TSUJI_ASSERT(event_os_empty_sets, offsetof(tsuji_event_os_registers, empty_sets) == 0x40);
TSUJI_ASSERT(event_os_sender_memory_error, offsetof(tsuji_event_os_registers, sender_memory_error) == 0x48);
TSUJI_ASSERT(event_os_receiver_memory_error, offsetof(tsuji_event_os_registers, receiver_memory_error) == 0x50);
TSUJI_ASSERT(event_os_cid_list, offsetof(tsuji_event_os_registers, cid_list) == 0x80);

/* Map interrupt_unit: Interrupts for a processor that has no 64-bit accesses (interface/interrupt_unit.h). The line
 * is up while an enabled event is pending. */
#define TSUJI_INTERRUPT_UNIT_BYTES 0x10u

/* Registers of the unit, 4 bytes each. */
#define TSUJI_INTERRUPT_UNIT_BASE 0x0u
/* Events that are pending and enabled. (read only) */
#define TSUJI_INTERRUPT_STATUS 0x0u
/* Events that are pending. (read only) */
#define TSUJI_INTERRUPT_RAW 0x4u
/* Events that interrupt. (read and write) */
#define TSUJI_INTERRUPT_ENABLE 0x8u
/* Writing 1 clears an event; reads give 0. (read; writing 1 clears a bit) */
#define TSUJI_INTERRUPT_CLEAR 0xcu
typedef struct {
  const volatile uint32_t interrupt_status;
  const volatile uint32_t interrupt_raw;
  volatile uint32_t interrupt_enable;
  volatile uint32_t interrupt_clear;
} tsuji_interrupt_unit_registers;
TSUJI_ASSERT(interrupt_unit_interrupt_status, offsetof(tsuji_interrupt_unit_registers, interrupt_status) == 0x0);
TSUJI_ASSERT(interrupt_unit_interrupt_raw, offsetof(tsuji_interrupt_unit_registers, interrupt_raw) == 0x4);
TSUJI_ASSERT(interrupt_unit_interrupt_enable, offsetof(tsuji_interrupt_unit_registers, interrupt_enable) == 0x8);
TSUJI_ASSERT(interrupt_unit_interrupt_clear, offsetof(tsuji_interrupt_unit_registers, interrupt_clear) == 0xc);

#endif
