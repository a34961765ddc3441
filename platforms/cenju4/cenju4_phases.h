#pragma once

#include "platforms/cenju4/cenju4_workload.h"
#include "tsuji/fabric/cenju4/cenju4_config.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// Runs the programs that a workload is made of on a whole machine and puts what they measured into the
/// results.
void run_machine(const fabric::Cenju4Config& machine, const WorkloadConfig& workload,
                 const std::vector<unsigned>& wave_lines, const RunOptions& options,
                 observe::Results& results);

}  // namespace tsuji::platform
