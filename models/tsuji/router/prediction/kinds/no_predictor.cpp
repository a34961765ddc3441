// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/prediction/predictor_kinds.h"

namespace tsuji::router {
namespace {

struct NoPredictorConfig {
  ArenaPtr<Predictors> make(const PredictorParts&) const { return nullptr; }
};

}  // namespace

void add_no_predictor(PredictorKinds& kinds) {
  kinds.add<NoPredictorConfig>("none");
}

}  // namespace tsuji::router
