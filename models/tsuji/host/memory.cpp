// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/memory.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/link/byte_enables.h"

namespace tsuji::host {

using sc_core::sc_time;
using tlm::tlm_generic_payload;

namespace {
sc_time from_ns(double ns) {
  return sc_time(ns, sc_core::SC_NS);
}
}  // namespace

void MemoryConfig::validate() const {
  if (!(first_word_ns >= 0)) {
    throw ConfigError("memory.first_word_ns", std::to_string(first_word_ns), "negative", "0 or more");
  }
  if (!(word_ns >= 0)) throw ConfigError("memory.word_ns", std::to_string(word_ns), "negative", "0 or more");
}

Memory::Memory(sc_core::sc_module_name name, const MemoryConfig& config)
    : sc_module(name),
      socket("socket"),
      config_((config.validate(), config)),
      first_word_(from_ns(config.first_word_ns)),
      word_(from_ns(config.word_ns)),
      storage_(config.bytes),
      allow_dmi_(config.allow_dmi),
      responses_(
          "responses",
          [this](tlm_generic_payload& transaction) {
            execute(transaction);
            return sc_core::SC_ZERO_TIME;
          },
          [this](tlm_generic_payload& transaction, tlm::tlm_phase& phase, sc_time& delay) {
            return socket->nb_transport_bw(transaction, phase, delay);
          }) {
  socket.register_b_transport(this, &Memory::b_transport);
  socket.register_nb_transport_fw(this, &Memory::nb_transport_fw);
  socket.register_get_direct_mem_ptr(this, &Memory::get_direct_mem_ptr);
  socket.register_transport_dbg(this, &Memory::transport_dbg);
  // A page's zeros must not be read any more once it has bytes.
  storage_.on_new_page([this](std::uint64_t address) {
    if (zero_pointers_) socket->invalidate_direct_mem_ptr(address, address + SparseMemory::page_bytes - 1);
  });
}

tlm::tlm_response_status Memory::check(const tlm_generic_payload& transaction) const {
  if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  const tlm::tlm_response_status status = check_bytes(transaction);
  if (status != tlm::TLM_OK_RESPONSE) return status;
  const unsigned width = std::min(transaction.get_data_length(), transaction.get_streaming_width());
  return storage_.contains(transaction.get_address(), width) ? tlm::TLM_OK_RESPONSE
                                                             : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

void Memory::execute(tlm_generic_payload& transaction) {
  const auto status = check(transaction);
  if (status == tlm::TLM_OK_RESPONSE) {
    const bool read = transaction.is_read();
    if (read || transaction.is_write()) {
      visit_enabled_bytes(transaction, [&](std::uint64_t address, unsigned char* data, unsigned count) {
        if (read)
          storage_.read(address, data, count);
        else
          storage_.write(address, data, count);
      });
    }
    transaction.set_dmi_allowed(allow_dmi_);
  }
  transaction.set_response_status(status);
}

sc_time Memory::access_time(const tlm_generic_payload& transaction) const {
  const unsigned words = (transaction.get_data_length() + 7) / 8;
  return first_word_ + word_ * (words > 0 ? words - 1 : 0);
}

void Memory::b_transport(tlm_generic_payload& transaction, sc_time& delay) {
  execute(transaction);
  delay += access_time(transaction);
}

tlm::tlm_sync_enum Memory::nb_transport_fw(tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                           sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return responses_.take_phase(transaction, phase);
  responses_.check_request(transaction);
  const sc_time start = std::max(sc_core::sc_time_stamp() + delay, busy_until_);
  busy_until_ = start + access_time(transaction);
  if (!config_.early_completion) return responses_.take_request(transaction, phase, busy_until_);
  execute(transaction);
  delay = busy_until_ - sc_core::sc_time_stamp();
  return tlm::TLM_COMPLETED;
}

bool Memory::get_direct_mem_ptr(tlm_generic_payload& transaction, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = transaction.get_address();
  dmi.init();
  if (!storage_.contains(address, 1)) {
    dmi.set_start_address(storage_.bytes());
    return false;
  }
  const std::uint64_t start = address - address % SparseMemory::page_bytes;
  dmi.set_start_address(start);
  dmi.set_end_address(start + SparseMemory::page_bytes - 1);
  if (!allow_dmi_) return false;
  dmi.set_read_latency(word_);
  dmi.set_write_latency(word_);
  // A page that was never written has no bytes to point at; a reader must not bring it into being.
  if (!transaction.is_write() && storage_.find_page(address) == nullptr) {
    static SparseMemory::Page zeros{};  // read only by the rules of DMI, although its pointer is not const
    dmi.set_dmi_ptr(zeros.data());
    dmi.allow_read();
    zero_pointers_ = true;
    return true;
  }
  dmi.set_dmi_ptr(storage_.page(address).data());
  dmi.allow_read_write();
  return true;
}

unsigned Memory::transport_dbg(tlm_generic_payload& transaction) {
  const std::uint64_t address = transaction.get_address();
  if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND || !storage_.contains(address, 1)) return 0;
  const std::uint64_t there = storage_.bytes() - address;
  const auto count = static_cast<unsigned>(std::min<std::uint64_t>(transaction.get_data_length(), there));
  if (transaction.is_read()) {
    storage_.read(address, transaction.get_data_ptr(), count);
  } else {
    storage_.write(address, transaction.get_data_ptr(), count);
  }
  return count;
}

void Memory::take_back_pointers() {
  socket->invalidate_direct_mem_ptr(0, storage_.bytes() - 1);
}

void Memory::allow_dmi(bool allow) {
  if (allow_dmi_ && !allow) take_back_pointers();
  allow_dmi_ = allow;
}

void Memory::clear() {
  take_back_pointers();
  storage_.clear();
}

}  // namespace tsuji::host
