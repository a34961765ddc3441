#pragma once

#include "cenju4_workload.h"
#include "command_line.h"
#include "fabric/cenju4_config.h"

namespace tsuji::platform {

/// Runs the programs that a workload is made of on a whole machine and puts what they measured into the
/// results.
void run_machine(const fabric::Cenju4Config& machine, const WorkloadConfig& workload,
                 const std::vector<unsigned>& traced_lines, const RunOptions& options,
                 observe::Results& results);

}  // namespace tsuji::platform
