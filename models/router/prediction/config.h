#pragma once

#include <string>

#include "tsuji/graph/straight_ports.h"
#include "tsuji/router/predictor_kinds.h"

namespace tsuji::router {

/// Prediction of a virtual-channel router.
struct PredictionConfig {
  std::string kind = "none";
  PredictorKinds kinds = predictor_kinds();
  graph::TopTurn top = graph::TopTurn::next;

  bool on() const { return kind != "none"; }
};

}  // namespace tsuji::router
