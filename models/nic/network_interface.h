#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <string>
#include <systemc>
#include <tlm>

#include "tsuji/link/clock_domain.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/nic/first_hop.h"
#include "tsuji/nic/nic_config.h"
#include "tsuji/nic/nic_counters.h"
#include "tsuji/nic/nic_observer.h"
#include "tsuji/nic/packet_check.h"
#include "tsuji/nic/receiver.h"
#include "tsuji/nic/sender.h"
#include "tsuji/observe/wave.h"

namespace tsuji::nic {

/// The Cenju-4 network interface (Kanoh 2000, sections 4 and 5): Sender and Receiver, which know nothing of
/// each other, and their registers as a TLM-2.0 target (registers.h).
///
/// Registers take aligned accesses of 8 bytes and answer at once: what an uncached access costs is the
/// processor's. Accesses come between two edges of the clock (from a processor half a period off), or at time
/// 0. Refused accesses get a TLM error response; a value of the operating system that breaks the interface
/// stops the run through ClockDomain::fail.
class NetworkInterface final : public sc_core::sc_module {
 public:
  sc_core::sc_port<PacketOutIf> network_out;
  sc_core::sc_port<PacketInIf> network_in;
  tlm::tlm_initiator_socket<> sender_memory;
  tlm::tlm_initiator_socket<> receiver_memory;
  tlm_utils::simple_target_socket<NetworkInterface> registers;

  /// Throws ConfigError. `first_hop` and `pool` outlive the module.
  NetworkInterface(sc_core::sc_module_name name, const NicConfig& config, ClockDomain& domain,
                   PacketPool& pool, NodeId node, const FirstHop& first_hop);

  const SenderCounters& sender_counters() const { return sender_.counters(); }
  const ReceiverCounters& receiver_counters() const { return receiver_.counters(); }
  /// Nothing to send and nothing received that is not written out yet; packets on the wires do not count.
  bool drained(Cycle now) const { return sender_.drained(now) && receiver_.drained(); }

  /// The processor's interrupt input; without one, what a task may not do stops the run.
  void set_interrupt_line(InterruptLine* line) { events_.set_line(line); }
  /// Null, the default, is no check / no observer.
  void set_check(PacketCheck* check) { receiver_.set_check(check); }
  void set_observer(NicObserver* observer) { receiver_.set_observer(observer); }
  /// Adds the signals "node<N>.nic.sender..." and "node<N>.nic.receiver..."; before the simulation starts.
  void add_wave(observe::Wave& wave);

 private:
  tlm::tlm_response_status write(std::uint64_t offset, std::uint64_t value);
  tlm::tlm_response_status read(std::uint64_t offset, std::uint64_t& value) const;
  tlm::tlm_response_status write_common(std::uint64_t offset, std::uint64_t value);
  tlm::tlm_response_status write_task(std::uint64_t offset, std::uint64_t value);
  tlm::tlm_response_status read_task(std::uint64_t offset, std::uint64_t& value) const;
  tlm::tlm_response_status write_event(std::uint64_t offset, std::uint64_t value);
  tlm::tlm_response_status read_event(std::uint64_t offset, std::uint64_t& value) const;
  tlm::tlm_response_status access(const tlm::tlm_generic_payload& payload);
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  void refuse_at_an_edge() const;

  ClockDomain& domain_;
  const NodeId node_;
  NicEvents events_;
  Sender sender_;
  Receiver receiver_;
};

}  // namespace tsuji::nic
