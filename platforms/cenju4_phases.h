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

/// A file named in the configuration: as it is, or below the project's folder if it is not there.
std::string find_input(const std::string& path);

}  // namespace tsuji::platform
