// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/core/index_or_none.h"
#include "tsuji/router/prediction/predictor_kinds.h"
#include "tsuji/routing/compact/table_bits.h"

namespace tsuji::router {
namespace {

/// Predicts the output port of the input's last head.
class LatestPort final : public Predictors {
 public:
  std::string stands_for() const override { return "predicts the port of an input's last head"; }
  explicit LatestPort(const PredictorParts& parts)
      : ports_count_(parts.ports), ports_(parts.arena.array<IndexOrNone<std::uint16_t>>(parts.ports)) {}
  unsigned predict(unsigned input, const routing::RouteSet*) const override {
    return ports_[input].value_or(no_port);
  }
  void learn(unsigned input, End, unsigned port) override { ports_[input] = port; }
  std::uint64_t state_bits() const override {
    return std::uint64_t{ports_count_} * routing::bits_below(ports_count_ + 1U);
  }

 private:
  const unsigned ports_count_;
  IndexOrNone<std::uint16_t>* const ports_;  ///< [input]
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
