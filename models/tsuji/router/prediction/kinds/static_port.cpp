// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "tsuji/router/prediction/predictor_kinds.h"

namespace tsuji::router {
namespace {

/// Static Straight (SS) and Up Priority (UP), Tateshita 2009, 2.2: always the port of the table.
class StaticPort final : public Predictors {
 public:
  std::string stands_for() const override {
    return "static prediction: SS or UP (Tateshita 2009, section 2.2)";
  }
  explicit StaticPort(const PredictorParts& parts) : ports_(parts.arena.array<std::uint16_t>(parts.ports)) {
    for (unsigned input = 0; input < parts.ports; ++input)
      ports_[input] = static_cast<std::uint16_t>(std::min<unsigned>(parts.table[input], nothing));
  }
  unsigned predict(unsigned input, const routing::RouteSet*) const override {
    return ports_[input] == nothing ? no_port : ports_[input];
  }

 private:
  static constexpr std::uint16_t nothing = 0xffff;
  std::uint16_t* const ports_;  ///< [input]
};

struct StaticPortConfig {
  ArenaPtr<Predictors> make(const PredictorParts& parts) const {
    return make_in<StaticPort>(parts.arena, parts);
  }
};

}  // namespace

void add_static_port(PredictorKinds& kinds) {
  kinds.add<StaticPortConfig>({{"straight", &StaticPortConfig::make, "", {PredictorTable::straight}},
                               {"up", &StaticPortConfig::make, "", {PredictorTable::up}}});
}

}  // namespace tsuji::router
