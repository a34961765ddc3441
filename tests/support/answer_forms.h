// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>

#include <cstdint>
#include <systemc>
#include <tlm>

#include "tsuji/link/memory_access.h"

namespace tsuji::test {

/// Adapter between an initiator with the library's extension and the memory controller. It answers in turn in
/// forms that the base protocol allows and the controller does not use. Noncoherent reads may be answered
/// early. Others may be answered late, as by a target without the extension, except the processor's reads,
/// which must be in its cache before another initiator's write. Every `error_every`th read gets an error and
/// is not forwarded.
class AnswerForms final : public sc_core::sc_module,
                          private tlm::tlm_fw_transport_if<>,
                          private tlm::tlm_bw_transport_if<> {
 public:
  explicit AnswerForms(sc_core::sc_module_name name)
      : sc_module(name),
        from_initiator("from_initiator"),
        to_target("to_target"),
        late_(this, &AnswerForms::answer_late) {
    from_initiator.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    to_target.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }
  tlm::tlm_target_socket<> from_initiator;
  tlm::tlm_initiator_socket<> to_target;
  std::uint64_t error_every = 0;
  bool processors = false;
  std::uint64_t requests = 0, errors = 0, early = 0, in_return = 0, late = 0;

 private:
  static sc_core::sc_time cycles(double count) { return {12.5 * count, sc_core::SC_NS}; }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) override {
    to_target->b_transport(payload, time);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    return to_target->get_direct_mem_ptr(payload, dmi);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return to_target->transport_dbg(payload);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    from_initiator->invalidate_direct_mem_ptr(start, end);
  }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override {
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;  // of a response in the return path
    ++requests;
    if (payload.is_read()) ++reads_;
    const bool fails = payload.is_read() && error_every != 0 && reads_ % error_every == 0;
    const auto kind = payload.get_extension<MemoryAccess>()->kind;
    if (fails || (kind == MemoryAccessKind::noncoherent_read && reads_ % 4 == 1)) {
      if (fails) ++errors;
      const bool done = !fails && to_target->transport_dbg(payload) == payload.get_data_length();
      payload.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
      time += cycles(7.25);
      if (reads_ % 8 < 4) {
        ++early;
        return tlm::TLM_COMPLETED;
      }
      ++in_return;
      phase = tlm::BEGIN_RESP;
      return tlm::TLM_UPDATED;
    }
    const auto answer = to_target->nb_transport_fw(payload, phase, time);
    if (answer != tlm::TLM_ACCEPTED || requests % 2 == 0) return answer;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override {
    auto& access = *payload.get_extension<MemoryAccess>();
    if (requests % 4 != 3 || is_atomic(access.kind) || (processors && payload.is_read()))
      return from_initiator->nb_transport_bw(payload, phase, time);
    ++late;
    access.first_word_cycle = access.last_word_cycle = 0;
    late_.notify(payload, phase, time + cycles(3.5));
    return tlm::TLM_ACCEPTED;
  }
  void answer_late(tlm::tlm_generic_payload& payload, const tlm::tlm_phase&) {
    sc_core::sc_time time = cycles(1);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    from_initiator->nb_transport_bw(payload, phase, time);
    to_target->nb_transport_fw(payload, phase = tlm::END_RESP, time = sc_core::SC_ZERO_TIME);
  }

  std::uint64_t reads_ = 0;
  tlm_utils::peq_with_cb_and_phase<AnswerForms> late_;
};

}  // namespace tsuji::test
