// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tsuji/link/memory_access.h"

namespace tsuji::host::test {

/// Form in which an initiator ends a response.
enum class EndForm : std::uint8_t { completed, updated, called_later };

/// An initiator of the base protocol without Tsuji's extension.
template <unsigned Width = 32>
class PlainInitiator final : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  explicit PlainInitiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_bw(this, &PlainInitiator::nb_transport_bw);
    socket.register_invalidate_direct_mem_ptr(this, &PlainInitiator::invalidate);
  }
  tlm_utils::simple_initiator_socket<PlainInitiator, Width> socket;

  struct Answer {
    sc_core::sc_time at, data_at;  ///< time of BEGIN_RESP, without and with its annotation
    tlm::tlm_response_status status;
    tlm::tlm_generic_payload* payload;
  };
  std::vector<Answer> answers;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> invalidated;
  EndForm form = EndForm::completed;
  std::function<void(tlm::tlm_generic_payload&)> on_response;
  unsigned end_reqs = 0;

  static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
                   void* data, unsigned length) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_byte_enable_length(0);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  /// Calls b_transport. Returns its end time, with the annotation. `spoil` changes the payload before.
  sc_core::sc_time transport(tlm::tlm_command command, std::uint64_t address, void* data, unsigned length,
                             const sc_core::sc_time& ahead = sc_core::SC_ZERO_TIME,
                             const std::function<void(tlm::tlm_generic_payload&)>& spoil = {}) {
    tlm::tlm_generic_payload payload;
    fill(payload, command, address, data, length);
    if (spoil) spoil(payload);
    sc_core::sc_time delay = ahead;
    socket->b_transport(payload, delay);
    status = payload.get_response_status();
    dmi_allowed = payload.is_dmi_allowed();
    payload.clear_extension<MemoryAccess>();  // the caller's
    return sc_core::sc_time_stamp() + delay;
  }
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;  ///< status of the last transport
  bool dmi_allowed = false;

  tlm::tlm_generic_payload& make() {
    payloads_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
    payloads_.back()->acquire();
    return *payloads_.back();
  }
  /// Sends BEGIN_REQ.
  tlm::tlm_sync_enum request(tlm::tlm_generic_payload& payload,
                             const sc_core::sc_time& ahead = sc_core::SC_ZERO_TIME) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = ahead;
    return socket->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum end(tlm::tlm_generic_payload& payload) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    return socket->nb_transport_fw(payload, phase, delay);
  }
  void free(tlm::tlm_generic_payload*) override { ++freed; }
  unsigned freed = 0;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
      ++end_reqs;
      return tlm::TLM_ACCEPTED;
    }
    CHECK(phase == tlm::BEGIN_RESP);
    answers.push_back({sc_core::sc_time_stamp(), sc_core::sc_time_stamp() + delay,
                       payload.get_response_status(), &payload});
    if (on_response) on_response(payload);
    if (form == EndForm::completed) return tlm::TLM_COMPLETED;
    if (form == EndForm::called_later) return tlm::TLM_ACCEPTED;
    phase = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  }
  void invalidate(sc_dt::uint64 start, sc_dt::uint64 end) { invalidated.emplace_back(start, end); }

  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_;
};

}  // namespace tsuji::host::test
