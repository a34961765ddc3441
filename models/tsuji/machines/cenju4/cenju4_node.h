// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/core/described.h"
#include "tsuji/host/memory.h"
#include "tsuji/host/memory_controller.h"
#include "tsuji/host/os_agent.h"
#include "tsuji/host/processor.h"
#include "tsuji/host/sid_allocator.h"
#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/machines/cenju4/node_parts.h"
#include "tsuji/machines/cenju4/packet_checker.h"
#include "tsuji/machines/cenju4/task_services.h"
#include "tsuji/nic/first_hop.h"
#include "tsuji/nic/interface/network_interface.h"

namespace tsuji::machines {

/// Node of a Cenju-4 (Kanoh 2000, section 2): processor with cache, memory with its controller, network
/// interface, and the operating system's agent, which boots before the simulation starts. The processor may
/// be a custom one, and further initiators may be added (node_parts.h).
class Cenju4Node final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "node (Kanoh 2000, section 2)"; }
  void add_parts(PartList& parts) const override { parts.add("os", os_); }

  /// Node number `node` of a machine with `nodes` nodes.
  Cenju4Node(sc_core::sc_module_name name, const Cenju4Config& config,
             std::unique_ptr<nic::FirstHop> first_hop, unsigned nodes, ClockDomain& clock,
             ClockDomain& host_clock, PacketPool& pool, host::SidAllocator& sids, NodeId node);

  nic::NetworkInterface& interface() { return nic_; }
  const nic::NetworkInterface& interface() const { return nic_; }
  /// The library's processor; null if a custom part replaces it.
  const host::Processor* own_processor() const { return processor_.get(); }
  /// The library's processor. Throws ModelError if a custom part replaces it.
  host::Processor& processor();
  const host::Processor& processor() const { return const_cast<Cenju4Node*>(this)->processor(); }
  host::OsAgent& os() { return os_; }
  const host::OsAgent& os() const { return os_; }
  /// The node's main memory.
  const host::Memory& memory() const { return memory_; }
  const host::MemoryController& controller() const { return controller_; }
  host::MemoryController& controller() { return controller_; }
  /// Number of tasks on this node, one for each job with a rank here.
  unsigned tasks() const { return static_cast<unsigned>(tasks_.size()); }
  /// Layout of the library's areas of a task.
  const host::TaskLayout& layout(unsigned task = 0) const { return tasks_[task]->layout; }
  host::OsServices& services(unsigned task = 0) { return tasks_[task]->services; }
  /// Waits of custom parts, one line each.
  std::vector<std::string> foreign_waits() const;

 private:
  struct Task {
    host::TaskLayout layout;
    TaskServices services;
  };
  /// Custom part, and its connections, which outlive it.
  struct Foreign {
    std::unique_ptr<NodeSockets> sockets;
    std::unique_ptr<sc_core::sc_module> module;
  };
  void start_of_simulation() override;
  void bind_sockets();
  void join_processor(const Cenju4Config& config, unsigned nodes, host::SidAllocator& sids);
  void add_foreign(const std::string& part, bool in_processors_place, const NodePart& make);

  const NodeId node_;
  const SocketBinder bind_;
  const std::unique_ptr<nic::FirstHop> first_hop_;
  PacketChecker checker_;
  /// Parts of the network interface that replace the library's; null: none.
  const std::unique_ptr<nic::PacketBuilder> builder_;
  const std::unique_ptr<nic::PacketCheck> check_;
  host::Memory memory_;
  host::MemoryController controller_;
  std::unique_ptr<host::Processor> processor_;  ///< null: a custom part replaces it
  nic::NetworkInterface nic_;
  host::OsAgent os_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<Foreign> foreign_;
};

}  // namespace tsuji::machines
