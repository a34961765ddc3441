// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <tlm>

namespace tsuji {

/// Returns true if the payload has no byte enables or only values that TLM-2.0 defines.
inline bool known_byte_enables(const tlm::tlm_generic_payload& payload) {
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  if (enables == nullptr) return true;
  const unsigned length = payload.get_byte_enable_length();
  return length > 0 && std::all_of(enables, enables + length, [](unsigned char enable) {
           return enable == TLM_BYTE_ENABLED || enable == TLM_BYTE_DISABLED;
         });
}

/// Returns TLM_OK_RESPONSE if the payload's data, streaming width and byte enables are those of a valid
/// access, or its command is to be ignored.
inline tlm::tlm_response_status check_bytes(const tlm::tlm_generic_payload& payload) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (payload.get_data_ptr() == nullptr || payload.get_data_length() == 0)
    return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (payload.get_streaming_width() == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  return known_byte_enables(payload) ? tlm::TLM_OK_RESPONSE : tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
}

/// Calls visit(address, data, count) for the enabled bytes of a payload in their order, in runs of neighbours
/// within a beat (IEEE 1666: byte i is at the address plus i modulo the streaming width, and has enable i
/// modulo their length).
template <typename Visit>
void visit_enabled_bytes(const tlm::tlm_generic_payload& payload, Visit&& visit) {
  const unsigned length = payload.get_data_length();
  const unsigned width = std::min(length, payload.get_streaming_width());
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  const unsigned enable_length = payload.get_byte_enable_length();
  const auto is_enabled = [&](unsigned i) {
    return enables == nullptr || enables[i % enable_length] == TLM_BYTE_ENABLED;
  };
  for (unsigned beat = 0; beat < length; beat += width) {
    const unsigned end = std::min(length, beat + width);
    for (unsigned first = beat; first < end;) {
      unsigned last = first;
      if (enables == nullptr) last = end;
      while (last < end && is_enabled(last)) ++last;
      if (last > first)
        visit(payload.get_address() + (first - beat), payload.get_data_ptr() + first, last - first);
      first = std::max(last, first + 1);
    }
  }
}

}  // namespace tsuji
