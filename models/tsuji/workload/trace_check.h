// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/workload/trace.h"

namespace tsuji::workload {

/// ConfigError where two ranks of a trace disagree, with the lines of both: no machine plays such a trace to
/// its end. Ranks agree if
/// - they do the same collectives in the same order, with the same root and the same bytes; what a rank sends
/// to
///   another in an alltoallv is what the other receives from it;
/// - every send has its receive and every receive its send, and no message is longer than its receive. The
/// n-th
///   receive of a source and tag takes the n-th message.
/// Whether ranks then wait for each other forever, for the order of their operations, is not looked at.
///
/// Takes n log n for the n stored operations of a rank, and time in proportion to the counts of alltoallv;
/// repetitions that all ranks do alike take no time.
void check_ranks(const Trace& trace);

}  // namespace tsuji::workload
