// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/router/prediction/predictor_kinds.h"

// Parameters of predictors.

namespace tsuji::router {

/// Finite context: a table per input, indexed by the output ports of its last heads, with the port that
/// followed last time.
struct FiniteContextConfig {
  unsigned context_heads = 2;

  void add_keys(config::KeyTable& keys);
  /// ConfigError of prediction.context_heads.
  ArenaPtr<Predictors> make(const PredictorParts& parts) const;
};

/// A table per input, indexed by the destination of its last head, with the output port of the head that
/// followed last time. Destinations that differ by a multiple of `entries` share an entry.
struct LastDestinationConfig {
  unsigned entries = 16;

  void add_keys(config::KeyTable& keys);
  ArenaPtr<Predictors> make(const PredictorParts& parts) const;
};

}  // namespace tsuji::router
