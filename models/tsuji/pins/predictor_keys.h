// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/router/prediction/predictor_kinds.h"

namespace tsuji::pins {

/// Keys of the predictors at a router's inputs.
struct PredictorKeys {
  std::string kind;
  router::PredictorKinds kinds = router::predictor_kinds();
  std::vector<unsigned> straight =
      {};  ///< [input] output port of a static kind; a port that does not exist: none

  void add_keys(config::KeyTable& keys, unsigned most_ports);
  /// ConfigError for a kind that reads heads which the pins do not show, and for one of no use there: a
  /// device of predictors alone needs some.
  void validate(bool alone) const;
  bool has_table() const { return kinds.traits(kind).table != router::PredictorTable::none; }
  /// ConfigError for `straight` without a number for each input.
  void require_straight(unsigned ports) const;
};

}  // namespace tsuji::pins
