// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/link/response_queue.h"
#include "tsuji/nic/first_hop.h"
#include "tsuji/nic/nic_config.h"
#include "tsuji/nic/nic_counters.h"
#include "tsuji/nic/nic_observer.h"
#include "tsuji/nic/packet_check.h"
#include "tsuji/nic/receiver/receiver.h"
#include "tsuji/nic/sender/sender.h"
#include "tsuji/observe/wave.h"

namespace tsuji::nic {

/// The Cenju-4 network interface (Kanoh 2000, sections 4 and 5): Sender and Receiver, which are independent
/// except for ReplyPort, and their registers as a TLM-2.0 target (registers.h).
///
/// Registers respond without delay to any transport of the base protocol; the processor models the time of an
/// uncached access. An access is within one register or, with a streaming width, repeats one within a
/// register. It takes effect between two clock edges: an access at an edge takes effect right after it.
/// Refused accesses get a TLM error response. A value of the operating system that the interface cannot
/// accept ends the run through ClockDomain::fail. Debug transport reads all registers and writes those that
/// only hold a value.
class NetworkInterface final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "network interface (Kanoh 2000, section 4)"; }
  sc_core::sc_port<PacketOutIf> network_out;
  sc_core::sc_port<PacketInIf> network_in;
  tlm::tlm_initiator_socket<> sender_memory;
  tlm::tlm_initiator_socket<> receiver_memory;
  using RegisterSocket = tlm_utils::passthrough_target_socket_tagged<NetworkInterface>;
  RegisterSocket registers;
  /// Adds a register socket for one more initiator: "socket" of a module named `name` in the module under
  /// construction. Call it before the simulation starts.
  RegisterSocket& add_registers(const char* name);

  /// Throws ConfigError. `first_hop` and `pool` must outlive the module.
  NetworkInterface(sc_core::sc_module_name name, const NicConfig& config, ClockDomain& domain,
                   PacketPool& pool, NodeId node, const FirstHop& first_hop);

  const SenderCounters& sender_counters() const { return sender_.counters(); }
  const ReceiverCounters& receiver_counters() const { return receiver_.counters(); }
  /// Number of packets that the Receiver has taken from the network and has not counted yet.
  unsigned packets_in_receiver() const { return receiver_.held(); }
  /// True if there is nothing to send and everything received has been written to memory; packets on the
  /// links do not count.
  bool drained(Cycle now) const { return sender_.drained(now) && receiver_.drained(); }

  /// Sets the processor's interrupt input; without one, a violation by a task ends the run.
  void set_interrupt_line(InterruptLine* line) { events_.set_line(line); }
  /// Sets the check or the observer; null, the default: none.
  void set_check(PacketCheck* check) { receiver_.set_check(check); }
  /// Sets another builder of packets, which must outlive the interface, before the first packet.
  void set_builder(PacketBuilder& builder) { sender_.set_builder(builder); }
  void set_observer(NicObserver* observer) { receiver_.set_observer(observer); }
  NicObserver* observer() const { return receiver_.observer(); }
  /// Adds the signals "node<N>.nic.sender..." and "node<N>.nic.receiver...". Call it before the simulation
  /// starts; several waves may have the signals.
  void add_wave(observe::Wave& wave);

 private:
  struct Further final : sc_core::sc_module {
    explicit Further(sc_core::sc_module_name name) : sc_module(name), socket("socket") {}
    RegisterSocket socket;
  };

  tlm::tlm_response_status write(std::uint64_t offset, std::uint64_t value);
  tlm::tlm_response_status read(std::uint64_t offset, std::uint64_t& value) const;
  tlm::tlm_response_status write_common(std::uint64_t offset, std::uint64_t value);
  tlm::tlm_response_status write_task(std::uint64_t offset, std::uint64_t value);
  tlm::tlm_response_status read_task(std::uint64_t offset, std::uint64_t& value) const;
  tlm::tlm_response_status write_event(std::uint64_t offset, std::uint64_t value);
  tlm::tlm_response_status read_event(std::uint64_t offset, std::uint64_t& value) const;
  tlm::tlm_response_status access(const tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status access_parts(const tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status access_part(const tlm::tlm_generic_payload& payload, unsigned done,
                                       unsigned count);
  void serve(tlm::tlm_generic_payload& payload);
  void join(RegisterSocket& socket, const char* queue);
  void b_transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& time);
  tlm::tlm_sync_enum nb_transport_fw(int id, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time);
  unsigned transport_dbg(int id, tlm::tlm_generic_payload& payload);
  unsigned debug(bool write, std::uint64_t address, unsigned char* data, unsigned count);
  bool at_an_edge() const;

  ClockDomain& domain_;
  const NodeId node_;
  NicEvents events_;
  Sender sender_;
  Receiver receiver_;
  std::vector<std::unique_ptr<Further>> further_;
  std::vector<std::unique_ptr<ResponseQueue>> responses_;  ///< [register socket]: responses to its accesses
};

}  // namespace tsuji::nic
