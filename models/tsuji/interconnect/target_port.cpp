// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/target_port.h"

#include <algorithm>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/error.h"
#include "tsuji/interconnect/generic_payload.h"

namespace tsuji::interconnect {

using sc_core::SC_ZERO_TIME;

namespace {

constexpr unsigned no_initiator = ~0U;

}  // namespace

TargetPort::TargetPort(const TargetConfig& config, const PortParts& parts, const InitiatorPorts& initiators,
                       Station& station)
    : socket(("target_" + config.name).c_str()),
      config_(config),
      parts_(parts),
      initiators_(initiators),
      station_(station),
      port_(parts.calendar.add(*this)) {
  socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  station.add_target(*this);
}

TargetPort::~TargetPort() = default;

void TargetPort::join(traffic::FlitNodeState& node, const std::vector<unsigned>& initiator_at) {
  node_ = &node;
  initiator_at_ = initiator_at;
  unsigned most = 0;
  std::uint32_t places = 0;
  for (const auto& initiator : initiators_) {
    first_place_.push_back(places);
    places += initiator->outstanding();
    most = std::max(most, initiator->outstanding());
  }
  order_ = std::make_unique<RequestOrder>(static_cast<unsigned>(initiators_.size()), most);
  requests_.resize(places);
}

void TargetPort::fail(const std::string& what) const {
  throw ModelError(socket.name(), parts_.calendar.current_cycle(), "", what);
}

/// The place of a transaction of the initiator at a node.
TargetPort::Request& TargetPort::request_of(NodeId node, std::uint16_t tag, const char* what) {
  const unsigned initiator = node < initiator_at_.size() ? initiator_at_[node] : no_initiator;
  if (initiator == no_initiator || tag >= initiators_[initiator]->outstanding())
    fail(std::string(what) + ": node " + std::to_string(node) + " has no such transaction");
  const std::uint32_t place = first_place_[initiator] + tag;
  auto& request = requests_[place];
  if (!request) {
    request = std::make_unique<Request>();
    request->set_mm(this);
    request->place = place;
    request->initiator = initiator;
    request->tag = tag;
  }
  return *request;
}

void TargetPort::take(Cycle now, const MessagePart& part, const Packet& packet) {
  Request& request = request_of(packet.source.node(), part.tag, "a request arrives");
  if (!request.begun) begin(request, part);
  if (const char* const broken = request.parts.take(part)) fail(broken + (": " + packet_name(packet.id)));
  if (part.has_data()) part.unpack_data(packet, {request.data.data(), nullptr, 0});
  if (part.has_enables()) part.unpack_enables(packet, request.enables.data());
  if (!request.parts.complete()) return;
  order_->complete(request.initiator, packet.order, part.tag, [&](std::uint16_t tag) {
    ready_.push_back(requests_[first_place_[request.initiator] + tag].get());
    ++held_;
    show_held(now, 1);
  });
  parts_.calendar.serve(now, port_);
}

/// Sets up the place for the first packet of a request.
void TargetPort::begin(Request& request, const MessagePart& part) {
  request.acquire();
  request.begun = true;
  request.message = part;
  request.data.assign(part.access.bytes, 0);
  request.enables.assign(part.has_enables() ? part.access.bytes : 0, 0);
  request.set_command(to_tlm(part.access.command));
  request.set_address(part.access.address);
  request.set_data_ptr(request.data.data());
  request.set_data_length(part.access.bytes);
  request.set_streaming_width(part.access.streaming_bytes);
  request.set_byte_enable_ptr(part.has_enables() ? request.enables.data() : nullptr);
  request.set_byte_enable_length(static_cast<unsigned>(request.enables.size()));
  request.set_dmi_allowed(false);
  request.set_gp_option(tlm::TLM_MIN_PAYLOAD);
  request.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

void TargetPort::act(PortEvent event, std::uint32_t item) {
  if (event == PortEvent::held) {
    item != 0 ? ++shown_held_ : --shown_held_;
    return show();
  }
  if (event == PortEvent::end_request) phases_.request_over();
  if (event == PortEvent::respond) end(*requests_[item]);
  while (phases_.may_request() && !ready_.empty()) {
    Request& next = *ready_.front();
    ready_.pop_front();
    issue(next);
  }
  show();
}

void TargetPort::issue(Request& request) {
  add_extensions(*initiators_[request.initiator]->transaction(request.tag), request);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time time = SC_ZERO_TIME;
  phases_.request(request.phase);
  if (wave_ != nullptr) {
    wave_->begin(request.message.access);
    show();
  }
  const tlm::tlm_sync_enum answer = socket->nb_transport_fw(request, phase, time);
  if (answer == tlm::TLM_UPDATED) return updated(request, phase, time);
  if (answer == tlm::TLM_ACCEPTED) return;
  if (request.phase != TargetPhase::requested) fail("TLM_COMPLETED of a transaction with another phase");
  TargetPhases::complete(request.phase);
  if (time == SC_ZERO_TIME) return end(request);
  parts_.calendar.in(time, port_, PortEvent::respond, request.place);
}

/// The return path of BEGIN_REQ has brought a phase.
void TargetPort::updated(Request& request, const tlm::tlm_phase& phase, const sc_core::sc_time& time) {
  if (phase == tlm::END_REQ) return accepted(request, time);
  if (phase != tlm::BEGIN_RESP)
    fail("a target answers BEGIN_REQ by another phase than END_REQ or BEGIN_RESP");
  check(phases_.begin_response(request.phase));
  parts_.calendar.in(time, port_, PortEvent::respond, request.place);
}

void TargetPort::accepted(Request& request, const sc_core::sc_time& time) {
  check(phases_.accept(request.phase));
  parts_.calendar.in(time, port_, PortEvent::end_request);
}

tlm::tlm_sync_enum TargetPort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& time) {
  auto* const request = dynamic_cast<Request*>(&payload);
  if (request == nullptr) fail("a target answers a transaction that it was not sent");
  if (phase == tlm::END_REQ) {
    accepted(*request, time);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP) fail("a phase of initiators on the backward path");
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;  // extended phases may be ignored
  check(phases_.begin_response(request->phase));
  show();
  if (time != SC_ZERO_TIME) {
    parts_.calendar.in(time, port_, PortEvent::respond, request->place);
    return tlm::TLM_ACCEPTED;
  }
  phases_.end_response(request->phase);
  answer(*request);
  parts_.calendar.in(SC_ZERO_TIME, port_, PortEvent::serve);
  return tlm::TLM_COMPLETED;
}

/// The response, or the TLM_COMPLETED in its place, is due.
void TargetPort::end(Request& request) {
  if (request.phase == TargetPhase::completed) {
    phases_.end_complete(request.phase);
    return answer(request);
  }
  answer(request);
  phases_.end_response(request.phase);
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time time = SC_ZERO_TIME;
  socket->nb_transport_fw(request, phase, time);
}

void TargetPort::answer(Request& request) {
  ++answered_;
  MessagePart message = request.message;
  message.is_response = true;
  message.status = of_tlm(request.get_response_status());
  message.dmi_allowed = config_.dmi && request.is_dmi_allowed();
  tlm::tlm_generic_payload& own = *initiators_[request.initiator]->transaction(request.tag);
  own.update_extensions_from(request);
  station_.post(parts_.calendar.next_cycle(), message, initiators_[request.initiator]->node(), 0,
                {request.data.data(), nullptr, 0});
  node_->source_changed(parts_.calendar.clock().now());
}

void TargetPort::left(Cycle now, NodeId to, std::uint16_t tag) {
  Request& request = request_of(to, tag, "a response leaves");
  --held_;
  --answered_;
  show_held(now, 0);
  request.phase = TargetPhase::none;
  request.parts.reset();
  request.begun = false;
  if (request.get_ref_count() > 1) kept_.push_back(std::move(requests_[request.place]));
  request.release();
}

void TargetPort::free(tlm::tlm_generic_payload* payload) {
  payload->reset();
  const auto kept =
      std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.get() == payload; });
  if (kept != kept_.end()) kept_.erase(kept);
}

bool TargetPort::direct_pointer(tlm::tlm_generic_payload& payload, std::uint64_t address, tlm::tlm_dmi& dmi) {
  const Region& region = config_.region;
  const std::uint64_t first = region.offset, last = region.offset + (region.bytes - 1);
  bool granted = false;
  if (config_.dmi) {
    const OtherAddress other(payload, address);
    granted = socket->get_direct_mem_ptr(payload, dmi);
  } else {
    dmi.set_start_address(first);
    dmi.set_end_address(last);
  }
  if (dmi.get_start_address() < first) {
    if (granted) dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (first - dmi.get_start_address()));
    dmi.set_start_address(first);
  }
  dmi.set_end_address(std::min<sc_dt::uint64>(dmi.get_end_address(), last));
  dmi.set_start_address(dmi.get_start_address() - region.offset + region.base);
  dmi.set_end_address(dmi.get_end_address() - region.offset + region.base);
  return granted;
}

void TargetPort::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
  const Region& region = config_.region;
  const std::uint64_t low = std::max<std::uint64_t>(first, region.offset),
                      high = std::min<std::uint64_t>(last, region.offset + (region.bytes - 1));
  if (low > high) return;
  for (const auto& initiator : initiators_)
    initiator->invalidate(low - region.offset + region.base, high - region.offset + region.base);
}

unsigned TargetPort::debug(tlm::tlm_generic_payload& payload, std::uint64_t address) {
  const OtherAddress other(payload, address);
  const std::uint64_t room = config_.region.bytes - (address - config_.region.offset);
  const unsigned length = payload.get_data_length();
  if (length > room) payload.set_data_length(static_cast<unsigned>(room));
  const unsigned done = socket->transport_dbg(payload);
  payload.set_data_length(length);
  return done;
}

}  // namespace tsuji::interconnect
