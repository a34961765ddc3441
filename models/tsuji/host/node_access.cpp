// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/node_access.h"

#include <vector>

#include "tsuji/core/error.h"

namespace tsuji::host {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw ModelError("os agent", 0, "", what);
}

}  // namespace

void NodeAccess::bind(tlm::tlm_fw_transport_if<>& memory, tlm::tlm_fw_transport_if<>& registers) {
  memory_ = &memory;
  registers_ = &registers;
}

void NodeAccess::access(tlm::tlm_command command, std::uint64_t address, std::uint64_t* words,
                        std::size_t count) const {
  if (memory_ == nullptr) fail("used before boot");
  tlm::tlm_generic_payload payload;
  const auto bytes = static_cast<unsigned>(count * 8);
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(words));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  if (memory_->transport_dbg(payload) != bytes) fail("no memory at address " + std::to_string(address));
}

void NodeAccess::read_words(std::uint64_t address, std::uint64_t* words, std::size_t count) const {
  access(tlm::TLM_READ_COMMAND, address, words, count);
}

void NodeAccess::write_words(std::uint64_t address, const std::uint64_t* words, std::size_t count) const {
  std::vector<std::uint64_t> copy(words, words + count);  // a payload's data pointer is not const
  access(tlm::TLM_WRITE_COMMAND, address, copy.data(), count);
}

void NodeAccess::write_register(std::uint64_t offset, std::uint64_t value) const {
  if (registers_ == nullptr) fail("used before boot");
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(8);
  payload.set_streaming_width(8);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  registers_->b_transport(payload, delay);
  if (payload.is_response_error()) {
    fail("register " + std::to_string(offset) + " answered " + payload.get_response_string());
  }
}

}  // namespace tsuji::host
