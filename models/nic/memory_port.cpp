#include "tsuji/nic/memory_port.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::nic {

MemoryPort::MemoryPort(tlm::tlm_initiator_socket<>& socket, Clocked& owner, const sc_core::sc_object& module,
                       PerAccessKind& requests)
    : socket_(socket), owner_(owner), module_(module), requests_(requests) {
  socket_.bind(*this);
}

void MemoryPort::fail(Cycle now, const std::string& what) const {
  throw ModelError(module_.name(), now, "",
                   what + " (physical address " + std::to_string(transaction_.payload().get_address()) + ")");
}

void MemoryPort::issue(Cycle now, MemoryAccessKind kind, std::uint64_t address, unsigned bytes,
                       const void* data, bool wake_on_grant) {
  if (!idle(now)) fail(now, "a second memory request was issued before the first had ended");
  ++requests_[static_cast<unsigned>(kind)];
  issued_ = now;
  granted_ = never;
  wake_on_grant_ = wake_on_grant;
  tlm::tlm_generic_payload& payload = transaction_.begin(kind, address, bytes, data);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time time;
  if (socket_->nb_transport_fw(payload, phase, time) != tlm::TLM_ACCEPTED) {
    fail(now, "the memory controller did not register a request");
  }
}

void MemoryPort::finish() {
  free_at_ = answer().last_word_cycle;
  transaction_.end();
}

tlm::tlm_sync_enum MemoryPort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time&) {
  const Cycle now = owner_.domain().now();
  if (phase != tlm::BEGIN_RESP || &payload != &transaction_.payload() || granted_ != never) {
    fail(now, "the memory controller answered out of turn");
  }
  if (payload.get_response_status() != tlm::TLM_OK_RESPONSE) {
    fail(now, "memory refused a request: " + payload.get_response_string());
  }
  if (now <= issued_ || answer().last_word_cycle < now)
    fail(now, "the memory controller answered before its time");
  granted_ = now;
  owner_.wake_at(wake_on_grant_ ? now + 1 : std::max(now + 1, answer().last_word_cycle));
  return tlm::TLM_COMPLETED;
}

}  // namespace tsuji::nic
