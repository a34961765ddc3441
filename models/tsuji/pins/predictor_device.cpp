// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"
#include "tsuji/pins/device_kinds.h"
#include "tsuji/pins/pin_predictors.h"
#include "tsuji/pins/predictor_keys.h"

namespace tsuji::pins {
namespace {

constexpr unsigned most_predicting_ports = 64;

struct PredictorDeviceConfig {
  PredictorKeys predictor{"latest_port"};
  unsigned ports = 5, destination_bits = 16;

  void add_keys(config::KeyTable& keys) {
    keys.add("router.ports", ports, {2, most_predicting_ports}, "",
             "ports of the router, with a predictor at each input");
    predictor.add_keys(keys, most_predicting_ports);
    keys.add("pins.destination_bits", destination_bits, {1, 32}, "bits", "width of a head's destination");
  }
  void resolve() {}
  void validate() const {
    predictor.validate(true);
    if (predictor.has_table()) predictor.require_straight(ports);
  }
  std::vector<unsigned> table() const {
    std::vector<unsigned> all(predictor.straight);
    for (unsigned& port : all)
      if (port >= ports) port = router::no_port;
    return all;
  }
};

/// Predictors on rows of values, a lane for each input. A prediction takes the heads of its own cycle into
/// account.
class PredictorDevice final : public Device {
 public:
  explicit PredictorDevice(const PredictorDeviceConfig& config)
      : predictors_(config.predictor.kinds, config.predictor.kind, config.ports, config.table()),
        ports_(config.ports),
        not_destination_(bits_above(config.destination_bits)),
        reset_(add_input("reset", 1)),
        learn_valid_(add_input("learn_valid", 1, ports_)),
        learn_port_(add_input("learn_port", bits_of(ports_ - 1), ports_)),
        learn_destination_(add_input("learn_destination", config.destination_bits, ports_)),
        predicted_valid_(add_output("predicted_valid", 1, ports_)),
        predicted_port_(add_output("predicted_port", bits_of(ports_ - 1), ports_)) {}

  void step() override {
    const std::uint64_t* const in = inputs();
    if (in[reset_] > 1) refuse_wide();
    if (in[reset_] != 0) predictors_.restart();
    for (unsigned input = 0; input < ports_ && in[reset_] == 0; ++input)
      if (in[learn_valid_ + input] != 0) learn(input, in);
    for (unsigned input = 0; input < ports_; ++input) {
      const unsigned port = predictors_.now().predict(input, nullptr);
      shown()[predicted_valid_ + input] = port != router::no_port;
      shown()[predicted_port_ + input] = port != router::no_port ? port : 0;
    }
    next_cycle();
  }

 private:
  void learn(unsigned input, const std::uint64_t* in) {
    const std::uint64_t port = in[learn_port_ + input], destination = in[learn_destination_ + input];
    if (in[learn_valid_ + input] > 1 || (destination & not_destination_) != 0) refuse_wide();
    if (port >= ports_)
      throw ModelError("pin learn_port[" + std::to_string(input) + "]", cycle(), "",
                       "there is no port " + std::to_string(port) + " of " + std::to_string(ports_));
    predictors_.now().learn(input, static_cast<NodeId>(destination), static_cast<unsigned>(port));
  }

  router::PinPredictors predictors_;
  const unsigned ports_;
  const std::uint64_t not_destination_;
  const std::size_t reset_, learn_valid_, learn_port_, learn_destination_;
  const std::size_t predicted_valid_, predicted_port_;
};

}  // namespace

void add_predictor_device(DeviceKinds& kinds) {
  kinds.push_back(device_kind<PredictorDeviceConfig, PredictorDevice>("predictor"));
}

}  // namespace tsuji::pins
