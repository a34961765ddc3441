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

/// When the network interface finds the pages of a task's heap and buffers in its tables.
enum class Paging : std::uint8_t { present, on_demand };

/// Resources that the operating system gives a parallel task on each of its nodes.
struct OsConfig {
  std::uint8_t cid = 1;
  unsigned sender_set = nic::first_user_set;       ///< control-register set: 2 or 3
  std::uint32_t queue_bytes = 16 << 10;            ///< parcel header queue: 4096..65536, a power of two
  std::uint64_t message_buffer0_bytes = 64 << 10;  ///< multiples of 128; 0: none
  std::uint64_t message_buffer1_bytes = 64 << 10;
  std::uint64_t log_buffer_bytes = 16 << 10;
  std::uint64_t heap_bytes = 4 << 20;  ///< a multiple of 4096
  unsigned multicast_entries = 64;     ///< of the multicast header table, 1..4096
  unsigned synchronization_entries = 128;
  PagePlacement placement = PagePlacement::scattered;  ///< of heap and buffers
  Paging paging = Paging::present;
  double page_fault_ns =
      20000;              ///< on demand: to find a page and write its entry, behind the interrupt; ours
  void validate() const;  ///< throws ConfigError
};

/// A task's addresses on its node. Addresses are logical; registers are offsets of nic/registers.h.
struct TaskMemory {
  struct Buffer {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< 0: it does not exist
  };
  std::uint8_t cid = 0;
  std::uint16_t logical_pe = 0;
  std::uint16_t pes = 0;
  Buffer queue;  ///< parcel headers, nic::ParcelHeader::bytes each
  std::uint64_t queue_write_register = 0;
  std::uint64_t queue_read_register = 0;
  std::uint64_t buffer_entry = 0;  ///< this task's entry of the buffer table, read only
  Buffer message[2];
  Buffer log;
  std::uint64_t message_read_register[2] = {0, 0};
  std::uint64_t log_read_register = 0;
  std::uint64_t address_register[3] = {0, 0, 0};
  std::uint64_t synchronization_counters = 0;  ///< 128 counters of 8 bytes, read only
  std::uint64_t reply_notifications = 0;       ///< 64 nic::ReplyNotification, one a rrid
  Buffer heap;
};

/// Where the operating system put what all tasks of a node share in its main memory.
struct NodeTables {
  std::uint64_t segment_table = 0, buffer_table = 0, buffer_limit_table = 0;
  std::uint64_t reply_queue = 0, end = 0;
};

/// Where it put what is one task's.
struct PhysicalLayout {
  std::uint64_t node_table = 0, multicast_table = 0, synchronization_table = 0;
  std::uint64_t heap_page_table = 0, buffer_page_table = 0;
  std::uint64_t synchronization_counters = 0, queue = 0;
  std::uint64_t buffers = 0, heap = 0;
  std::uint64_t reply_notifications = 0, reply_page_table = 0;
};

/// A parallel task's part on one node, as the operating system keeps it: where its memory lies, its tables,
/// and what the network interface holds for it while it has the processor or a control-register set.
class OsTask {
 public:
  static constexpr std::uint64_t heap_base = 0x10000000;  ///< logical address of the task's heap
  static constexpr std::uint64_t max_heap_bytes = 0x10000000;
  /// Larger systems have no synchronization (rooms/crosspoint.md).
  static constexpr unsigned most_synchronizing_nodes = 64;

  /// `nodes_of_pes[p]` is the node on which logical PE p runs; `logical_pe` is this node's. ConfigError if
  /// the configuration does not fit.
  OsTask(const OsConfig& config, std::uint16_t logical_pe, std::vector<NodeId> nodes_of_pes);

  /// Takes pages from `next` on, which is moved behind them.
  void lay_out(const NodeTables& tables, std::uint64_t& next);
  /// Its entries of the tables in memory, and its own tables.
  void write_tables(const NodeAccess& node) const;

  const OsConfig& config() const { return config_; }
  unsigned cid() const { return config_.cid; }
  const TaskMemory& layout() const { return task_; }
  const PhysicalLayout& physical() const { return physical_; }
  const AddressSpace& address_space() const { return space_; }

  using RegisterWrites = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  /// Its control-register set, register by register; the last write switches it on, with an empty queue.
  RegisterWrites set_registers() const;
  /// The set's page of the operating system.
  std::uint64_t os_page() const { return nic::sender_os_base + config_.sender_set * nic::sender_set_stride; }

  /// The interface's registers while others have them.
  struct Saved {
    std::uint64_t queue_state = 0;
    std::array<std::uint64_t, 3> address{}, read{};
  };
  Saved saved;

  /// Writes the entry of a page that the interface did not find. False: the page is none of the task's.
  bool map_page(const NodeAccess& node, std::uint64_t address) const;

  /// A multicast reaches one group of 64 nodes: what to put into a parcel header for it.
  struct MulticastPart {
    std::uint16_t offset = 0;  ///< in the multicast header table
    std::uint32_t group = 0;
    std::uint64_t map = 0;
  };
  /// Writes multicast headers for these logical PEs, one for each group of 64 nodes that they lie in, in the
  /// order of the groups. Headers that are there already are shared. ModelError if the table is full or a PE
  /// does not exist.
  std::vector<MulticastPart> register_multicast(const NodeAccess& node,
                                                const std::vector<std::uint16_t>& pes);
  /// Undoes one registration; the last one's takes the entries out of the table.
  void release_multicast(const NodeAccess& node, const std::vector<std::uint16_t>& offsets);
  /// Writes a synchronization header; the answer is its offset. ModelError as above, and in systems of more
  /// than 64 nodes, which have no synchronization (rooms/crosspoint.md).
  std::uint16_t register_synchronization(const NodeAccess& node, const std::vector<std::uint16_t>& pes,
                                         std::uint8_t sid);
  void release_synchronization(const NodeAccess& node, std::uint16_t offset);
  /// The map of these PEs' nodes, which all lie below node 64: the group key of a SidAllocator.
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
