// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "tsuji/results/results.h"
#include "tsuji/routing/capacity/capacity_bound.h"
#include "tsuji/session/network_faults.h"

namespace tsuji::session {

/// Effort for the bound: some 0.2 s in each run, some 3 s for --print-design, whose designs share it,
/// unlimited for --print-capacity.
enum class CapacityEffort { run, design, print };

/// Load at which the first channel is full, for open-loop traffic on a network with permanent faults. With
/// retransmissions (`repeats`) an upper bound: neither they nor acknowledgements are counted.
routing::CapacityBound network_capacity(const network::NetworkConfig& machine,
                                        const network::NetworkPlan& parts,
                                        const network::TrafficConfig& traffic,
                                        const network::TrafficSources& sources, bool repeats,
                                        CapacityEffort effort);

/// Adds the metrics `capacity_bound_*`.
void add_capacity(const routing::CapacityBound& bound, const network::NetworkPlan& parts,
                  observe::Results& results);

}  // namespace tsuji::session
