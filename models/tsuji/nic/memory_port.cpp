// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/memory_port.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::nic {

MemoryPort::MemoryPort(tlm::tlm_initiator_socket<>& socket, Clocked& owner, const sc_core::sc_object& module,
                       PerAccessKind& requests, NicHalf half, NicEvents& events)
    : socket_(socket), owner_(owner), module_(module), requests_(requests), half_(half), events_(events) {
  socket_.bind(*this);
}

void MemoryPort::fail(Cycle now, const std::string& what) const {
  throw ModelError(module_.name(), now, "",
                   what + " (physical address " + std::to_string(transaction_.payload().get_address()) + ")");
}

inline void MemoryPort::answered(const sc_core::sc_time& time) {
  const Cycle now = owner_.domain().now();
  if (!transaction_.busy() || granted_ != never) fail(now, "the memory controller answered out of turn");
  const Cycle last_word = answer().last_word_cycle;
  if (last_word == 0) return answered_without_times(time);
  if (transaction_.payload().get_response_status() != tlm::TLM_OK_RESPONSE) take_error(now);
  if (now <= issued_ || last_word < now) fail(now, "the memory controller answered before its time");
  granted_ = now;
  owner_.wake_at(wake_on_grant_ ? now + 1 : std::max(now + 1, last_word));
}

/// Sends a request of cycle `at`, which is `delay` ahead.
inline void MemoryPort::send(Cycle at, MemoryAccessKind kind, std::uint64_t address, unsigned bytes,
                             const void* data, sc_core::sc_time delay) {
  if (!idle(at)) fail(at, "a second memory request was issued before the first had ended");
  ++requests_[static_cast<unsigned>(kind)];
  issued_ = at;
  free_at_ = never;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  const tlm::tlm_sync_enum answer =
      socket_->nb_transport_fw(transaction_.begin(kind, address, bytes, data), phase, delay);
  if (answer == tlm::TLM_ACCEPTED) return;
  if (answer == tlm::TLM_COMPLETED || phase == tlm::BEGIN_RESP) {
    answered(delay);
    end_response(answer, delay);
  } else if (phase != tlm::END_REQ) {
    fail(at, "the memory controller answered out of turn");
  }
}

void MemoryPort::issue(Cycle now, MemoryAccessKind kind, std::uint64_t address, unsigned bytes,
                       const void* data, bool wake_on_grant) {
  wake_on_grant_ = wake_on_grant;
  send(now, kind, address, bytes, data, sc_core::sc_time());
}

void MemoryPort::issue_later(Cycle now, Cycle delay, MemoryAccessKind kind, std::uint64_t address,
                             unsigned bytes, const void* data) {
  wake_on_grant_ = false;
  send(now + delay, kind, address, bytes, data,
       sc_core::sc_time::from_value(delay * owner_.domain().period().ps()));
}

/// A response in the return path that is not the transaction's end is ended by a call.
void MemoryPort::end_response(tlm::tlm_sync_enum answer, sc_core::sc_time time) {
  if (answer == tlm::TLM_COMPLETED) return;
  tlm::tlm_phase phase = tlm::END_RESP;
  socket_->nb_transport_fw(transaction_.payload(), phase, time);
}

void MemoryPort::take_error(Cycle now) {
  const tlm::tlm_generic_payload& payload = transaction_.payload();
  if (!events_.handled()) fail(now, "memory refused a request: " + payload.get_response_string());
  if (payload.is_read()) transaction_.hide_data();
  events_.memory_error(half_, payload.get_address(), now);
}

void MemoryPort::finish() {
  free_at_ = answer().last_word_cycle;
  granted_ = never;
  transaction_.end();
}

tlm::tlm_sync_enum MemoryPort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& time) {
  if (phase == tlm::BEGIN_RESP && &payload == &transaction_.payload()) {
    answered(time);
    return tlm::TLM_COMPLETED;
  }
  const bool wrong = phase == tlm::BEGIN_REQ || phase == tlm::BEGIN_RESP || phase == tlm::END_RESP;
  if (wrong) fail(owner_.domain().now(), "the memory controller answered out of turn");
  return tlm::TLM_ACCEPTED;  // END_REQ, or an extended phase, which may be ignored
}

/// Handles the answer of a target without the extension, at any time: words arrive one a cycle, the last one
/// at the annotated time.
void MemoryPort::answered_without_times(const sc_core::sc_time& time) {
  const Cycle visible = owner_.domain().next_cycle();
  if (transaction_.payload().get_response_status() != tlm::TLM_OK_RESPONSE) take_error(visible);
  if (is_atomic(answer().kind)) fail(visible, "the memory controller does not know atomic accesses");
  const Picoseconds due = (sc_core::sc_time_stamp() + time).value() - owner_.domain().ps_of(0);
  const std::uint64_t period = owner_.domain().period().ps();
  const Cycle last = std::max<Cycle>(visible, (due + period - 1) / period);
  const Cycle words = (transaction_.payload().get_data_length() + 7) / 8;
  transaction_.set_times(last - std::min(words - 1, last - visible), last);
  granted_ = visible - 1;
  owner_.wake_at(wake_on_grant_ ? visible : last);
}

}  // namespace tsuji::nic
