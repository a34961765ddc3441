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

/// The operating system's part on one node (rooms/host.md, Where the paper is silent, 6): lays out memory,
/// builds the tables of fig. 4 and sets the network interface's registers before the first parcel; afterwards
/// writes header-table entries for tasks, answers the network interface's interrupts and gives the processor
/// to the tasks in turn. What a task asks for reaches it through Cpu::system_call, which costs that call's
/// time; interrupts and task switches cost the processor's and the agent's own.
class OsAgent final : public InterruptHandler {
 public:
  std::string stands_for() const {
    return "the operating system's part (Kanoh 2000, sections 5.2 and 5.3): software";
  }
  /// Of each node's queue for replies, the largest that there is: 2,047 headers.
  static constexpr std::uint64_t reply_queue_bytes = 64 << 10;
  /// Requests without a reply that each of so many Senders may have, of `wanted`, so that no reply queue
  /// overruns even if all ask one node.
  static unsigned outstanding_requests(unsigned nodes, unsigned wanted);

  /// Tasks of one node, of different cids. ConfigError if they do not fit into `memory_bytes`.
  OsAgent(std::vector<OsTask> tasks, std::uint64_t memory_bytes);
  /// One task, as for OsTask.
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
  /// Called with the physical address of the first request of a half that memory answered with an error.
  /// Null, the default: that is a ModelError.
  void set_memory_error_handler(std::function<void(bool sender, std::uint64_t address)> handler) {
    on_memory_error_ = std::move(handler);
  }
  /// For each page that a task meets on demand.
  void set_page_fault_cycles(Cycle cycles) { page_fault_cycles_ = cycles; }
  /// For each task switch, beside its register accesses.
  void set_task_switch_cycles(Cycle cycles) { task_switch_cycles_ = cycles; }
  /// Pages that were mapped on demand.
  std::uint64_t page_faults() const { return page_faults_; }
  void interrupt(Cpu& cpu) override;
  /// The tasks have the processor in turn, a time slice each.
  unsigned schedule(Cpu& cpu, unsigned present, const std::vector<bool>& runnable) override;

  unsigned tasks() const { return static_cast<unsigned>(tasks_.size()); }
  const TaskMemory& layout(unsigned task = 0) const { return tasks_[task].layout(); }
  const NodeTables& tables_in_memory() const { return tables_; }
  const PhysicalLayout& physical(unsigned task = 0) const { return tasks_[task].physical(); }
  const AddressSpace& address_space(unsigned task = 0) const { return tasks_[task].address_space(); }

  // For task `task`, as in OsTask.
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
  std::array<OsTask*, nic::sender_sets> loaded_{};  ///< whose queues the control-register sets have
  std::function<void(const Offence&)> on_offence_;
  std::function<void(bool, std::uint64_t)> on_memory_error_;
  Cycle page_fault_cycles_ = 0, task_switch_cycles_ = 0;
  std::uint64_t page_faults_ = 0;
};

}  // namespace tsuji::host
