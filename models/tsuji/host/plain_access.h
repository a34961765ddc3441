// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

#include "tsuji/host/memory_service.h"

namespace tsuji::host {

/// A payload without our extension, as the memory controller serves it: cut at the borders of lines and,
/// where the streaming width is less than the length, of beats, which all lie at the payload's address.

/// TLM_OK_RESPONSE if all pieces can be served from `store`.
tlm::tlm_response_status check_plain(const tlm::tlm_generic_payload& payload, const MemoryStore& store);
/// The piece of an accepted payload that follows `done` bytes. Its kind and initiator are the caller's.
MemoryService::Request plain_piece(const tlm::tlm_generic_payload& payload, unsigned done);

}  // namespace tsuji::host
