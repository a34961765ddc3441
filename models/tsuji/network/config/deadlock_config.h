// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/network/config/network_config.h"
#include "tsuji/routing/checkers/deadlock.h"

namespace tsuji::network {

/// Input of the deadlock checker for a network. `to_self`: nodes may send to themselves.
routing::DeadlockConfig deadlock_config(const NetworkConfig& machine, const graph::Topology& topology,
                                        bool to_self);

}  // namespace tsuji::network
