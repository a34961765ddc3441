// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "tsuji/network/vc_network.h"
#include "tsuji/results/results.h"

namespace tsuji::instruments {

/// Adds metrics of heads' visits to routers that predict: the number of visits by PredictionOutcome, and the
/// share of hits among all visits and among visits with a prediction; and the table `predictions` of the
/// `rows` inputs whose predictor has saved most cycles.
void add_prediction(observe::Results& results, const network::VcNetwork& network, std::size_t rows);

}  // namespace tsuji::instruments
