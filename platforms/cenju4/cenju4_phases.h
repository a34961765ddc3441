// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platforms/cenju4/cenju4_workload.h"
#include "tsuji/instruments/crosspoint_use.h"
#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// Records and tables of a run.
struct MachineReport {
  const std::vector<unsigned>& wave_lines;  ///< in a waveform; none: all
  const instruments::CrosspointUseConfig& use;
};

/// Modules of such a machine's log.
std::vector<observe::LogModules> machine_log_modules(const machines::Cenju4Config& machine);

/// Runs the programs that a workload is made of on a whole machine and puts what they measured into the
/// results.
void run_machine(const machines::Cenju4Config& machine, const WorkloadConfig& workload,
                 const MachineReport& report, const RunOptions& options, observe::Results& results);

}  // namespace tsuji::platform
