#pragma once

#include "cenju4_job.h"
#include "core/units.h"
#include "observe/results.h"

namespace tsuji::platform {

/// Of a job whose ranks all run a TraceProgram: operations done over all operations.
double trace_progress(const Cenju4Job& job);

/// The metrics trace_*, the table trace_ranks, and their lines on the terminal, when it is over.
void add_trace_metrics(const Cenju4Job& job, ClockPeriod period, observe::Results& results);

}  // namespace tsuji::platform
