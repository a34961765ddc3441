// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/network/network_workload.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/platform/machine_estimate.h"

namespace tsuji::platform {

/// Memory and time of a network with its nodes, from its configuration; builds at most a graph.
MachineEstimate network_estimate(const network::NetworkConfig& machine, const network::TrafficConfig& traffic,
                                 const observe::MeasureConfig& measure, const NetworkWorkload& workload);

}  // namespace tsuji::platform
