// SPDX-License-Identifier: Apache-2.0
#include "prediction/unit_module.h"

namespace tsuji::router {

UnitModule::UnitModule(sc_core::sc_module_name module_name, const UnitConfig& config)
    : CrossbarPort(module_name, config.crossbar),
      predictors_(predictor_kinds(), config.kind, ports, config.straight) {}

void UnitModule::restart() {
  predictors_.restart();
  show_predictions();
}

void UnitModule::wish(PredictiveCrossbar& crossbar) {
  constexpr std::uint32_t destinations = 1U << destination_bits;
  for (unsigned input = 0; input < ports; ++input) {
    if (bit_of(learn_valid.read(), input))
      predictors_.now().learn(input,
                              learn_destination.read() >> destination_bits * input & (destinations - 1),
                              port_of(learn_port.read(), input));
    if (bit_of(look.read(), input)) crossbar.want(input, predictors_.now().predict(input, nullptr));
  }
  show_predictions();
}

void UnitModule::show_predictions() {
  PortVector predicted;
  for (unsigned input = 0; input < ports; ++input)
    predicted.set(input, predictors_.now().predict(input, nullptr));
  predicted_valid.write(predicted.valid);
  predicted_port.write(predicted.port);
}

}  // namespace tsuji::router
