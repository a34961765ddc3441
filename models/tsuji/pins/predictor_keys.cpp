// SPDX-License-Identifier: Apache-2.0
#include "tsuji/pins/predictor_keys.h"

#include "tsuji/core/error.h"

namespace tsuji::pins {

void PredictorKeys::add_keys(config::KeyTable& keys, unsigned most_ports) {
  keys.add_choice("prediction.kind", kind, kinds.words(),
                  "predictor of the output port of an input's next head");
  kinds.add_keys(keys);
  keys.add("prediction.straight", straight, {0, most_ports}, {0, most_ports}, "",
           "output port that static kinds predict for each input; router.ports: none");
  std::vector<std::string> with_table;
  for (const std::string& word : kinds.names())
    if (kinds.traits(word).table != router::PredictorTable::none) with_table.push_back(word);
  keys.only_with("prediction.straight", {{"prediction.kind", with_table}});
}

void PredictorKeys::validate(bool alone) const {
  const auto fits = [&](const std::string& word) {
    return !kinds.traits(word).reads_coming && !(alone && word == "none");
  };
  if (!fits(kind)) {
    std::string accepted;
    for (const std::string& word : kinds.names())
      if (fits(word)) accepted += (accepted.empty() ? "" : ", ") + word;
    throw ConfigError("prediction.kind", kind, "pins do not show the head that comes next", accepted);
  }
  kinds.validate(kind);
}

void PredictorKeys::require_straight(unsigned ports) const {
  if (straight.size() != ports)
    throw ConfigError("prediction.straight", std::to_string(straight.size()) + " numbers",
                      "not one for each input", std::to_string(ports) + " numbers");
}

}  // namespace tsuji::pins
