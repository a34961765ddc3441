// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/host/address_space.h"
#include "tsuji/host/node_access.h"
#include "tsuji/nic/registers.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {

/// Policy for entering the pages of a task's heap and buffers into the network interface's tables.
enum class Paging : std::uint8_t { present, on_demand };

/// Resources that the operating system gives a parallel task on each of its nodes.
struct OsConfig {
  std::uint8_t cid = 1;
  unsigned sender_set = nic::first_user_set;  ///< Control-register set: 2 or 3.
  /// Size of the parcel header queue: 4096..65536, a power of two.
  std::uint32_t queue_bytes = 16 << 10;
  std::uint64_t message_buffer0_bytes = 64 << 10;  ///< Sizes of the buffers, multiples of 128; 0: no buffer.
  std::uint64_t message_buffer1_bytes = 64 << 10;
  std::uint64_t log_buffer_bytes = 16 << 10;
  std::uint64_t heap_bytes = 4 << 20;  ///< Size of the heap, a multiple of 4096.
  unsigned multicast_entries = 64;     ///< Entries of the multicast header table, 1..4096.
  unsigned synchronization_entries = 128;
  PagePlacement placement = PagePlacement::scattered;  ///< Placement of the heap and the buffers.
  Paging paging = Paging::present;
  double page_fault_ns =
      /// On demand: time to find a page and write its entry, in addition to the interrupt; an assumption of
      /// this model.
      20000;
  void validate() const;  ///< throws ConfigError
};

/// A task's logical addresses on its node; registers are offsets of nic/registers.h.
struct TaskMemory {
  struct Buffer {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< 0: the buffer does not exist.
  };
  std::uint8_t cid = 0;
  std::uint16_t logical_pe = 0;
  std::uint16_t pes = 0;
  Buffer queue;  ///< Ring of parcel headers, nic::ParcelHeader::bytes each.
  std::uint64_t queue_write_register = 0;
  std::uint64_t queue_read_register = 0;
  std::uint64_t buffer_entry = 0;  ///< This task's entry of the buffer table, read-only.
  Buffer message[2];
  Buffer log;
  std::uint64_t message_read_register[2] = {0, 0};
  std::uint64_t log_read_register = 0;
  std::uint64_t address_register[3] = {0, 0, 0};
  std::uint64_t synchronization_counters = 0;  ///< 128 counters of 8 bytes, read-only.
  std::uint64_t reply_notifications = 0;       ///< 64 nic::ReplyNotification, one for each rrid.
  Buffer heap;
};

/// Physical addresses of the tables that all tasks of a node share.
struct NodeTables {
  std::uint64_t segment_table = 0, buffer_table = 0, buffer_limit_table = 0;
  std::uint64_t reply_queue = 0, end = 0;
};

/// Physical addresses of one task's areas.
struct PhysicalLayout {
  std::uint64_t node_table = 0, multicast_table = 0, synchronization_table = 0;
  std::uint64_t heap_page_table = 0, buffer_page_table = 0;
  std::uint64_t synchronization_counters = 0, queue = 0;
  std::uint64_t buffers = 0, heap = 0;
  std::uint64_t reply_notifications = 0, reply_page_table = 0;
};

/// A parallel task's part on one node, as the operating system manages it: the location of its memory, its
/// tables, and the state that the network interface holds for it while it has the processor or a
/// control-register set.
class OsTask {
 public:
  static constexpr std::uint64_t heap_base = 0x10000000;  ///< Logical address of the task's heap.
  static constexpr std::uint64_t max_heap_bytes = 0x10000000;
  /// Largest system with synchronization (scripts/handbook.d/rooms/crosspoint.md).
  static constexpr unsigned most_synchronizing_nodes = 64;

  /// `nodes_of_pes[p]` is the node of logical PE p; `logical_pe` is this node's PE. Throws ConfigError if the
  /// configuration does not fit.
  OsTask(const OsConfig& config, std::uint16_t logical_pe, std::vector<NodeId> nodes_of_pes);

  /// Allocates physical pages from `next` on, and advances `next` past them.
  void lay_out(const NodeTables& tables, std::uint64_t& next);
  /// Writes the task's entries of shared tables in memory, and its own tables.
  void write_tables(const NodeAccess& node) const;

  const OsConfig& config() const { return config_; }
  unsigned cid() const { return config_.cid; }
  const TaskMemory& layout() const { return task_; }
  const PhysicalLayout& physical() const { return physical_; }
  const AddressSpace& address_space() const { return space_; }

  using RegisterWrites = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  /// Writes that set the task's control-register set; the last write enables it with an empty queue.
  RegisterWrites set_registers() const;
  /// Address of the set's operating system page.
  std::uint64_t os_page() const { return nic::sender_os_base + config_.sender_set * nic::sender_set_stride; }

  /// Saved registers of the interface while another task uses them.
  struct Saved {
    std::uint64_t queue_state = 0;
    std::array<std::uint64_t, 3> address{}, read{};
  };
  Saved saved;

  /// Writes the table entry of a page that the interface did not find. Returns false if the page does not
  /// belong to the task.
  bool map_page(const NodeAccess& node, std::uint64_t address) const;

  /// The part of a multicast to one group of 64 nodes: contents of a parcel header.
  struct MulticastPart {
    std::uint16_t offset = 0;  ///< Offset in the multicast header table.
    std::uint32_t group = 0;
    std::uint64_t map = 0;
  };
  /// Writes multicast headers for these logical PEs, one for each group of 64 nodes that contains some, in
  /// the order of the groups. Existing equal headers are shared. Throws ModelError if the table is full or a
  /// PE does not exist.
  std::vector<MulticastPart> register_multicast(const NodeAccess& node,
                                                const std::vector<std::uint16_t>& pes);
  /// Undoes one registration; the last one of a header removes its entries from the table.
  void release_multicast(const NodeAccess& node, const std::vector<std::uint16_t>& offsets);
  /// Writes a synchronization header and returns its offset. Throws ModelError as register_multicast() does,
  /// and in systems of more than 64 nodes, which have no synchronization
  /// (scripts/handbook.d/rooms/crosspoint.md).
  std::uint16_t register_synchronization(const NodeAccess& node, const std::vector<std::uint16_t>& pes,
                                         std::uint8_t sid);
  void release_synchronization(const NodeAccess& node, std::uint16_t offset);
  /// Map of these PEs' nodes, all below node 64: the group key of a SidAllocator.
  std::uint64_t synchronization_map(const std::vector<std::uint16_t>& pes) const;

 private:
  void map_memory();
  void name_registers();
  bool translates(const AddressSpace::Segment& segment, std::uint64_t& page_table) const;
  void write_page_table(const NodeAccess& node, std::uint64_t table,
                        const AddressSpace::Segment& segment) const;
  void write_segments(const NodeAccess& node) const;
  void write_buffer_tables(const NodeAccess& node) const;
  void write_multicast(const NodeAccess& node, std::size_t offset) const;
  void write_synchronization(const NodeAccess& node, std::size_t offset) const;
  NodeId node_of(std::uint16_t pe) const;
  [[noreturn]] void fail(const std::string& what) const;

  OsConfig config_;
  std::vector<NodeId> nodes_of_pes_;
  TaskMemory task_;
  NodeTables tables_;
  PhysicalLayout physical_;
  AddressSpace space_;
  struct Multicast {
    nic::MulticastEntry entry;
    unsigned registrations = 0;
  };
  std::vector<Multicast> multicasts_;
  std::vector<nic::SynchronizationEntry> synchronizations_;
};

}  // namespace tsuji::host
