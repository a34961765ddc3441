// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "tsuji/core/described.h"
#include "tsuji/link/interrupt_line.h"
#include "tsuji/link/response_queue.h"

namespace tsuji::nic {

/// The interrupts of a network interface for a processor of another supplier: a level on a wire, and
/// registers of 32 bits for status, enable and clear (`interrupt_unit` in interface.yaml). The wire is up
/// while an event is pending and enabled; which events there are is NicEvent.
///
/// The unit accesses the interface's event registers, which software may also access itself. An access of
/// `socket` lies within one register and is blocking, non-blocking or debug; its time is that of the access
/// to the interface. Non-blocking requests are served one after the other, in the order of their times.
///
/// Contract: set_interrupt_line(unit) or NodeSockets::set_interrupt(unit), and `registers` bound to a
/// register socket of the same interface, before the simulation starts. `irq` may stay unbound.
class InterruptUnit final : public sc_core::sc_module, public InterruptLine, public Described {
 public:
  std::string stands_for() const override { return "interrupt controller of a virtual platform"; }
  /// A unit whose wire is low.
  explicit InterruptUnit(sc_core::sc_module_name name);

  /// True while an event is pending and enabled.
  sc_core::sc_out<bool> irq;
  /// Target: registers of the unit.
  tlm_utils::passthrough_target_socket<InterruptUnit> socket;
  /// Initiator: registers of the network interface.
  tlm_utils::simple_initiator_socket<InterruptUnit> registers;

  /// Drives the wire high, one delta cycle later.
  void raised(Cycle now) override;
  /// Drives the wire low, one delta cycle later.
  void lowered(Cycle now) override;

  SC_HAS_PROCESS(InterruptUnit);

 private:
  void before_end_of_elaboration() override;
  void set(bool up);
  void drive() { irq.write(up_); }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time);
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  /// Thread of non-blocking requests: an access to the interface may wait.
  void serve_requests();
  /// Access to an event register of the interface.
  tlm::tlm_response_status event_register(tlm::tlm_command command, std::uint64_t offset,
                                          std::uint64_t& value, sc_core::sc_time* time);
  tlm::tlm_response_status read(std::uint64_t offset, std::uint64_t& value, sc_core::sc_time* time);
  tlm::tlm_response_status write(std::uint64_t offset, std::uint64_t value, sc_core::sc_time& time);

  bool up_ = false;
  sc_core::sc_event changed_;
  std::unique_ptr<sc_core::sc_signal<bool>> unbound_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> requests_;
  ResponseQueue responses_;  ///< of requests that are served
};

}  // namespace tsuji::nic
