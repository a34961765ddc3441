// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/workload/trace.h"

namespace tsuji::host {

/// Checks before a run that a heap can hold the data that a rank of a trace uses at one time. Throws
/// ConfigError of library.heap_bytes, or of the trace if no heap size suffices. The message library may need
/// more for messages that arrive unexpectedly; that case is refused when it occurs.
void check_heap(const workload::Trace& trace, std::uint32_t rank, std::uint64_t heap_bytes);

}  // namespace tsuji::host
