// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>
#include <tlm>

#include "tsuji/core/described.h"

namespace tsuji {

/// Connects TLM-2.0 sockets of different BUSWIDTH, which C++ distinguishes although a payload does not depend
/// on it. Forwards every call in both directions unchanged. Takes no time.
template <unsigned InitiatorWidth, unsigned TargetWidth>
class WidthAdapter final : public sc_core::sc_module,
                           private tlm::tlm_fw_transport_if<>,
                           private tlm::tlm_bw_transport_if<>,
                           public Described {
 public:
  std::string stands_for() const override { return "joins sockets of different widths; takes no time"; }
  explicit WidthAdapter(sc_core::sc_module_name name)
      : sc_module(name), from_initiator("from_initiator"), to_target("to_target") {
    from_initiator.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    to_target.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }

  tlm::tlm_target_socket<InitiatorWidth> from_initiator;
  tlm::tlm_initiator_socket<TargetWidth> to_target;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) override {
    to_target->b_transport(payload, time);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override {
    return to_target->nb_transport_fw(payload, phase, time);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    return to_target->get_direct_mem_ptr(payload, dmi);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return to_target->transport_dbg(payload);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override {
    return from_initiator->nb_transport_bw(payload, phase, time);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    from_initiator->invalidate_direct_mem_ptr(start, end);
  }
};

}  // namespace tsuji
