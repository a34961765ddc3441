// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/observe/load_measurement.h"
#include "tsuji/platform/machine_estimate.h"
#include "tsuji/session/network_workload.h"

namespace tsuji::session {

/// Estimates memory and time of a network with its nodes, from its configuration; builds at most a graph.
platform::MachineEstimate network_estimate(const network::NetworkConfig& machine,
                                           const network::TrafficConfig& traffic,
                                           const observe::MeasureConfig& measure,
                                           const NetworkWorkload& workload);

}  // namespace tsuji::session
