// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/prediction/config.h"

#include <algorithm>

namespace tsuji::router {

void PredictionConfig::add_keys(config::KeyTable& keys) {
  keys.add_choice("prediction.kind", kind, kinds.words(),
                  "predictor of the output port of an input's next head flit (Tateshita 2009)");
  kinds.add_keys(keys);
  keys.add_choice("prediction.top", top, {{"next", graph::TopTurn::next}, {"same", graph::TopTurn::same}},
                  "straight: output port predicted at the root of a tree; next: the port after the input's; "
                  "same: the input's own port");
  keys.only_with("prediction.top", {{"prediction.kind", {"straight"}}});
  using Check = std::optional<PredictionCheck>;
  keys.add_choice(
      "prediction.check", check.setting(),
      {{"auto", Check()},
       {"kill", Check(PredictionCheck::kill)},
       {"hint", Check(PredictionCheck::hint)},
       {"wait", Check(PredictionCheck::wait)},
       {"leak", Check(PredictionCheck::leak)}},
      "handling of mispredicted flits; kill: dropped at the output latch; hint: suppressed by hint bits; "
      "wait: not sent before the route is known; leak: sent, and dropped by the next router; auto: kill "
      "where the route is known in time, leak with prediction.serial, else wait");
  keys.add("prediction.serial", serial,
           "true: correctly predicted flits are forwarded word by word, without deserialization, without "
           "waiting for the last word and without serialization");
  std::vector<std::string> predictors = kinds.names();
  predictors.erase(std::remove(predictors.begin(), predictors.end(), "none"), predictors.end());
  for (const char* key : {"prediction.check", "prediction.serial"})
    keys.only_with(key, {{"prediction.kind", predictors}});
}

}  // namespace tsuji::router
