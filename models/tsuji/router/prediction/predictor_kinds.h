// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/kinds.h"
#include "tsuji/router/prediction/predictors.h"

namespace tsuji::router {

/// The table of output ports that a predictor asks the network for: none; the port straight on from each
/// input; the same where it leads up from below, towards the root.
enum class PredictorTable : std::uint8_t { none, straight, up };

struct PredictorTraits {
  static constexpr const char* selector = "prediction.kind";
  static constexpr const char* unknown = "unknown predictor";
  PredictorTable table = PredictorTable::none;
  bool reads_coming = false;  ///< it is told the candidates of the head that comes next
};

/// Every predictor by its word in `prediction.kind`, with its parameters. The product lies in the arena of
/// the parts; null for the word `none`.
using PredictorKinds = config::Kinds<PredictorTraits, ArenaPtr<Predictors>, const PredictorParts&>;

/// The predictors of CMakeLists.txt.
PredictorKinds predictor_kinds();

}  // namespace tsuji::router
