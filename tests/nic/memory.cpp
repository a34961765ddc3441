// SPDX-License-Identifier: Apache-2.0
#include "nic/memory.h"

#include <cstring>
#include <utility>

namespace tsuji::test {

Memory::Memory(sc_core::sc_module_name name, ClockDomain& domain, const MemoryTimes& times,
               std::uint64_t component)
    : sc_module(name),
      Clocked(domain),
      receiver("receiver"),
      sender("sender"),
      times_(times),
      random_(times.seed, component) {
  receiver.register_nb_transport_fw(this, &Memory::request, 0);
  sender.register_nb_transport_fw(this, &Memory::request, 1);
}

unsigned char& Memory::byte(std::uint64_t address) {
  auto& page = pages_[address / 4096];
  if (!page) page = std::make_unique<std::array<unsigned char, 4096>>();
  return (*page)[address % 4096];
}

void Memory::poke(std::uint64_t address, const void* from, std::size_t bytes) {
  for (std::size_t b = 0; b < bytes; ++b) byte(address + b) = static_cast<const unsigned char*>(from)[b];
}

void Memory::peek(std::uint64_t address, void* to, std::size_t bytes) const {
  for (std::size_t b = 0; b < bytes; ++b) {
    const auto page = pages_.find((address + b) / 4096);
    static_cast<unsigned char*>(to)[b] = page == pages_.end() ? 0 : (*page->second)[(address + b) % 4096];
  }
}

std::uint64_t Memory::peek_word(std::uint64_t address) const {
  std::uint64_t value = 0;
  peek(address, &value, 8);
  return value;
}

tlm::tlm_sync_enum Memory::request(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ || waiting_[initiator].payload != nullptr) {
    SC_REPORT_ERROR("memory", "a request out of turn");
  }
  if (breaks(payload, Fault::not_accepted)) return tlm::TLM_UPDATED;
  const Cycle ahead = delay.value() / domain().period().ps();
  if (ahead > 0 && !times_.takes_delays) SC_REPORT_ERROR("memory", "a request for a later cycle");
  delayed += ahead > 0 ? 1 : 0;
  const Cycle registered = domain().now() + ahead;
  waiting_[initiator] = {&payload, registered};
  if (breaks(payload, Fault::at_once)) {
    grant(domain().now(), initiator);
    return tlm::TLM_ACCEPTED;
  }
  wake_at(std::max(registered + 1, busy_until_));
  return tlm::TLM_ACCEPTED;
}

void Memory::step(Cycle now) {
  for (int initiator = 0; initiator < 2; ++initiator) {
    const Waiting& waiting = waiting_[initiator];
    if (waiting.payload == nullptr) continue;
    if (waiting.registered >= now) {
      wake_at(waiting.registered + 1);
      continue;
    }
    if (now < busy_until_) {
      wake_at(busy_until_);
      return;
    }
    grant(now, initiator);
  }
}

void Memory::grant(Cycle now, int initiator) {
  tlm::tlm_generic_payload& payload = *std::exchange(waiting_[initiator].payload, nullptr);
  auto& access = *payload.get_extension<MemoryAccess>();
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  const Cycle stall = times_.stall_bound == 0 ? 0 : random_.below(times_.stall_bound + 1);
  const bool changes_word = access.kind >= MemoryAccessKind::atomic_add;
  const bool crosses = address / 128 != (address + (changes_word ? 8 : bytes) - 1) / 128;
  if (payload.is_read()) {
    const bool noncoherent = access.kind == MemoryAccessKind::noncoherent_read;
    peek(address, payload.get_data_ptr(), bytes);
    access.first_word_cycle = now + stall + (noncoherent ? times_.noncoherent_first : times_.coherent_first);
    access.last_word_cycle = access.first_word_cycle + (bytes + 7) / 8 - 1;
  } else {
    const bool atomic = changes_word;
    if (atomic) {
      const std::uint64_t old = peek_word(address);
      std::array<std::uint64_t, 2> operand{};
      std::memcpy(operand.data(), payload.get_data_ptr(), bytes);
      if (access.kind == MemoryAccessKind::atomic_add) poke_word(address, old + operand[0]);
      if (access.kind == MemoryAccessKind::swap) poke_word(address, operand[0]);
      if (access.kind == MemoryAccessKind::compare_swap && old == operand[0]) poke_word(address, operand[1]);
      access.old_value = old;
    } else {
      poke(address, payload.get_data_ptr(), bytes);
    }
    access.first_word_cycle = access.last_word_cycle =
        now + stall + (atomic ? times_.atomic : times_.write + (bytes + 7) / 8);
    if (watch != 0 && address <= watch && watch < address + bytes) watched_writes.push_back(now);
  }
  access.takes_delays = times_.takes_delays;
  if (breaks(payload, Fault::in_the_past)) access.last_word_cycle = now - 1;
  busy_until_ = access.last_word_cycle + 1;
  log.push_back({now, static_cast<unsigned>(initiator), access.kind, address, bytes, access.last_word_cycle});
  payload.set_response_status(crosses ? tlm::TLM_BURST_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  if (breaks(payload, Fault::refuses)) payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time time = domain().time_of(access.last_word_cycle) - sc_core::sc_time_stamp();
  auto& socket = initiator == 0 ? receiver : sender;
  if (plain) {
    time -= sc_core::sc_time(4, sc_core::SC_NS);
    access.first_word_cycle = access.last_word_cycle = 0;
  }
  if (socket->nb_transport_bw(payload, phase, time) != tlm::TLM_COMPLETED) {
    SC_REPORT_ERROR("memory", "the answer was not completed");
  }
  if (breaks(payload, Fault::twice)) socket->nb_transport_bw(payload, phase, time);
}

}  // namespace tsuji::test
