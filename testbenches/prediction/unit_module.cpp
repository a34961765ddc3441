// SPDX-License-Identifier: Apache-2.0
#include "prediction/unit_module.h"

namespace tsuji::router {

UnitModule::UnitModule(sc_core::sc_module_name module_name, const UnitConfig& config)
    : CrossbarPort(module_name, config.crossbar), config_(config) {
  make_predictors();
}

void UnitModule::make_predictors() {
  predictors_.reset();
  arena_ = std::make_unique<Arena>();
  predictors_ = kinds_.make(config_.kind, PredictorParts{ports, config_.straight, *arena_});
}

void UnitModule::restart() {
  make_predictors();
  show_predictions();
}

void UnitModule::wish(PredictiveCrossbar& crossbar) {
  constexpr std::uint32_t destinations = 1U << destination_bits;
  for (unsigned input = 0; input < ports; ++input) {
    if (bit_of(learn_valid.read(), input))
      predictors_->learn(input, learn_destination.read() >> destination_bits * input & (destinations - 1),
                         port_of(learn_port.read(), input));
    if (bit_of(look.read(), input)) crossbar.want(input, predictors_->predict(input, nullptr));
  }
  show_predictions();
}

void UnitModule::show_predictions() {
  PortVector predicted;
  for (unsigned input = 0; input < ports; ++input) predicted.set(input, predictors_->predict(input, nullptr));
  predicted_valid.write(predicted.valid);
  predicted_port.write(predicted.port);
}

}  // namespace tsuji::router
