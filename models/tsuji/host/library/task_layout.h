// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tsuji/nic/parcel.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {

enum class BarrierMethod : std::uint8_t {
  hardware,       ///< synchronization packets where the system has them (<= 64 nodes), else hierarchical
  hierarchical,   ///< atomic adds up a tree, then a multicast atomic add for each group of 64 nodes
  multicast_add,  ///< all-to-all: a multicast atomic add of every rank for each group of 64 nodes
  tree,           ///< messages: binomial reduce and broadcast
  dissemination,  ///< messages: log2 rounds of exchanges
};
enum class BroadcastMethod : std::uint8_t {
  hardware,  ///< multicast
  tree,      ///< messages: binomial tree
};

/// Of a put from an odd word to a doubleword (Kanoh 2000, 5.1.3).
enum class Realignment : std::uint8_t {
  hardware,  ///< the network interface shifts; the first word of every source page but the first goes again
  software,  ///< the processor copies the data to a doubleword first
};

/// Parameters common to all tasks of a program: sizes of the library's areas, algorithms of collectives.
struct LibraryConfig {
  std::uint32_t header_queue_bytes = 16 * 1024;  ///< 4096..65536, a power of two
  std::uint32_t credits = 4;               ///< eager messages and requests under way from one source, 1..64
  std::uint32_t send_slots = 32;           ///< eager messages that are not sent yet, 1..1024
  std::uint32_t rendezvous_slots = 64;     ///< large messages under way, each direction, 1..1024
  std::uint32_t collective_messages = 32;  ///< multicast messages between two barriers, 1..1024
  std::uint64_t heap_bytes = 32 << 20;     ///< a task's heap, a multiple of 4096
  BarrierMethod barrier = BarrierMethod::hardware;
  std::uint32_t barrier_fan_in = 8;  ///< hierarchical: ranks of a level that meet at one of them, 2..64
  BroadcastMethod broadcast = BroadcastMethod::hardware;
  Realignment realignment = Realignment::hardware;

  void validate() const;  ///< throws ConfigError
};

/// Bytes that a message buffer needs so that `sources` sources with `credits` messages each never overrun it,
/// although the Receiver learns only once every quarter of it how far the task has read: 4/3 of the messages,
/// in whole quarters of whole lines.
std::uint64_t message_buffer_bytes(std::uint64_t sources, std::uint64_t credits);

/// Where a task finds everything; logical addresses. All tasks of a program have the same layout but for
/// their own identity, because they address each other's areas with it.
struct TaskLayout {
  std::uint32_t pe = 0;  ///< own logical PE, the rank
  std::uint32_t pes = 1;
  unsigned register_set = 2;       ///< of the Sender
  std::uint64_t buffer_entry = 0;  ///< this cid's entry of the buffer table, mapped read-only

  std::uint64_t base = 0;
  std::uint64_t header_queue = 0;  ///< aligned to its size; the OS maps it onto physically contiguous memory
  std::uint32_t header_queue_bytes = 0;
  std::array<std::uint64_t, 2> message_buffer{};
  std::array<std::uint64_t, 2> message_buffer_bytes{};
  std::uint64_t log_buffer = 0, log_buffer_bytes = 0;  ///< of arrivals (nic::LogEntry), 0: none
  std::uint64_t synchronization_counters =
      0;  ///< 128 counters; the buffer limit table holds their physical address
  std::uint64_t reply_notifications = 0;  ///< the operating system's, 0: none (nic::ReplyNotification)
  std::uint64_t barrier_counter = 0;      ///< atomic adds of those that have come
  std::uint64_t release_counter = 0;      ///< hierarchical: multicast atomic add
  std::uint64_t send_slots = 0;           ///< 256 bytes each, so that a message never crosses a page
  std::uint64_t send_notifications = 0;   ///< a word a send slot
  std::uint64_t credit_table = 0;         ///< a word a PE: how many of our messages it has taken
  std::uint64_t clear_to_send = 0;        ///< a word a rendezvous slot: where the receiver wants the data
  std::uint64_t data_sent = 0;            ///< a word a rendezvous slot: notification
  std::uint64_t data_arrived = 0;         ///< a word a rendezvous slot: the sender's last word
  std::uint64_t group_notifications = 0;  ///< a word a multicast group
  std::uint64_t copy =
      0;  ///< of a put's words, a parcel of the largest size and a line; 0: hardware realigns
  std::uint64_t copy_sent = 0;  ///< notification
  std::uint64_t heap = 0;
  std::uint64_t heap_bytes = 0;
  std::uint64_t end = 0;  ///< behind the last area; [base, end) is what the OS maps, in whole pages

  static constexpr unsigned slot_bytes = 256;
  static constexpr unsigned copy_bytes = nic::ParcelHeader::max_data_bytes + nic::line_bytes;
  static constexpr unsigned multicast_group_nodes = 64;
  std::uint32_t multicast_groups = 1;  ///< groups of 64 nodes that the PEs lie in
};

/// Lays the areas out behind `base` (a multiple of 64 KB, not 0). The buffer table lies elsewhere:
/// `buffer_entry`. `multicast_groups` 0: PE p runs on node p.
TaskLayout plan_task_layout(const LibraryConfig& config, std::uint32_t pe, std::uint32_t pes,
                            unsigned register_set, std::uint64_t base, std::uint64_t buffer_entry,
                            std::uint32_t multicast_groups = 0);

}  // namespace tsuji::host
