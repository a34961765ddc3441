// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "tsuji/results/results.h"
#include "tsuji/routing/capacity/capacity_bound.h"
#include "tsuji/session/network_faults.h"

namespace tsuji::session {

/// Cost of the bound: of each run, or of --print-capacity, which has no limit of size.
enum class CapacityEffort { run, print };

/// The load at which the first channel is full, of an open loop on a network whose faults stay. With
/// repeated packets (`repeats`) an upper bound: neither they nor acknowledgements count.
routing::CapacityBound network_capacity(const network::NetworkConfig& machine,
                                        const network::NetworkPlan& parts,
                                        const network::TrafficConfig& traffic,
                                        const network::TrafficSources& sources, bool repeats,
                                        CapacityEffort effort);

/// Metrics `capacity_bound_*`.
void add_capacity(const routing::CapacityBound& bound, const network::NetworkPlan& parts,
                  observe::Results& results);

}  // namespace tsuji::session
