// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/initiator_port.h"

#include <algorithm>
#include <numeric>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/error.h"
#include "tsuji/interconnect/generic_payload.h"
#include "tsuji/interconnect/target_port.h"
#include "tsuji/link/calling_process.h"

namespace tsuji::interconnect {

using sc_core::SC_ZERO_TIME;

InitiatorPort::InitiatorPort(const InitiatorConfig& config, const PortParts& parts, Station& station)
    : socket(("initiator_" + config.name).c_str()),
      config_(config),
      parts_(parts),
      station_(station),
      port_(parts.calendar.add(*this)),
      open_(config.outstanding),
      free_(config.outstanding),
      order_to_(parts.addresses.regions().size()) {
  std::iota(free_.rbegin(), free_.rend(), std::uint16_t{0});
  socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  station.add_initiator(*this);
}

InitiatorPort::~InitiatorPort() = default;

void InitiatorPort::fail(const std::string& what) const {
  throw ModelError(socket.name(), parts_.calendar.current_cycle(), "", what);
}

InitiatorPort::Caller* InitiatorPort::take_caller() {
  if (idle_callers_.empty()) {
    callers_.push_back(std::make_unique<Caller>());
    return callers_.back().get();
  }
  Caller* const caller = idle_callers_.back();
  idle_callers_.pop_back();
  caller->done = false;
  return caller;
}

void InitiatorPort::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) {
  if (calling_process() != CallingProcess::thread) fail("b_transport from a process that cannot wait");
  if (time != SC_ZERO_TIME) sc_core::wait(time);
  time = SC_ZERO_TIME;
  Caller* const caller = take_caller();
  submit(payload, caller);
  while (!caller->done) sc_core::wait(caller->answered);
  idle_callers_.push_back(caller);
}

tlm::tlm_sync_enum InitiatorPort::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                  sc_core::sc_time& time) {
  if (phase == tlm::BEGIN_REQ) {
    begin_request(payload, time);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::END_RESP) {
    end_response(payload, time);
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) fail("a phase of targets on the forward path");
  return tlm::TLM_ACCEPTED;  // extended phases may be ignored
}

void InitiatorPort::begin_request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& time) {
  if (!payload.has_mm()) fail("BEGIN_REQ of a transaction without a memory manager");
  if (payload.get_ref_count() == 0) fail("BEGIN_REQ of a transaction without a reference");
  if (const char* const broken = phases_.begin_request()) fail(broken);
  payload.acquire();
  if (time == SC_ZERO_TIME) return submit(payload, nullptr);
  annotated_ = &payload;
  parts_.calendar.in(time, port_, PortEvent::begin_request);
}

void InitiatorPort::end_response(tlm::tlm_generic_payload& payload, const sc_core::sc_time& time) {
  const std::uint16_t tag = phases_.responding();
  if (const char* const broken = phases_.end_response(open_[tag].payload == &payload)) fail(broken);
  if (time != SC_ZERO_TIME) return parts_.calendar.in(time, port_, PortEvent::end_response, tag);
  phases_.response_over();
  finish(tag);
  parts_.calendar.in(SC_ZERO_TIME, port_, PortEvent::serve);
}

void InitiatorPort::act(PortEvent event, std::uint32_t item) {
  const auto tag = static_cast<std::uint16_t>(item);
  switch (event) {
    case PortEvent::begin_request:
      return submit(*annotated_, nullptr);
    case PortEvent::end_request: {
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time time = SC_ZERO_TIME;
      phases_.end_request();
      show();
      socket->nb_transport_bw(*open_[tag].payload, phase, time);
      return;
    }
    case PortEvent::answer:
      return answer(tag);
    case PortEvent::end_response:
      phases_.response_over();
      finish(tag);
      break;
    default:
      break;
  }
  for (const std::uint16_t arrived : arrived_) answer(arrived);
  arrived_.clear();
  accept_next();
  show();
  respond();
}

void InitiatorPort::submit(tlm::tlm_generic_payload& payload, Caller* caller) {
  ++counts_.begun;
  waiting_.push_back({&payload, caller, sc_core::sc_time_stamp().value()});
  if (wave_ != nullptr) wave_->begin(access_of(payload));
  accept_next();
  show();
}

void InitiatorPort::accept_next() {
  while (!waiting_.empty() && !free_.empty() && not_left_ < config_.requests) {
    const Waiting request = waiting_.front();
    waiting_.pop_front();
    const std::uint16_t tag = free_.back();
    free_.pop_back();
    accept(request, tag);
  }
}

void InitiatorPort::accept(const Waiting& request, std::uint16_t tag) {
  Open& open = open_[tag];
  open = Open{};
  open.payload = request.payload;
  open.caller = request.caller;
  open.begun_ps = request.begun_ps;
  open.view = view_of(*request.payload);
  const Cycle at = parts_.calendar.next_cycle();
  if (request.caller == nullptr) parts_.calendar.at_cycle(at, port_, PortEvent::end_request, tag);
  const Access access = access_of(*request.payload);
  open.status = malformed(*request.payload);
  const auto place = parts_.addresses.decode(access.address, std::max(access.span_bytes(), 1U));
  if (open.status == Status::ok && !place) open.status = Status::address_error;
  if (open.status == Status::ok) return send(open, tag, *place, at);
  parts_.calendar.at_cycle(at, port_, PortEvent::answer, tag);
}

void InitiatorPort::send(Open& open, std::uint16_t tag, const AddressMap::Place& place, Cycle at) {
  MessagePart message;
  message.access = access_of(*open.payload);
  message.access.address = place.address;
  message.tag = tag;
  ++not_left_;
  station_.post(at, message, parts_.targets[place.target]->node(), order_to_[place.target]++, open.view);
  node_->source_changed(parts_.calendar.clock().now());
}

void InitiatorPort::left(Cycle now, NodeId /*to*/, std::uint16_t /*tag*/) {
  --not_left_;
  if (!waiting_.empty()) parts_.calendar.serve(now, port_);
}

void InitiatorPort::take(Cycle now, const MessagePart& part, const Packet& packet) {
  if (part.tag >= open_.size() || open_[part.tag].payload == nullptr)
    fail("a response without a transaction: " + packet_name(packet.id));
  Open& open = open_[part.tag];
  if (const char* const broken = open.response.take(part)) fail(broken + (": " + packet_name(packet.id)));
  part.unpack_data(packet, open.view);
  open.status = part.status;
  open.dmi_allowed = part.dmi_allowed;
  if (!open.response.complete()) return;
  arrived_.push_back(part.tag);
  parts_.calendar.serve(now, port_);
}

/// Begins the response of a transaction, or ends its blocking call.
void InitiatorPort::answer(std::uint16_t tag) {
  Open& open = open_[tag];
  open.payload->set_response_status(to_tlm(open.status));
  open.payload->set_dmi_allowed(open.dmi_allowed);
  if (open.caller == nullptr) {
    phases_.respond(tag);
    return respond();
  }
  open.caller->done = true;
  open.caller->answered.notify();
  finish(tag);
}

void InitiatorPort::respond() {
  while (phases_.may_respond()) {
    const std::uint16_t tag = phases_.begin_response();
    show();
    tlm::tlm_generic_payload& payload = *open_[tag].payload;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time time = SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, time);
    if (answer == tlm::TLM_ACCEPTED) continue;
    if (answer == tlm::TLM_UPDATED && phase != tlm::END_RESP)
      fail("an initiator answers BEGIN_RESP by another phase than END_RESP");
    end_response(payload, time);
  }
}

void InitiatorPort::finish(std::uint16_t tag) {
  Open& open = open_[tag];
  ++counts_.answered;
  const Picoseconds took_ps = sc_core::sc_time_stamp().value() - open.begun_ps;
  counts_.ps_sum += took_ps;
  counts_.most_ps = std::max(counts_.most_ps, took_ps);
  if (open.status != Status::ok) {
    ++counts_.errors;
  } else if (open.payload->get_command() != tlm::TLM_IGNORE_COMMAND) {
    counts_.data_bytes += open.payload->get_data_length();
  }
  tlm::tlm_generic_payload* const payload = open.caller == nullptr ? open.payload : nullptr;
  open.payload = nullptr;
  free_.push_back(tag);
  if (payload != nullptr) payload->release();
  accept_next();
  show();
}

bool InitiatorPort::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  const auto place = parts_.addresses.decode(payload.get_address(), 1);
  if (!place) return false;
  return parts_.targets[place->target]->direct_pointer(payload, place->address, dmi);
}

/// Debug accesses take the bytes up to the end of the target's addresses.
unsigned InitiatorPort::transport_dbg(tlm::tlm_generic_payload& payload) {
  const auto place = parts_.addresses.decode(payload.get_address(), 1);
  if (!place) return 0;
  return parts_.targets[place->target]->debug(payload, place->address);
}

}  // namespace tsuji::interconnect
