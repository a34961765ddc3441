// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/cenju4/cenju4_workload.h"
#include "platforms/cenju4/network_alone.h"
#include "tsuji/platform/machine_estimate.h"

namespace tsuji::platform {

/// Memory and time of a machine, or of its network alone, from its configuration.
MachineEstimate estimate_of(const machines::Cenju4Config& machine, const WorkloadConfig& workload,
                            const NetworkAlone& load);

}  // namespace tsuji::platform
