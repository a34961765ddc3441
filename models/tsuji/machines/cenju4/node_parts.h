// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "tsuji/host/memory_controller.h"
#include "tsuji/host/os_agent.h"
#include "tsuji/link/interrupt_line.h"
#include "tsuji/link/width_adapter.h"
#include "tsuji/nic/interface/network_interface.h"

namespace tsuji::machines {

/// Binds two sockets of a node, directly or through a monitor. `name` is the initiator's part and socket, for
/// example "processor.memory".
using SocketBinder = std::function<void(const std::string& name, tlm::tlm_base_initiator_socket<>&,
                                        tlm::tlm_base_target_socket<>&)>;

/// Connections that a node offers to a custom part: targets for its initiator sockets, the interrupt, the
/// boot and the report of a wait. Exists as long as the node.
class NodeSockets {
 public:
  /// `in_processors_place`: the part replaces the processor; its first memory socket uses the processor's
  /// port.
  NodeSockets(std::string part, NodeId node, bool in_processors_place, host::MemoryController& controller,
              nic::NetworkInterface& interface, const host::OsAgent& os, const SocketBinder& bind);

  /// Number of the node.
  NodeId node() const { return node_; }
  /// Layout of memory and tables, which the operating system's part has loaded before boot.
  const host::OsAgent& os() const { return os_; }

  /// Binds an initiator socket of any BUSWIDTH to the memory controller, with a separate port whose priority
  /// is below those bound before.
  template <unsigned Width, int N, sc_core::sc_port_policy Policy>
  void bind_memory(tlm::tlm_base_initiator_socket<Width, tlm::tlm_fw_transport_if<>,
                                                  tlm::tlm_bw_transport_if<>, N, Policy>& socket) {
    join_wide<Width>(socket, memory_target(), "memory");
  }
  /// Binds an initiator socket of 32 bits to the memory controller.
  void bind_memory(tlm::tlm_base_initiator_socket<>& socket) { join(socket, memory_target(), "memory"); }
  /// Binds an initiator socket of any BUSWIDTH to the registers of the network interface (nic/registers.h).
  template <unsigned Width, int N, sc_core::sc_port_policy Policy>
  void bind_registers(tlm::tlm_base_initiator_socket<Width, tlm::tlm_fw_transport_if<>,
                                                     tlm::tlm_bw_transport_if<>, N, Policy>& socket) {
    join_wide<Width>(socket, register_target(), "registers");
  }
  /// Binds an initiator socket of 32 bits to the registers.
  void bind_registers(tlm::tlm_base_initiator_socket<>& socket) {
    join(socket, register_target(), "registers");
  }
  /// Sets the receiver of the network interface's interrupt. Only for the part that replaces the processor.
  void set_interrupt(InterruptLine& line);
  /// Sets the cache that the memory controller snoops. Only for the part that replaces the processor.
  void bind_cache(host::CacheSnoop& cache);
  /// Sets a function that is called before the simulation starts, after the operating system has loaded its
  /// tables.
  void on_boot(std::function<void()> boot) { boot_ = std::move(boot); }
  /// Sets a function that returns, when the simulation makes no progress, one line about what the part waits
  /// for; empty: the part has ended.
  void set_waiting_report(std::function<std::string()> report) { report_ = std::move(report); }

  /// Calls the function of on_boot(). Only for the node.
  void boot() const {
    if (boot_) boot_();
  }
  /// The report of set_waiting_report(); empty: none is set. Only for the node.
  std::string waiting() const { return report_ ? report_() : std::string(); }
  /// Throws ModelError unless each socket of a part that replaces the processor is bound.
  void check_processors_place() const;

 private:
  tlm::tlm_base_target_socket<>& memory_target();
  tlm::tlm_base_target_socket<>& register_target();
  void join(tlm::tlm_base_initiator_socket<>& socket, tlm::tlm_base_target_socket<>& target,
            const std::string& kind) {
    bind_(part_ + "." + kind, socket, target);
  }
  template <unsigned Width, typename Socket>
  void join_wide(Socket& socket, tlm::tlm_base_target_socket<>& target, const std::string& kind) {
    constexpr unsigned own_width = 32;
    auto adapter = std::make_unique<WidthAdapter<Width, own_width>>(
        sc_core::sc_gen_unique_name((part_ + "_" + kind + "_width").c_str()));
    socket.bind(adapter->from_initiator);
    join(adapter->to_target, target, kind);
    adapters_.push_back(std::move(adapter));
  }

  const std::string part_;
  const NodeId node_;
  const bool in_processors_place_;
  host::MemoryController& controller_;
  nic::NetworkInterface& interface_;
  const host::OsAgent& os_;
  const SocketBinder& bind_;
  unsigned memory_sockets_ = 0, register_sockets_ = 0;
  std::function<void()> boot_;
  std::function<std::string()> report_;
  std::vector<std::unique_ptr<sc_core::sc_module>> adapters_;
};

/// Makes a module within a node and binds its sockets. The node owns the module.
using NodePart = std::function<std::unique_ptr<sc_core::sc_module>(NodeSockets&)>;

/// Custom parts of nodes.
struct NodeParts {
  /// Replacement of the library's processor, without programs; null: the library's processor.
  NodePart processor;
  /// Further initiators (a DMA engine, an accelerator), in the order of their priority after the processor.
  std::vector<NodePart> initiators;
  /// Replacement of the builder of packets of a node's interface; null, or a null part: the library's.
  std::function<std::unique_ptr<nic::PacketBuilder>(NodeId, const nic::PacketSizes&)> builder;
  /// Replacement of the check of packets that arrive at a node; null, or a null part: the library's.
  std::function<std::unique_ptr<nic::PacketCheck>(NodeId, PacketPool&)> check;
  /// Binder of all sockets of a node; null: sockets are bound directly.
  SocketBinder bind;
};

}  // namespace tsuji::machines
