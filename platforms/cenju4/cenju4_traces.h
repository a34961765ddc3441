// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platforms/cenju4/cenju4_workload.h"
#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/workload/trace.h"

namespace tsuji::platform {

/// Of the jobs that play one; empty where the workload plays none.
using Traces = std::vector<workload::Trace>;

Traces load_traces(const machines::Cenju4Config& machine, const WorkloadConfig& workload);

/// The ranks of each trace on nodes that follow each other. ConfigError where the machine has too few.
void place_jobs(machines::Cenju4Config& machine, const WorkloadConfig& workload, const Traces& traces);

}  // namespace tsuji::platform
