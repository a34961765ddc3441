// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <tlm>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/host/cpu.h"
#include "tsuji/host/node_access.h"
#include "tsuji/host/os_task.h"
#include "tsuji/nic/event_causes.h"
#include "tsuji/nic/registers.h"

namespace tsuji::host {

/// The operating system's agent on one node (rooms/host.md, Where the paper is silent, 6). At boot it lays
/// out memory, builds the tables of fig. 4 and sets the network interface's registers. Afterwards it writes
/// header-table entries for tasks, handles the network interface's interrupts and schedules the tasks.
/// Requests of a task reach it through Cpu::system_call(), which takes the time of that call; interrupts and
/// task switches take the processor's and the agent's own times.
class OsAgent final : public InterruptHandler {
 public:
  std::string stands_for() const {
    return "the operating system's part (Kanoh 2000, sections 5.2 and 5.3): software";
  }
  /// Size of each node's queue for replies, the largest possible: 2,047 headers.
  static constexpr std::uint64_t reply_queue_bytes = 64 << 10;
  /// Number of requests without a reply that each of `nodes` Senders may have: at most `wanted`, limited so
  /// that no reply queue overflows even if all nodes send requests to one node.
  static unsigned outstanding_requests(unsigned nodes, unsigned wanted);

  /// Constructs the agent of a node with several tasks of different cids. Throws ConfigError if they do not
  /// fit into `memory_bytes`.
  OsAgent(std::vector<OsTask> tasks, std::uint64_t memory_bytes);
  /// Constructs the agent of a node with one task; arguments as for OsTask.
  OsAgent(const OsConfig& config, std::uint16_t logical_pe, std::vector<NodeId> nodes_of_pes,
          std::uint64_t memory_bytes);

  /// Initializes the node; called once, before the first parcel. `memory` is the node's memory controller (or
  /// memory), written by debug transport; `registers` is its network interface, written by b_transport, whose
  /// time is ignored.
  void boot(tlm::tlm_fw_transport_if<>& memory, tlm::tlm_fw_transport_if<>& registers);

  /// An action of a task that the network interface has refused.
  struct Offence {
    nic::Violation cause = nic::Violation::none;
    unsigned cid = 0;
    bool sent = false;   ///< Refused by this node's Sender; otherwise by its Receiver.
    unsigned place = 0;  ///< Control-register set, or buffer: 0 and 1 are the message buffers, 2 is the log.
    std::uint64_t count = 0;  ///< Number of refusals; refusals after the first may have other causes.
    std::string detail;
  };
  /// Sets the handler of offences; null, the default: an offence is a ModelError.
  void set_offence_handler(std::function<void(const Offence&)> handler) { on_offence_ = std::move(handler); }
  /// Sets the handler that is called with the physical address of the first request of a half that memory
  /// answered with an error; null, the default: such an error is a ModelError.
  void set_memory_error_handler(std::function<void(bool sender, std::uint64_t address)> handler) {
    on_memory_error_ = std::move(handler);
  }
  /// Sets the time for each page that a task maps on demand.
  void set_page_fault_cycles(Cycle cycles) { page_fault_cycles_ = cycles; }
  /// Sets the time for each task switch, in addition to its register accesses.
  void set_task_switch_cycles(Cycle cycles) { task_switch_cycles_ = cycles; }
  /// Number of pages mapped on demand.
  std::uint64_t page_faults() const { return page_faults_; }
  void interrupt(Cpu& cpu) override;
  /// Schedules the tasks round-robin, one time slice each.
  unsigned schedule(Cpu& cpu, unsigned present, const std::vector<bool>& runnable) override;

  unsigned tasks() const { return static_cast<unsigned>(tasks_.size()); }
  const TaskMemory& layout(unsigned task = 0) const { return tasks_[task].layout(); }
  const OsConfig& config(unsigned task = 0) const { return tasks_[task].config(); }
  const NodeTables& tables_in_memory() const { return tables_; }
  const PhysicalLayout& physical(unsigned task = 0) const { return tasks_[task].physical(); }
  const AddressSpace& address_space(unsigned task = 0) const { return tasks_[task].address_space(); }

  // Services for task `task`; see OsTask.
  std::vector<OsTask::MulticastPart> register_multicast(const std::vector<std::uint16_t>& pes,
                                                        unsigned task = 0) {
    return tasks_[task].register_multicast(node_, pes);
  }
  void release_multicast(const std::vector<std::uint16_t>& offsets, unsigned task = 0) {
    tasks_[task].release_multicast(node_, offsets);
  }
  std::uint16_t register_synchronization(const std::vector<std::uint16_t>& pes, std::uint8_t sid,
                                         unsigned task = 0) {
    return tasks_[task].register_synchronization(node_, pes, sid);
  }
  void release_synchronization(std::uint16_t offset, unsigned task = 0) {
    tasks_[task].release_synchronization(node_, offset);
  }
  std::uint64_t synchronization_map(const std::vector<std::uint16_t>& pes, unsigned task = 0) const {
    return tasks_[task].synchronization_map(pes);
  }

 private:
  void lay_out(std::uint64_t memory_bytes);
  void program_registers();
  OsTask* task_of(unsigned cid);
  bool in_its_set(const OsTask& task) const { return loaded_[task.config().sender_set] == &task; }
  void answer_fault(Cpu& cpu, std::uint64_t state, std::uint64_t address);
  void take_refusal(Cpu& cpu, std::uint64_t offset, bool sent);
  void take_memory_error(Cpu& cpu, std::uint64_t offset, bool sender);
  void tell_absent(const Offence& offence);
  std::string header_detail(Cpu& cpu, unsigned set) const;
  void exchange_receiver(Cpu& cpu, OsTask& from, const OsTask& to) const;
  void exchange_set(Cpu& cpu, OsTask& to);

  std::vector<OsTask> tasks_;
  NodeTables tables_;
  NodeAccess node_;
  /// Tasks whose queues are loaded in the control-register sets.
  std::array<OsTask*, nic::sender_sets> loaded_{};
  std::function<void(const Offence&)> on_offence_;
  std::function<void(bool, std::uint64_t)> on_memory_error_;
  Cycle page_fault_cycles_ = 0, task_switch_cycles_ = 0;
  std::uint64_t page_faults_ = 0;
};

}  // namespace tsuji::host
