// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/generic_access.h"

#include <algorithm>

#include "tsuji/link/byte_enables.h"

namespace tsuji::host {
namespace {

constexpr unsigned bytes_of_line = MemoryTransaction::line_bytes;

}  // namespace

tlm::tlm_response_status check_generic(const tlm::tlm_generic_payload& payload, const MemoryStore& store) {
  const unsigned length = payload.get_data_length();
  if (payload.get_data_ptr() == nullptr || length == 0) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (payload.get_streaming_width() == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (!known_byte_enables(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  // Snoops work on whole lines, so whole lines must exist.
  const std::uint64_t in_line = payload.get_address() % bytes_of_line;
  const std::uint64_t touched = in_line + std::min(length, payload.get_streaming_width());
  const std::uint64_t whole = (touched + bytes_of_line - 1) / bytes_of_line * bytes_of_line;
  return store.contains(payload.get_address() - in_line, whole) ? tlm::TLM_OK_RESPONSE
                                                                : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

MemoryService::Request generic_piece(const tlm::tlm_generic_payload& payload, unsigned done) {
  const unsigned beat = payload.get_streaming_width();
  const unsigned in_beat = done % beat;
  MemoryService::Request piece;
  piece.any_bytes = true;
  piece.address = payload.get_address() + in_beat;
  const auto to_border = static_cast<unsigned>(bytes_of_line - piece.address % bytes_of_line);
  piece.bytes = std::min({payload.get_data_length() - done, beat - in_beat, to_border});
  piece.data = payload.get_data_ptr() + done;
  piece.enables = payload.get_byte_enable_ptr();
  piece.enable_length = payload.get_byte_enable_length();
  piece.first_enable = done;
  return piece;
}

}  // namespace tsuji::host
