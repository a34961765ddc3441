// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/network/loaded_network.h"
#include "tsuji/results/results.h"

namespace tsuji::instruments {

/// Adds the table `mechanisms`: for each active mechanism (route look-ups or tables, prediction, recovery)
/// the number of each of its events, and the cycles that these cost the heads, or saved (negative), summed
/// over all heads. Cycles of different heads overlap, so the sum is not the time of a run. No table if no
/// mechanism is active.
void add_mechanisms(observe::Results& results, const network::LoadedNetwork& loaded,
                    const network::NetworkConfig& config);

}  // namespace tsuji::instruments
