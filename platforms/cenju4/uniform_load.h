#pragma once

#include "platforms/cenju4/cenju4_workload.h"
#include "tsuji/fabric/cenju4/cenju4_config.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// The network alone under uniformly random single casts, without network interfaces and processors; with
/// load 0 an idle network.
void run_uniform_load(const fabric::Cenju4Config& machine, const WorkloadConfig& workload,
                      const RunOptions& options, observe::Results& results);

}  // namespace tsuji::platform
