#include "tsuji/host/memory_controller.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::host {

using tlm::tlm_generic_payload;

MemoryController::MemoryController(sc_core::sc_module_name name, ClockDomain& domain,
                                   const MemoryControllerConfig& config, std::uint64_t memory_bytes)
    : sc_module(name),
      Clocked(domain),
      receiver("receiver"),
      sender("sender"),
      processor("processor"),
      port_("memory", memory_bytes),
      service_(config, domain.period(), port_),
      first_edge_(domain.time_of(0)),
      period_(domain.time_of(1) - first_edge_) {
  register_callbacks(receiver, MemoryInitiator::receiver);
  register_callbacks(sender, MemoryInitiator::sender);
  register_callbacks(processor, MemoryInitiator::processor);
}

void MemoryController::register_callbacks(TargetSocket& socket, MemoryInitiator initiator) {
  const int id = static_cast<int>(initiator);
  socket.register_nb_transport_fw(this, &MemoryController::nb_transport_fw, id);
  socket.register_b_transport(this, &MemoryController::b_transport, id);
  socket.register_transport_dbg(this, &MemoryController::transport_dbg, id);
  socket.register_get_direct_mem_ptr(this, &MemoryController::get_direct_mem_ptr, id);
}

MemoryController::TargetSocket& MemoryController::socket_of(MemoryInitiator initiator) {
  if (initiator == MemoryInitiator::receiver) return receiver;
  return initiator == MemoryInitiator::sender ? sender : processor;
}

/// The first edge after the request: a request made at an edge is seen at the next one.
Cycle MemoryController::first_arbitration(const sc_core::sc_time& delay) const {
  const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
  if (at < first_edge_) return 0;
  return (at - first_edge_).value() / domain().period().ps() + 1;
}

tlm::tlm_sync_enum MemoryController::nb_transport_fw(int id, tlm_generic_payload& transaction,
                                                     tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  Slot& slot = slots_[static_cast<unsigned>(id)];
  const Cycle eligible = first_arbitration(delay);
  const char* wrong = nullptr;
  if (phase != tlm::BEGIN_REQ) wrong = "a phase other than BEGIN_REQ came from an initiator";
  if (slot.transaction != nullptr) wrong = "a second request of an initiator before the answer to its first";
  if (!transaction.has_mm() || transaction.get_ref_count() < 1) {
    wrong = "non-blocking transport without a memory manager or a reference";
  }
  if (wrong != nullptr) throw ModelError(name(), eligible, "", wrong);
  transaction.acquire();
  slot = {&transaction, eligible};
  wake_at(std::max(eligible, free_at_));
  return tlm::TLM_ACCEPTED;
}

MemoryService::Cost MemoryController::serve(MemoryInitiator initiator, tlm_generic_payload& transaction,
                                            Cycle now) {
  auto* access = transaction.get_extension<MemoryAccess>();
  if (access == nullptr) {
    transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return service_.refuse();
  }
  MemoryService::Request request;
  request.kind = access->kind;
  request.initiator = initiator;
  request.address = transaction.get_address();
  request.bytes = transaction.get_data_length();
  request.data = transaction.get_data_ptr();
  const bool reads =
      request.kind == MemoryAccessKind::coherent_read || request.kind == MemoryAccessKind::noncoherent_read;
  tlm::tlm_response_status status = service_.check(request);
  if (transaction.get_streaming_width() < request.bytes) status = tlm::TLM_BURST_ERROR_RESPONSE;
  if (request.data == nullptr) status = tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (transaction.get_byte_enable_ptr() != nullptr) status = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (transaction.get_command() != (reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND)) {
    status = tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  const auto cost = status == tlm::TLM_OK_RESPONSE ? service_.perform(request) : service_.refuse();
  access->first_word_cycle = now + cost.first_word;
  access->last_word_cycle = now + cost.last_word;
  transaction.set_response_status(status);
  return cost;
}

void MemoryController::step(Cycle now) {
  if (now < free_at_) return;
  for (unsigned i = 0; i < memory_initiators; ++i) {
    if (slots_[i].transaction == nullptr || slots_[i].eligible > now) continue;
    grant(static_cast<MemoryInitiator>(i), now);
    break;
  }
  // Later requests wake the controller themselves; those that wait already are served when it is free.
  for (const Slot& slot : slots_) {
    if (slot.transaction != nullptr) wake_at(std::max(slot.eligible, std::max(free_at_, now + 1)));
  }
}

void MemoryController::grant(MemoryInitiator initiator, Cycle now) {
  Slot& slot = slots_[static_cast<unsigned>(initiator)];
  tlm_generic_payload& transaction = *slot.transaction;
  slot.transaction = nullptr;
  const MemoryService::Cost cost = serve(initiator, transaction, now);
  free_at_ = now + cost.occupied;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  // Exact in a double: a request takes milliseconds at most (the range of its keys), far less than 2^52 ps.
  sc_core::sc_time delay = period_ * static_cast<double>(cost.last_word);
  const auto answer = socket_of(initiator)->nb_transport_bw(transaction, phase, delay);
  if (answer != tlm::TLM_COMPLETED) {
    throw ModelError(name(), now, "", "an initiator did not complete a response at once");
  }
  transaction.release();
}

void MemoryController::b_transport(int id, tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const auto cost = serve(static_cast<MemoryInitiator>(id), transaction, first_arbitration(delay));
  delay += sc_core::sc_time::from_value(domain().period().ps_at(cost.last_word));
}

unsigned MemoryController::transport_dbg(int, tlm_generic_payload& transaction) {
  if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
  return service_.debug(transaction.is_write(), transaction.get_address(), transaction.get_data_ptr(),
                        transaction.get_data_length());
}

bool MemoryController::get_direct_mem_ptr(int, tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.init();
  return false;
}

}  // namespace tsuji::host
