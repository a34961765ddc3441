// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "tsuji/router/prediction/predictor_kinds.h"

namespace tsuji::router {
namespace {

/// Bounds of prediction, from knowledge of the next head. oracle: a port of its route; inputs whose heads may
/// leave by several ports get different ones. always_miss: the first port that is not in its route.
class ComingHead final : public Predictors {
 public:
  std::string stands_for() const override {
    return "oracle: predicts the output of the arriving head, an upper bound for predictors";
  }
  ComingHead(const PredictorParts& parts, bool right) : ports_(parts.ports), right_(right) {}
  unsigned predict(unsigned input, const routing::RouteSet* coming) const override {
    if (coming == nullptr || coming->size() == 0) return no_port;
    if (right_) return (*coming)[input % coming->size()].port;
    for (unsigned port = 0; port < ports_; ++port) {
      if (std::none_of(coming->begin(), coming->end(),
                       [port](const routing::RouteCandidate& one) { return one.port == port; }))
        return port;
    }
    return no_port;
  }

 private:
  const unsigned ports_;
  const bool right_;
};

struct ComingHeadConfig {
  ArenaPtr<Predictors> oracle(const PredictorParts& parts) const {
    return make_in<ComingHead>(parts.arena, parts, true);
  }
  ArenaPtr<Predictors> always_miss(const PredictorParts& parts) const {
    return make_in<ComingHead>(parts.arena, parts, false);
  }
};

}  // namespace

void add_coming_head(PredictorKinds& kinds) {
  const PredictorTraits traits{PredictorTable::none, true};
  kinds.add<ComingHeadConfig>({{"always_miss", &ComingHeadConfig::always_miss, "", traits},
                               {"oracle", &ComingHeadConfig::oracle, "", traits}});
}

}  // namespace tsuji::router
