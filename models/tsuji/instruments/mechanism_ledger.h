// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/network/loaded_network.h"
#include "tsuji/results/results.h"

namespace tsuji::instruments {

/// The table `mechanisms`: for each mechanism that is on (route look-ups or tables, prediction, recovery) how
/// often each of its events came, and the cycles that they cost the heads themselves, or saved (below 0),
/// summed over all heads. Cycles of different heads overlap, so they do not add up to the time of a run. No
/// table where none is on.
void add_mechanisms(observe::Results& results, const network::LoadedNetwork& loaded,
                    const network::NetworkConfig& config);

}  // namespace tsuji::instruments
