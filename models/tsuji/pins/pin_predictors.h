// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/router/prediction/predictor_kinds.h"

namespace tsuji::router {

/// Predictors of a router that a reset empties.
class PinPredictors {
 public:
  /// `table` as PredictorParts::table. ConfigError for an unknown kind.
  PinPredictors(PredictorKinds kinds, std::string kind, unsigned ports, std::vector<unsigned> table)
      : kinds_(std::move(kinds)), kind_(std::move(kind)), ports_(ports), table_(std::move(table)) {
    restart();
  }
  void restart() {
    predictors_.reset();
    arena_ = std::make_unique<Arena>();
    predictors_ = kinds_.make(kind_, PredictorParts{ports_, table_, *arena_});
  }
  Predictors& now() { return *predictors_; }

 private:
  const PredictorKinds kinds_;
  const std::string kind_;
  const unsigned ports_;
  const std::vector<unsigned> table_;
  std::unique_ptr<Arena> arena_;
  ArenaPtr<Predictors> predictors_;
};

}  // namespace tsuji::router
