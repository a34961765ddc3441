// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/workload/arrival_kinds.h"

namespace tsuji::workload {

/// Bernoulli process: a birth in each cycle with a constant probability.
class BernoulliArrivals final : public ArrivalProcess {
 public:
  explicit BernoulliArrivals(double rate) : gap_(rate) {}
  Cycle gap(CounterRandom& random) override { return gap_.draw(random); }

 private:
  const GeometricGap gap_;
};

}  // namespace tsuji::workload
