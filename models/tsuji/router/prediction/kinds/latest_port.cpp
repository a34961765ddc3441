// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/prediction/predictor_kinds.h"

namespace tsuji::router {
namespace {

/// The port by which the input's last head left.
class LatestPort final : public Predictors {
 public:
  explicit LatestPort(const PredictorParts& parts) : ports_(parts.arena.array<std::uint16_t>(parts.ports)) {}
  unsigned predict(unsigned input, const routing::RouteSet*) const override {
    return ports_[input] == 0 ? no_port : ports_[input] - 1U;
  }
  void learn(unsigned input, End, unsigned port) override {
    ports_[input] = static_cast<std::uint16_t>(port + 1);
  }

 private:
  std::uint16_t* const ports_;  ///< [input], + 1; 0: none yet
};

struct LatestPortConfig {
  ArenaPtr<Predictors> make(const PredictorParts& parts) const {
    return make_in<LatestPort>(parts.arena, parts);
  }
};

}  // namespace

void add_latest_port(PredictorKinds& kinds) {
  kinds.add<LatestPortConfig>("latest_port");
}

}  // namespace tsuji::router
