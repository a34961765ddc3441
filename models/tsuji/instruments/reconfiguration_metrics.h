// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/network/reconfiguration/reconfiguration.h"
#include "tsuji/results/results.h"

namespace tsuji::instruments {

/// Adds metrics of the cost of reconfigurations up to cycle `end`, the table `faults` of the links and
/// routers that have failed and returned until then, and the table `reconfigurations`.
void add_reconfiguration(observe::Results& results, const network::Reconfiguration& reconfiguration,
                         Cycle end);

}  // namespace tsuji::instruments
