#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tlm>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/host/address_space.h"
#include "tsuji/host/cpu.h"
#include "tsuji/nic/event_causes.h"
#include "tsuji/nic/registers.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {

/// When the network interface finds the pages of a task's heap and buffers in its tables.
enum class Paging : std::uint8_t { present, on_demand };

/// Resources that the operating system gives the one parallel task of a machine on each of its nodes.
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

/// Where the operating system put things in a node's main memory.
struct PhysicalLayout {
  std::uint64_t segment_table = 0, buffer_table = 0, buffer_limit_table = 0;
  std::uint64_t node_table = 0, multicast_table = 0, synchronization_table = 0;
  std::uint64_t heap_page_table = 0, buffer_page_table = 0;
  std::uint64_t synchronization_counters = 0, queue = 0;
  std::uint64_t buffers = 0, heap = 0;
  std::uint64_t reply_notifications = 0, reply_page_table = 0, reply_queue = 0, end = 0;
};

/// The operating system's part on one node (README.md, Where the paper is silent, 6): lays out memory, builds
/// the tables of fig. 4 and sets the network interface's registers before the first parcel; afterwards writes
/// header-table entries for tasks. It takes no time itself: a task reaches it through Cpu::system_call, which
/// costs that call's time. Interrupts of the network interface cost the processor's and the agent's own.
class OsAgent final : public InterruptHandler {
 public:
  static constexpr std::uint64_t heap_base = 0x10000000;  ///< logical address of the task's heap
  static constexpr std::uint64_t max_heap_bytes = 0x10000000;
  /// Larger systems have no synchronization (models/crosspoint/README.md).
  static constexpr unsigned most_synchronizing_nodes = 64;
  /// Of each node's queue for replies, the largest that there is: 2,047 headers.
  static constexpr std::uint64_t reply_queue_bytes = 64 << 10;
  /// Requests without a reply that each of so many Senders may have, of `wanted`, so that no reply queue
  /// overruns even if all ask one node.
  static unsigned outstanding_requests(unsigned nodes, unsigned wanted);

  /// `nodes_of_pes[p]` is the node on which logical PE p runs; `logical_pe` is this node's. ConfigError if
  /// the configuration does not fit, also into `memory_bytes`.
  OsAgent(const OsConfig& config, std::uint16_t logical_pe, std::vector<NodeId> nodes_of_pes,
          std::uint64_t memory_bytes);

  /// Once, before the first parcel: `memory` is the memory controller (or the memory) of the node, written by
  /// debug transport, `registers` its network interface, written by b_transport, whose time is ignored.
  void boot(tlm::tlm_fw_transport_if<>& memory, tlm::tlm_fw_transport_if<>& registers);

  /// An action of a task that the interface has refused.
  struct Offence {
    nic::Violation cause = nic::Violation::none;
    unsigned cid = 0;
    bool sent = false;        ///< by this node's Sender, else received
    unsigned place = 0;       ///< control-register set; or buffer: 0, 1 message, 2 log
    std::uint64_t count = 0;  ///< as many as this; those behind the first may have other causes
    std::string detail;
  };
  /// Null, the default: an offence is a ModelError.
  void set_offence_handler(std::function<void(const Offence&)> handler) { on_offence_ = std::move(handler); }
  /// For each page that a task meets on demand.
  void set_page_fault_cycles(Cycle cycles) { page_fault_cycles_ = cycles; }
  /// Pages that were mapped on demand.
  std::uint64_t page_faults() const { return page_faults_; }
  void interrupt(Cpu& cpu) override;

  const TaskMemory& layout() const { return task_; }
  const PhysicalLayout& physical() const { return physical_; }
  const AddressSpace& address_space() const { return space_; }

  /// A multicast reaches one group of 64 nodes: what to put into a parcel header for it.
  struct MulticastPart {
    std::uint16_t offset = 0;  ///< in the multicast header table
    std::uint32_t group = 0;
    std::uint64_t map = 0;
  };
  /// Writes multicast headers for these logical PEs, one for each group of 64 nodes that they lie in, in the
  /// order of the groups. Headers that are there already are shared. ModelError if the table is full or a PE
  /// does not exist.
  std::vector<MulticastPart> register_multicast(const std::vector<std::uint16_t>& pes);
  /// Writes a synchronization header; the answer is its offset. ModelError as above, and in systems of more
  /// than 64 nodes, which have no synchronization (models/crosspoint/README.md).
  std::uint16_t register_synchronization(const std::vector<std::uint16_t>& pes, std::uint8_t sid);
  /// The map of these PEs' nodes, which all lie below node 64: the group key of a SidAllocator.
  std::uint64_t synchronization_map(const std::vector<std::uint16_t>& pes) const;

 private:
  void lay_out(std::uint64_t memory_bytes);
  void map_task();
  void access_memory(tlm::tlm_command command, std::uint64_t address, std::uint64_t* words,
                     std::size_t count) const;
  void write_words(std::uint64_t address, const std::uint64_t* words, std::size_t count);
  void write_word(std::uint64_t address, std::uint64_t word) { write_words(address, &word, 1); }
  void write_register(std::uint64_t offset, std::uint64_t value);
  bool translates(const AddressSpace::Segment& segment, std::uint64_t& page_table) const;
  void answer_fault(Cpu& cpu, std::uint64_t state, std::uint64_t address);
  bool map_page(std::uint64_t address);
  void take_refusal(Cpu& cpu, std::uint64_t offset, bool sent);
  std::string header_detail(Cpu& cpu, unsigned set) const;
  void write_page_table(std::uint64_t table, const AddressSpace::Segment& segment);
  void write_tables();
  void write_buffer_tables();
  void program_registers();
  NodeId node_of(std::uint16_t pe) const;
  [[noreturn]] void fail(const std::string& what) const;

  const OsConfig config_;
  const std::vector<NodeId> nodes_of_pes_;
  TaskMemory task_;
  PhysicalLayout physical_;
  AddressSpace space_;
  tlm::tlm_fw_transport_if<>* memory_ = nullptr;
  tlm::tlm_fw_transport_if<>* registers_ = nullptr;
  std::vector<nic::MulticastEntry> multicasts_;
  std::vector<nic::SynchronizationEntry> synchronizations_;
  std::function<void(const Offence&)> on_offence_;
  Cycle page_fault_cycles_ = 0;
  std::uint64_t page_faults_ = 0;
};

}  // namespace tsuji::host
