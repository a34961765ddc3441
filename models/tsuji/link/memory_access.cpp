// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/memory_access.h"

#include <cstring>

namespace tsuji {

tlm::tlm_extension_base* MemoryAccess::clone() const {
  auto* copy = new MemoryAccess;  // TLM contract: the caller of clone() owns it
  copy->copy_from(*this);
  return copy;
}

void MemoryAccess::copy_from(const tlm::tlm_extension_base& other) {
  const auto& from = static_cast<const MemoryAccess&>(other);
  kind = from.kind;
  first_word_cycle = from.first_word_cycle;
  last_word_cycle = from.last_word_cycle;
  old_value = from.old_value;
  takes_delays = from.takes_delays;
}

std::uint64_t atomic_result(MemoryAccessKind kind, std::uint64_t old, const unsigned char* operands) {
  std::uint64_t first = 0, second = 0;
  std::memcpy(&first, operands, 8);
  if (kind == MemoryAccessKind::atomic_add) return old + first;
  if (kind == MemoryAccessKind::swap) return first;
  std::memcpy(&second, operands + 8, 8);
  return old == first ? second : old;
}

MemoryTransaction::MemoryTransaction() : payload_(this) {
  payload_.set_extension(&access_);
}

MemoryTransaction::~MemoryTransaction() {
  payload_.clear_extension(&access_);
}

tlm::tlm_generic_payload& MemoryTransaction::begin(MemoryAccessKind kind, std::uint64_t address,
                                                   unsigned bytes, const void* data) {
  access_.kind = kind;
  set_times(0, 0);
  access_.old_value = 0;
  seen_ = data_;
  const bool write = kind != MemoryAccessKind::coherent_read && kind != MemoryAccessKind::noncoherent_read;
  if (write) std::memcpy(data_, data, bytes);
  payload_.acquire();
  payload_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload_.set_address(address);
  payload_.set_data_ptr(data_);
  payload_.set_data_length(bytes);
  payload_.set_streaming_width(bytes);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_byte_enable_length(0);
  payload_.set_dmi_allowed(false);
  payload_.set_gp_option(tlm::TLM_MIN_PAYLOAD);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return payload_;
}

void MemoryTransaction::hide_data() {
  static constexpr unsigned char zeros[line_bytes] = {};
  seen_ = zeros;
}

std::uint64_t MemoryTransaction::word(unsigned index) const {
  std::uint64_t value = 0;
  std::memcpy(&value, seen_ + 8 * index, 8);
  return value;
}

}  // namespace tsuji
