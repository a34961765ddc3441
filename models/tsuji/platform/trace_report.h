// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/units.h"
#include "tsuji/platform/cenju4_job.h"
#include "tsuji/results/results.h"
#include "tsuji/workload/trace.h"

namespace tsuji::platform {

/// No rank computes for longer than a run on this clock may last, at `ns_per_flop` x `compute_scale`.
workload::TraceLimits trace_limits(ClockPeriod period, double compute_scale, double ns_per_flop = 1.0);

/// Of a job whose ranks all run a TraceProgram: operations done over all operations.
double trace_progress(const Cenju4Job& job);

/// The metrics PREFIX_messages, _message_bytes, _messages_sent and _bytes_sent of a replay that is over.
/// ModelError where the ranks have not sent or not received the messages of the trace.
void add_message_metrics(const Cenju4Job& job, const workload::TraceCount& trace, const std::string& prefix,
                         observe::Results& results);
/// Those, the other metrics trace_*, the table trace_ranks, and their lines on the terminal.
void add_trace_metrics(const Cenju4Job& job, const workload::TraceCount& trace, ClockPeriod period,
                       observe::Results& results);

/// For the headline of a replay in which no rank computes: with nothing between its messages, its time is
/// none of an application. Empty for others.
std::string without_computing(const workload::TraceCount& trace, double compute_scale);

}  // namespace tsuji::platform
