#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "tsuji/fabric/cenju4/cenju4_config.h"
#include "tsuji/fabric/cenju4/packet_checker.h"
#include "tsuji/fabric/cenju4/task_services.h"
#include "tsuji/host/memory.h"
#include "tsuji/host/memory_controller.h"
#include "tsuji/host/os_agent.h"
#include "tsuji/host/processor.h"
#include "tsuji/host/sid_allocator.h"
#include "tsuji/nic/first_hop.h"
#include "tsuji/nic/network_interface.h"

namespace tsuji::fabric {

/// One node of a Cenju-4 (Kanoh 2000, section 2): processor with its cache, memory behind its controller,
/// network interface, and the operating system's part, which has booted when the node is made.
class Cenju4Node final : public sc_core::sc_module {
 public:
  /// One of `nodes`.
  Cenju4Node(sc_core::sc_module_name name, const Cenju4Config& config,
             std::unique_ptr<nic::FirstHop> first_hop, unsigned nodes, ClockDomain& clock,
             ClockDomain& host_clock, PacketPool& pool, host::SidAllocator& sids, NodeId node);

  nic::NetworkInterface& interface() { return nic_; }
  const nic::NetworkInterface& interface() const { return nic_; }
  host::Processor& processor() { return processor_; }
  const host::Processor& processor() const { return processor_; }
  host::OsAgent& os() { return os_; }
  const host::OsAgent& os() const { return os_; }
  const host::MemoryController& controller() const { return controller_; }
  host::MemoryController& controller() { return controller_; }
  /// Tasks on this node, one of each job that has a rank here.
  unsigned tasks() const { return static_cast<unsigned>(tasks_.size()); }
  /// Where the library's areas lie for a task.
  const host::TaskLayout& layout(unsigned task = 0) const { return tasks_[task]->layout; }
  host::OsServices& services(unsigned task = 0) { return tasks_[task]->services; }

 private:
  struct Task {
    host::TaskLayout layout;
    TaskServices services;
  };
  void start_of_simulation() override;

  const std::unique_ptr<nic::FirstHop> first_hop_;
  PacketChecker checker_;
  host::Memory memory_;
  host::MemoryController controller_;
  host::Processor processor_;
  nic::NetworkInterface nic_;
  host::OsAgent os_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace tsuji::fabric
