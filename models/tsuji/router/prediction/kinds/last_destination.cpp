// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/core/index_or_none.h"
#include "tsuji/router/prediction/kinds.h"
#include "tsuji/routing/compact/table_bits.h"

namespace tsuji::router {
namespace {

class LastDestination final : public Predictors {
 public:
  std::string stands_for() const override { return "predicts by the last head's destination"; }
  LastDestination(const PredictorParts& parts, unsigned entries)
      : ports_count_(parts.ports),
        entries_(entries),
        last_(parts.arena.array<std::uint32_t>(parts.ports)),
        next_(parts.arena.array<IndexOrNone<std::uint16_t>>(std::size_t{parts.ports} * entries)) {}
  unsigned predict(unsigned input, const routing::RouteSet*) const override {
    return entry(input).value_or(no_port);
  }
  void learn(unsigned input, End destination, unsigned port) override {
    entry(input) = port;
    last_[input] = destination.number() % entries_;
  }
  std::uint64_t state_bits() const override {
    return ports_count_ *
           (routing::bits_below(entries_) + std::uint64_t{entries_} * routing::bits_below(ports_count_ + 1U));
  }

 private:
  IndexOrNone<std::uint16_t>& entry(unsigned input) const {
    return next_[std::size_t{input} * entries_ + last_[input]];
  }

  const unsigned ports_count_, entries_;
  std::uint32_t* const last_;               ///< [input]: entry of the last destination
  IndexOrNone<std::uint16_t>* const next_;  ///< [input][entry]
};

}  // namespace

void LastDestinationConfig::add_keys(config::KeyTable& keys) {
  keys.add("prediction.entries", entries, {1, 4096}, "entries",
           "last_destination: entries of each input's prediction table");
}

ArenaPtr<Predictors> LastDestinationConfig::make(const PredictorParts& parts) const {
  return make_in<LastDestination>(parts.arena, parts, entries);
}

void add_last_destination(PredictorKinds& kinds) {
  kinds.add<LastDestinationConfig>("last_destination");
}

}  // namespace tsuji::router
