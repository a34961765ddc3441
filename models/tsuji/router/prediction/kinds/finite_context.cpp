// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/core/index_or_none.h"
#include "tsuji/router/prediction/kinds.h"
#include "tsuji/routing/compact/table_bits.h"

namespace tsuji::router {
namespace {

constexpr std::uint64_t most_contexts = 1U << 16;

class FiniteContext final : public Predictors {
 public:
  std::string stands_for() const override { return "predicts by the ports of an input's last heads"; }
  FiniteContext(const PredictorParts& parts, unsigned contexts)
      : ports_count_(parts.ports),
        contexts_(contexts),
        context_(parts.arena.array<std::uint32_t>(parts.ports)),
        next_(parts.arena.array<IndexOrNone<std::uint16_t>>(std::size_t{parts.ports} * contexts)) {}
  unsigned predict(unsigned input, const routing::RouteSet*) const override {
    return entry(input).value_or(no_port);
  }
  void learn(unsigned input, End, unsigned port) override {
    entry(input) = port;
    context_[input] = (context_[input] * ports_count_ + port) % contexts_;
  }
  std::uint64_t state_bits() const override {
    return ports_count_ * (routing::bits_below(contexts_) +
                           std::uint64_t{contexts_} * routing::bits_below(ports_count_ + 1U));
  }

 private:
  IndexOrNone<std::uint16_t>& entry(unsigned input) const {
    return next_[std::size_t{input} * contexts_ + context_[input]];
  }

  const unsigned ports_count_, contexts_;
  std::uint32_t* const context_;            ///< [input]: ports of the last heads, the latest one lowest
  IndexOrNone<std::uint16_t>* const next_;  ///< [input][context]
};

}  // namespace

void FiniteContextConfig::add_keys(config::KeyTable& keys) {
  keys.add("prediction.context_heads", context_heads, {1, 16}, "heads",
           "finite_context: number of an input's latest head flits whose output ports select an entry of its "
           "table (history length)");
}

ArenaPtr<Predictors> FiniteContextConfig::make(const PredictorParts& parts) const {
  std::uint64_t contexts = 1;
  for (unsigned head = 0; head < context_heads; ++head) {
    contexts *= parts.ports;
    if (contexts > most_contexts)
      throw ConfigError(
          "prediction.context_heads", std::to_string(context_heads),
          "a table of too many entries for routers of " + std::to_string(parts.ports) + " ports",
          head == 0 ? "another predictor" : "1.." + std::to_string(head));
  }
  return make_in<FiniteContext>(parts.arena, parts, static_cast<unsigned>(contexts));
}

void add_finite_context(PredictorKinds& kinds) {
  kinds.add<FiniteContextConfig>("finite_context");
}

}  // namespace tsuji::router
