// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tsuji/nic/parcel.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {

enum class BarrierMethod : std::uint8_t {
  hardware,       ///< Synchronization packets if the system supports them (<= 64 nodes), else hierarchical.
  hierarchical,   ///< Atomic adds up a tree, then a multicast atomic add for each group of 64 nodes.
  multicast_add,  ///< All-to-all: every rank sends a multicast atomic add to each group of 64 nodes.
  tree,           ///< Messages: binomial reduce and broadcast.
  dissemination,  ///< Messages: log2 rounds of exchanges.
};
enum class BroadcastMethod : std::uint8_t {
  hardware,  ///< Hardware multicast.
  tree,      ///< Messages along a binomial tree.
};

enum class AllReduceMethod : std::uint8_t {
  tree,        ///< A binomial reduction to rank 0, then a broadcast.
  ring,        ///< Messages: a ring reduce-scatter, then a ring all-gather.
  in_network,  ///< Operands in synchronization packets, combined by the switches.
};

/// Handling of a put from an odd word to a doubleword (Kanoh 2000, section 5.1.3).
enum class Realignment : std::uint8_t {
  /// The network interface shifts; the first word of every source page except the first page is sent again.
  hardware,
  software,  ///< The processor first copies the data to a doubleword boundary.
};

/// Parameters common to all tasks of a program: sizes of the library's areas, algorithms of collectives.
struct LibraryConfig {
  std::uint32_t header_queue_bytes =
      16 * 1024;                           ///< size of the parcel header queue: a power of two, 4096..65536
  std::uint32_t credits = 4;               ///< Eager messages and requests in flight from one source, 1..64.
  std::uint32_t send_slots = 32;           ///< Eager messages that are not sent yet, 1..1024.
  std::uint32_t rendezvous_slots = 64;     ///< Large messages in flight in each direction, 1..1024.
  std::uint32_t collective_messages = 32;  ///< Multicast messages between two barriers, 1..1024.
  std::uint64_t heap_bytes = 32 << 20;     ///< Size of a task's heap, a multiple of 4096.
  BarrierMethod barrier = BarrierMethod::hardware;
  /// Hierarchical only: ranks of a level that are joined at one of them, 2..64.
  std::uint32_t barrier_fan_in = 8;
  BroadcastMethod broadcast = BroadcastMethod::hardware;
  AllReduceMethod all_reduce = AllReduceMethod::tree;
  /// In-network only: packets of an all-reduce in flight, each on a synchronization identifier of its
  /// own, 1..64.
  std::uint32_t all_reduce_packets = 8;
  Realignment realignment = Realignment::hardware;

  void validate() const;  ///< throws ConfigError
};

/// Size of a message buffer that `sources` sources with `credits` messages each can never overflow. The
/// Receiver learns the read position once for every quarter of the buffer, so the size is 4/3 of the
/// messages, in whole quarters of whole lines.
std::uint64_t message_buffer_bytes(std::uint64_t sources, std::uint64_t credits);

/// Logical addresses of a task's areas. All tasks of a program have one layout except for their own identity,
/// because they use it to address each other's areas.
struct TaskLayout {
  std::uint32_t pe = 0;  ///< The task's logical PE, which is its rank.
  std::uint32_t pes = 1;
  unsigned register_set = 2;       ///< Register set of the Sender.
  std::uint64_t buffer_entry = 0;  ///< Address of this cid's entry of the buffer table, mapped read-only.

  std::uint64_t base = 0;
  std::uint64_t header_queue = 0;  ///< Aligned to its size; the OS maps it onto physically contiguous memory.
  std::uint32_t header_queue_bytes = 0;
  std::array<std::uint64_t, 2> message_buffer{};
  std::array<std::uint64_t, 2> message_buffer_bytes{};
  std::uint64_t log_buffer = 0, log_buffer_bytes = 0;  ///< Log of arrivals (nic::LogEntry); 0: none.
  std::uint64_t synchronization_counters =
      0;  ///< 128 counters; the buffer limit table holds their physical address.
  /// Maintained by the operating system (nic::ReplyNotification); 0: none.
  std::uint64_t reply_notifications = 0;
  std::uint64_t barrier_counter = 0;     ///< Counts arrivals at a barrier by atomic adds.
  std::uint64_t release_counter = 0;     ///< Hierarchical barrier: counts releases by multicast atomic adds.
  std::uint64_t send_slots = 0;          ///< 256 bytes each, so that a message never crosses a page.
  std::uint64_t send_notifications = 0;  ///< One word for each send slot.
  /// One word for each PE: number of this task's messages that the PE has consumed.
  std::uint64_t credit_table = 0;
  /// One word for each rendezvous slot: the receiver's address for the data.
  std::uint64_t clear_to_send = 0;
  std::uint64_t data_sent = 0;            ///< One notification word for each rendezvous slot.
  std::uint64_t data_arrived = 0;         ///< One word for each rendezvous slot: the sender's last word.
  std::uint64_t group_notifications = 0;  ///< One word for each multicast group.
  std::uint64_t copy =
      0;  ///< Copy of a put's words: a parcel of the largest size and a line; 0: the hardware realigns.
  std::uint64_t copy_sent = 0;  ///< Notification of the copy's parcel.
  std::uint64_t heap = 0;
  std::uint64_t heap_bytes = 0;
  std::uint64_t end = 0;  ///< End of the last area; the OS maps [base, end) in whole pages.

  static constexpr unsigned slot_bytes = 256;
  static constexpr unsigned copy_bytes = nic::ParcelHeader::max_data_bytes + nic::line_bytes;
  static constexpr unsigned multicast_group_nodes = 64;
  std::uint32_t multicast_groups = 1;  ///< Groups of 64 nodes that contain the PEs.
};

/// Places the areas from `base` on (a multiple of 64 KB, not 0). The buffer table is separate:
/// `buffer_entry`. `multicast_groups` 0: PE p runs on node p.
TaskLayout plan_task_layout(const LibraryConfig& config, std::uint32_t pe, std::uint32_t pes,
                            unsigned register_set, std::uint64_t base, std::uint64_t buffer_entry,
                            std::uint32_t multicast_groups = 0);

}  // namespace tsuji::host
