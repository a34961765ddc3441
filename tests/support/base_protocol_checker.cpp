// SPDX-License-Identifier: Apache-2.0
#include "support/base_protocol_checker.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace tsuji::test {

using sc_core::sc_time;
using tlm::tlm_generic_payload;

namespace {

bool is_base_phase(const tlm::tlm_phase& phase) {
  return phase == tlm::BEGIN_REQ || phase == tlm::END_REQ || phase == tlm::BEGIN_RESP ||
         phase == tlm::END_RESP;
}

}  // namespace

const char* name_of(Rule rule) {
  static constexpr std::array names{"blocking_from_method",
                                    "blocking_in_flight",
                                    "bad_reference_count",
                                    "no_manager",
                                    "no_data",
                                    "no_enable_length",
                                    "no_streaming_width",
                                    "hint_not_cleared",
                                    "status_not_reset",
                                    "status_missing",
                                    "attributes_changed",
                                    "write_data_changed",
                                    "read_data_changed",
                                    "time_goes_back",
                                    "request_exclusion",
                                    "response_exclusion",
                                    "transaction_reused",
                                    "out_of_sequence",
                                    "wrong_direction",
                                    "phase_changed",
                                    "bad_update",
                                    "debug_took_time",
                                    "debug_count",
                                    "direct_region"};
  return names.at(static_cast<std::size_t>(rule));
}

BaseProtocolChecker::Attributes::Attributes(const tlm_generic_payload& payload)
    : command(payload.get_command()),
      address(payload.get_address()),
      data(payload.get_data_ptr()),
      enables(payload.get_byte_enable_ptr()),
      length(payload.get_data_length()),
      enable_length(payload.get_byte_enable_length()),
      width(payload.get_streaming_width()) {}

bool BaseProtocolChecker::Attributes::operator==(const Attributes& o) const {
  return std::tie(command, address, data, enables, length, enable_length, width) ==
         std::tie(o.command, o.address, o.data, o.enables, o.length, o.enable_length, o.width);
}

BaseProtocolChecker::Flight::Flight(const tlm_generic_payload& payload) : attributes(payload) {
  if (payload.is_write() && attributes.data != nullptr)
    written.assign(attributes.data, attributes.data + attributes.length);
}

BaseProtocolChecker::BaseProtocolChecker(sc_core::sc_module_name name)
    : sc_module(name), from_initiator("from_initiator"), to_target("to_target") {
  from_initiator.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  to_target.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

// ---- the attributes

void BaseProtocolChecker::check_start(const tlm_generic_payload& payload) {
  ++transactions;
  const bool moves = payload.get_command() != tlm::TLM_IGNORE_COMMAND;
  if (moves && (payload.get_data_ptr() == nullptr || payload.get_data_length() == 0)) note(Rule::no_data);
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0)
    note(Rule::no_enable_length);
  if (moves && payload.get_streaming_width() == 0) note(Rule::no_streaming_width);
  if (payload.is_dmi_allowed()) note(Rule::hint_not_cleared);
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) note(Rule::status_not_reset);
}

void BaseProtocolChecker::check_manager(const tlm_generic_payload& payload) {
  if (!payload.has_mm())
    note(Rule::no_manager);
  else if (payload.get_ref_count() < 1)
    note(Rule::bad_reference_count);
}

void BaseProtocolChecker::check_flight(const Flight& flight, const tlm_generic_payload& payload) {
  if (!(flight.attributes == Attributes(payload))) {
    note(Rule::attributes_changed);
  } else if (!flight.written.empty() &&
             std::memcmp(flight.written.data(), payload.get_data_ptr(), flight.written.size()) != 0) {
    note(Rule::write_data_changed);
  }
}

void BaseProtocolChecker::check_time(Flight& flight, const sc_time& time) {
  const sc_time then = sc_core::sc_time_stamp() + time;
  if (then < flight.latest) note(Rule::time_goes_back);
  flight.latest = std::max(flight.latest, then);
}

void BaseProtocolChecker::check_response(const tlm_generic_payload& payload) {
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) note(Rule::status_missing);
  if (payload.is_response_error()) ++errors;
}

// ---- blocking transport, debug transport, direct pointers

void BaseProtocolChecker::b_transport(tlm_generic_payload& payload, sc_time& time) {
  const auto process = sc_core::sc_get_current_process_handle();
  if (process.valid() && process.proc_kind() == sc_core::SC_METHOD_PROC_) note(Rule::blocking_from_method);
  if (in_flight_.count(&payload) != 0) note(Rule::blocking_in_flight);
  if (payload.has_mm()) check_manager(payload);
  check_start(payload);
  Flight flight(payload);
  check_time(flight, time);
  to_target->b_transport(payload, time);
  check_time(flight, time);
  check_flight(flight, payload);
  check_response(payload);
}

unsigned BaseProtocolChecker::transport_dbg(tlm_generic_payload& payload) {
  ++debug_calls;
  const auto before = sc_core::sc_time_stamp().value();
  const unsigned count = to_target->transport_dbg(payload);
  if (sc_core::sc_time_stamp().value() != before) note(Rule::debug_took_time);
  if (count > payload.get_data_length()) note(Rule::debug_count);
  return count;
}

bool BaseProtocolChecker::get_direct_mem_ptr(tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  ++direct_calls;
  const std::uint64_t address = payload.get_address();
  const bool granted = to_target->get_direct_mem_ptr(payload, dmi);
  if (!granted) return false;
  const bool holds = dmi.get_start_address() <= address && address <= dmi.get_end_address();
  const bool allows = payload.is_write() ? dmi.is_write_allowed() : dmi.is_read_allowed();
  if (dmi.get_dmi_ptr() == nullptr || !holds || !allows) note(Rule::direct_region);
  return true;
}

void BaseProtocolChecker::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
  from_initiator->invalidate_direct_mem_ptr(start, end);
}

// ---- non-blocking transport

tlm::tlm_sync_enum BaseProtocolChecker::nb_transport_fw(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                        sc_time& time) {
  check_manager(payload);
  const tlm::tlm_phase sent = phase;
  advance(payload, phase, time, true);
  const auto answer = to_target->nb_transport_fw(payload, phase, time);
  take_return(payload, answer, sent, phase, time, true);
  return answer;
}

tlm::tlm_sync_enum BaseProtocolChecker::nb_transport_bw(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                        sc_time& time) {
  check_manager(payload);
  const tlm::tlm_phase sent = phase;
  advance(payload, phase, time, false);
  const auto answer = from_initiator->nb_transport_bw(payload, phase, time);
  take_return(payload, answer, sent, phase, time, false);
  return answer;
}

/// Checks a phase; `forward`: from the initiator.
void BaseProtocolChecker::advance(tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                                  const sc_time& time, bool forward) {
  if (!is_base_phase(phase)) return;  // ignorable
  const bool initiators = phase == tlm::BEGIN_REQ || phase == tlm::END_RESP;
  if (initiators != forward) return note(Rule::wrong_direction);
  if (phase == tlm::BEGIN_REQ) return begin_request(payload, time);
  const auto found = in_flight_.find(&payload);
  if (found == in_flight_.end()) return note(Rule::out_of_sequence);
  Flight& flight = found->second;
  check_flight(flight, payload);
  check_time(flight, time);
  if (phase == tlm::END_REQ) {
    if (flight.state != State::requested) return note(Rule::out_of_sequence);
    flight.state = State::accepted;
    if (requesting_ == &payload) requesting_ = nullptr;
  } else if (phase == tlm::BEGIN_RESP) {
    begin_response(payload, flight);
  } else {
    if (flight.state != State::responding) return note(Rule::out_of_sequence);
    end(payload);
  }
}

void BaseProtocolChecker::begin_request(tlm_generic_payload& payload, const sc_time& time) {
  if (in_flight_.count(&payload) != 0) return note(Rule::transaction_reused);
  check_start(payload);
  if (requesting_ != nullptr) note(Rule::request_exclusion);
  requesting_ = &payload;
  check_time(in_flight_.emplace(&payload, Flight(payload)).first->second, time);
}

void BaseProtocolChecker::begin_response(tlm_generic_payload& payload, Flight& flight) {
  if (flight.state == State::responding) return note(Rule::out_of_sequence);
  check_response(payload);
  flight.state = State::responding;
  if (requesting_ == &payload) requesting_ = nullptr;  // BEGIN_RESP implies END_REQ
  if (payload.is_read() && payload.get_data_ptr() != nullptr)
    flight.answered.assign(payload.get_data_ptr(), payload.get_data_ptr() + payload.get_data_length());
  if (responding_ != nullptr) note(Rule::response_exclusion);
  responding_ = &payload;
}

void BaseProtocolChecker::end(tlm_generic_payload& payload) {
  const auto& answered = in_flight_.at(&payload).answered;
  if (!std::equal(answered.begin(), answered.end(), payload.get_data_ptr())) note(Rule::read_data_changed);
  if (requesting_ == &payload) requesting_ = nullptr;
  if (responding_ == &payload) responding_ = nullptr;
  in_flight_.erase(&payload);
}

/// Checks the return path of a call that sent `sent`.
void BaseProtocolChecker::take_return(tlm_generic_payload& payload, tlm::tlm_sync_enum answer,
                                      const tlm::tlm_phase& sent, const tlm::tlm_phase& phase,
                                      const sc_time& time, bool forward) {
  if (answer == tlm::TLM_ACCEPTED) {
    if (phase != sent) note(Rule::phase_changed);
    return;
  }
  if (!is_base_phase(sent)) return;
  const auto found = in_flight_.find(&payload);
  if (answer == tlm::TLM_UPDATED) {
    const bool follows = forward
                             ? sent == tlm::BEGIN_REQ && (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)
                             : sent == tlm::BEGIN_RESP && phase == tlm::END_RESP;
    const bool foreign = !is_base_phase(phase);
    if (!follows && !foreign) return note(Rule::bad_update);
    if (follows) advance(payload, phase, time, !forward);
    return;
  }
  if (found == in_flight_.end()) return;  // END_RESP, or ended already
  check_flight(found->second, payload);
  check_time(found->second, time);
  if (found->second.state != State::responding) check_response(payload);  // early completion
  end(payload);
}

// ---- several

std::string Checkers::report() const {
  std::string text;
  for (const auto& checker : checkers_) {
    const auto& list = checker->violations;
    for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 3); ++i)
      text += std::string(checker->name()) + ": " + name_of(list[i].rule) + " at " + list[i].at.to_string() +
              "\n";
  }
  return text;
}

std::uint64_t Checkers::transactions() const {
  std::uint64_t sum = 0;
  for (const auto& checker : checkers_) sum += checker->transactions;
  return sum;
}

std::uint64_t Checkers::errors() const {
  std::uint64_t sum = 0;
  for (const auto& checker : checkers_) sum += checker->errors;
  return sum;
}

}  // namespace tsuji::test
