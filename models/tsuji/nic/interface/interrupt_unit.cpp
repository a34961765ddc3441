// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/interface/interrupt_unit.h"

#include <cstring>

#include "tsuji/nic/registers.h"

namespace tsuji::nic {
namespace {

constexpr unsigned unit_register_bytes = 4;

/// Status of an access to the unit before its effect.
tlm::tlm_response_status check_unit_access(const tlm::tlm_generic_payload& payload) {
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_data_length() != unit_register_bytes || payload.get_streaming_width() < unit_register_bytes)
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_address() % unit_register_bytes != 0 || payload.get_address() >= interrupt_unit_bytes)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return payload.get_command() == tlm::TLM_IGNORE_COMMAND ? tlm::TLM_COMMAND_ERROR_RESPONSE
                                                          : tlm::TLM_OK_RESPONSE;
}

}  // namespace

InterruptUnit::InterruptUnit(sc_core::sc_module_name name)
    : sc_module(name),
      irq("irq"),
      socket("socket"),
      registers("registers"),
      requests_("requests"),
      responses_(
          "responses", [](tlm::tlm_generic_payload&) { return sc_core::SC_ZERO_TIME; },
          [this](tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& time) {
            return socket->nb_transport_bw(payload, phase, time);
          }) {
  socket.register_b_transport(this, &InterruptUnit::b_transport);
  socket.register_nb_transport_fw(this, &InterruptUnit::nb_transport_fw);
  socket.register_transport_dbg(this, &InterruptUnit::transport_dbg);
  SC_METHOD(drive);
  sensitive << changed_;
  SC_THREAD(serve_requests);
}

void InterruptUnit::before_end_of_elaboration() {
  if (irq.size() != 0) return;
  unbound_ = std::make_unique<sc_core::sc_signal<bool>>("unbound_irq");
  irq.bind(*unbound_);
}

void InterruptUnit::set(bool up) {
  up_ = up;
  changed_.notify(sc_core::SC_ZERO_TIME);
}

void InterruptUnit::raised(Cycle) {
  set(true);
}

void InterruptUnit::lowered(Cycle) {
  set(false);
}

tlm::tlm_response_status InterruptUnit::event_register(tlm::tlm_command command, std::uint64_t offset,
                                                       std::uint64_t& value, sc_core::sc_time* time) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(event_os_base + offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  if (time == nullptr) {
    return registers->transport_dbg(payload) == sizeof value ? tlm::TLM_OK_RESPONSE
                                                             : tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  registers->b_transport(payload, *time);
  return payload.get_response_status();
}

tlm::tlm_response_status InterruptUnit::read(std::uint64_t offset, std::uint64_t& value,
                                             sc_core::sc_time* time) {
  value = 0;
  if (offset == interrupt_clear) return tlm::TLM_OK_RESPONSE;
  if (offset == interrupt_enable) return event_register(tlm::TLM_READ_COMMAND, event_enable, value, time);
  const auto status = event_register(tlm::TLM_READ_COMMAND, event_pending, value, time);
  if (offset == interrupt_raw || status != tlm::TLM_OK_RESPONSE) return status;
  std::uint64_t enabled = 0;
  const auto second = event_register(tlm::TLM_READ_COMMAND, event_enable, enabled, time);
  value &= enabled;
  return second;
}

tlm::tlm_response_status InterruptUnit::write(std::uint64_t offset, std::uint64_t value,
                                              sc_core::sc_time& time) {
  if (offset == interrupt_enable) return event_register(tlm::TLM_WRITE_COMMAND, event_enable, value, &time);
  if (offset == interrupt_clear) return event_register(tlm::TLM_WRITE_COMMAND, event_pending, value, &time);
  return tlm::TLM_COMMAND_ERROR_RESPONSE;
}

void InterruptUnit::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) {
  payload.set_dmi_allowed(false);
  auto status = check_unit_access(payload);
  if (status == tlm::TLM_OK_RESPONSE) {
    std::uint64_t value = 0;
    if (payload.is_write()) {
      std::memcpy(&value, payload.get_data_ptr(), unit_register_bytes);
      status = write(payload.get_address(), value, time);
    } else {
      status = read(payload.get_address(), value, &time);
      if (status == tlm::TLM_OK_RESPONSE) std::memcpy(payload.get_data_ptr(), &value, unit_register_bytes);
    }
  }
  payload.set_response_status(status);
}

tlm::tlm_sync_enum InterruptUnit::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                  sc_core::sc_time& time) {
  if (phase != tlm::BEGIN_REQ) return responses_.take_phase(payload, phase);
  responses_.check_request(payload);
  payload.acquire();
  requests_.notify(payload, time);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void InterruptUnit::serve_requests() {
  for (;;) {
    wait(requests_.get_event());
    while (tlm::tlm_generic_payload* const payload = requests_.get_next_transaction()) {
      sc_core::sc_time time;
      b_transport(*payload, time);
      wait(time);
      tlm::tlm_phase ended;  // END_REQ, which the call has returned
      responses_.take_request(*payload, ended, sc_core::sc_time_stamp());
      payload->release();
    }
  }
}

unsigned InterruptUnit::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() || check_unit_access(payload) != tlm::TLM_OK_RESPONSE) return 0;
  std::uint64_t value = 0;
  if (read(payload.get_address(), value, nullptr) != tlm::TLM_OK_RESPONSE) return 0;
  std::memcpy(payload.get_data_ptr(), &value, unit_register_bytes);
  return unit_register_bytes;
}

}  // namespace tsuji::nic
