// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/router/prediction/predictor_kinds.h"

// Parameters of predictors that have any.

namespace tsuji::router {

/// A table for each input, indexed by the ports of its last heads: the port that followed them last time.
struct FiniteContextConfig {
  unsigned context_heads = 2;

  void add_keys(config::KeyTable& keys);
  /// ConfigError: prediction.context_heads.
  ArenaPtr<Predictors> make(const PredictorParts& parts) const;
};

/// A table for each input, indexed by the destination of its last head: the port by which the head behind
/// that one left, last time. Destinations that differ by a multiple of the number of entries share one.
struct LastDestinationConfig {
  unsigned entries = 16;

  void add_keys(config::KeyTable& keys);
  ArenaPtr<Predictors> make(const PredictorParts& parts) const;
};

}  // namespace tsuji::router
