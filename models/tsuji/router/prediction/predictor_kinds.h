// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/kinds.h"
#include "tsuji/router/prediction/predictors.h"

namespace tsuji::router {

/// Table of output ports that a predictor needs from the network. straight: port straight on from each input.
/// up: as straight, only for ports that go up, towards the root.
enum class PredictorTable : std::uint8_t { none, straight, up };

struct PredictorTraits {
  static constexpr const char* selector = "prediction.kind";
  static constexpr const char* unknown = "unknown predictor";
  PredictorTable table = PredictorTable::none;  ///< a kind with one is static: learn() may be left out
  bool reads_coming = false;                    ///< predict() gets the candidates of the next head
};

/// All predictors by their value of `prediction.kind`, with their parameters. The product is in the arena of
/// the parts; null for `none`.
using PredictorKinds = config::Kinds<PredictorTraits, ArenaPtr<Predictors>, const PredictorParts&>;

/// Returns the predictors that CMakeLists.txt lists.
PredictorKinds predictor_kinds();

}  // namespace tsuji::router
