// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/workload/trace.h"

namespace tsuji::workload {

/// Throws ConfigError, with the lines of both ranks, if two ranks of a trace disagree: no machine can replay
/// such a trace to its end. Ranks agree if
/// - they execute the same collectives in one order, with equal roots and bytes; in an alltoallv, the bytes
///   that a rank sends to another are the bytes that the other receives from it;
/// - every send has a receive and every receive has a send, and no message is longer than its receive. The
///   n-th receive of a source and tag matches the n-th message. A deadlock caused by the order of operations
///   is not detected.
///
/// Takes time n log n in the n stored operations of a rank, and linear time in the counts of alltoallv;
/// repetitions that all ranks execute equally take no extra time.
void check_ranks(const Trace& trace);

}  // namespace tsuji::workload
