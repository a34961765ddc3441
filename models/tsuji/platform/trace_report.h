// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/units.h"
#include "tsuji/platform/cenju4_job.h"
#include "tsuji/results/results.h"
#include "tsuji/workload/trace.h"

namespace tsuji::platform {

/// Limits for reading a trace: no rank may compute for longer than the longest run on this clock, at
/// `ns_per_flop` x `compute_scale`.
workload::TraceLimits trace_limits(ClockPeriod period, double compute_scale, double ns_per_flop = 1.0);

/// Progress of a job whose ranks all run a TraceProgram: operations done divided by all operations.
double trace_progress(const Cenju4Job& job);

/// Adds the metrics PREFIX_messages, _message_bytes, _messages_sent and _bytes_sent of a finished replay.
/// Throws ModelError if the ranks have not sent and received exactly the messages of the trace.
void add_message_metrics(const Cenju4Job& job, const workload::TraceCount& trace, const std::string& prefix,
                         observe::Results& results);
/// Adds the metrics of add_message_metrics() and all others named trace_*, the table trace_ranks, and their
/// lines for the terminal.
void add_trace_metrics(const Cenju4Job& job, const workload::TraceCount& trace, ClockPeriod period,
                       observe::Results& results);

/// Note for the headline of a replay in which no rank computes: its time is not the time of an application.
/// Empty for other replays.
std::string without_computing(const workload::TraceCount& trace, double compute_scale);

}  // namespace tsuji::platform
