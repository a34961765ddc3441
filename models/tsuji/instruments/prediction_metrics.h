// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "tsuji/network/vc_network.h"
#include "tsuji/results/results.h"

namespace tsuji::instruments {

/// Metrics of heads' visits to routers that predict, each visit one of PredictionOutcome's: how many, and
/// hits over all visits and over the visits with a prediction; and the table `predictions`, the `rows` inputs
/// whose predictor has saved most cycles.
void add_prediction(observe::Results& results, const network::VcNetwork& network, std::size_t rows);

}  // namespace tsuji::instruments
