#pragma once

#include "tsuji/observe/results.h"
#include "tsuji/router/flit_router.h"

namespace tsuji::fabric {

/// Metrics of heads' visits to routers that predict, each visit one of PredictionOutcome's: how many, and
/// hits over all visits and over the visits with a prediction.
void add_prediction(observe::Results& results, const router::PredictionCounters& counters);

}  // namespace tsuji::fabric
