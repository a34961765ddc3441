// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

#include "tsuji/host/memory_service.h"

namespace tsuji::host {

/// Divides a generic payload, one without the MemoryAccess extension, into pieces for the memory controller:
/// at line boundaries and, if the streaming width is less than the length, into beats, which all start at the
/// payload's address.

/// Returns TLM_OK_RESPONSE if `store` can serve all pieces.
tlm::tlm_response_status check_generic(const tlm::tlm_generic_payload& payload, const MemoryStore& store);
/// Returns the piece of an accepted payload that follows `done` bytes. The caller sets its kind and
/// initiator.
MemoryService::Request generic_piece(const tlm::tlm_generic_payload& payload, unsigned done);

}  // namespace tsuji::host
