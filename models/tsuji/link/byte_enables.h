// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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

}  // namespace tsuji
