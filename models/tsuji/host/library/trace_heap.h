// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/workload/trace.h"

namespace tsuji::host {

/// Refuses a heap that cannot hold what a rank of a trace has in use at a time, before it runs: ConfigError
/// of library.heap_bytes, or of the trace where no heap could. The message library may need more for messages
/// that come unexpectedly; that is refused when it happens.
void check_heap(const workload::Trace& trace, std::uint32_t rank, std::uint64_t heap_bytes);

}  // namespace tsuji::host
