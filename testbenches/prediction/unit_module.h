// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "prediction/crossbar_module.h"
#include "tsuji/pins/pin_predictors.h"

namespace tsuji::router {

struct UnitConfig {
  std::string kind;
  std::vector<unsigned> straight = {};  ///< [input]: output port that static kinds predict
  CrossbarConfig crossbar = {};
};

/// Predictors and PredictiveCrossbar of a router with pins. An examined input
/// requests the output that its predictor names after it has learned the heads of the cycle.
class UnitModule final : public CrossbarPort {
 public:
  static constexpr unsigned destination_bits = 6;

  sc_core::sc_in<std::uint32_t> look{"look"};
  sc_core::sc_in<std::uint32_t> learn_valid{"learn_valid"};
  sc_core::sc_in<std::uint32_t> learn_port{"learn_port"};
  sc_core::sc_in<std::uint32_t> learn_destination{"learn_destination"};
  sc_core::sc_out<std::uint32_t> predicted_valid{"predicted_valid"};
  sc_core::sc_out<std::uint32_t> predicted_port{"predicted_port"};

  UnitModule(sc_core::sc_module_name name, const UnitConfig& config);

 private:
  void restart() override;
  void wish(PredictiveCrossbar& crossbar) override;
  void show_predictions();

  PinPredictors predictors_;
};

}  // namespace tsuji::router
