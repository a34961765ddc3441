// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "common/stimulus.h"
#include "prediction/unit_module.h"
#include "tsuji/core/random.h"

namespace tsuji::bench {

/// Pins that crossbar and unit share.
template <class Module>
void list_crossbar_pins(Module& module, PinList& pins) {
  constexpr unsigned ports = router::CrossbarPort::ports, port_bits = router::CrossbarPort::port_bits;
  pins.clock(module.clock);
  pins.in("reset", 1, module.reset);
  pins.in("request", ports, module.request, ports);
  pins.in("won_valid", 1, module.won_valid, ports);
  pins.in("won_port", port_bits, module.won_port, ports);
  pins.in("send", 1, module.send, ports);
  pins.in("send_keep", 1, module.send_keep, ports);
  pins.out("held_valid", 1, module.held_valid, ports);
  pins.out("held_port", port_bits, module.held_port, ports);
  pins.out("wanted_valid", 1, module.wanted_valid, ports);
  pins.out("wanted_port", port_bits, module.wanted_port, ports);
  pins.out("sent_valid", 1, module.sent_valid, ports);
  pins.out("sent_port", port_bits, module.sent_port, ports);
}

struct CrossbarPins {
  template <class Module>
  void list(Module& module, PinList& pins) const {
    list_crossbar_pins(module, pins);
    pins.in("want_valid", 1, module.want_valid, router::CrossbarPort::ports);
    pins.in("want_port", router::CrossbarPort::port_bits, module.want_port, router::CrossbarPort::ports);
  }
};

struct UnitPins {
  template <class Module>
  void list(Module& module, PinList& pins) const {
    constexpr unsigned ports = router::UnitModule::ports, port_bits = router::UnitModule::port_bits;
    list_crossbar_pins(module, pins);
    pins.in("look", 1, module.look, ports);
    pins.in("learn_valid", 1, module.learn_valid, ports);
    pins.in("learn_port", port_bits, module.learn_port, ports);
    pins.in("learn_destination", router::UnitModule::destination_bits, module.learn_destination, ports);
    pins.out("predicted_valid", 1, module.predicted_valid, ports);
    pins.out("predicted_port", port_bits, module.predicted_port, ports);
  }
};

/// Stimuli: requests, winning flits, and flits sent over held connections. No input, one input or all inputs
/// request; an input requests several outputs, or all inputs request one; all held connections are used, or
/// few; packets keep their output until another input requests it. A flit wins only an output that its input
/// requests and that no other flit has taken.
class SwitchStimulus {
 public:
  SwitchStimulus(const Drive& pins, std::uint64_t seed, const router::CrossbarConfig& config);
  void drive(Cycle cycle, Drive& pins);
  CounterRandom& random() { return random_; }
  /// A port, often the one that many take.
  unsigned any_port(Cycle cycle);

 private:
  static constexpr unsigned ports = router::CrossbarPort::ports;
  void ask(Cycle cycle, Drive& pins);
  CounterRandom random_;
  const Cycle flit_cycles_;
  std::array<Cycle, ports> taken_to_ = {};  ///< [output]: first cycle in which a flit can win it again
  const std::size_t reset_, request_, won_valid_, won_port_, send_, send_keep_;
};

/// Stimulus of predicted outputs: new ones occasionally or in most cycles, for ports that do not exist, all
/// for one output, and for an output that the input already holds.
class CrossbarStimulus final : public Stimulus {
 public:
  CrossbarStimulus(const Drive& pins, std::uint64_t seed, const router::CrossbarConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  SwitchStimulus switch_;
  const std::size_t want_valid_, want_port_;
};

/// Stimulus of heads whose output ports repeat, alternate or follow from their destinations; inputs are
/// examined in the cycle in which their predictor learns, soon after it, or seldom.
class UnitStimulus final : public Stimulus {
 public:
  UnitStimulus(const Drive& pins, std::uint64_t seed, const router::UnitConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  SwitchStimulus switch_;
  const std::size_t look_, learn_valid_, learn_port_, learn_destination_;
};

}  // namespace tsuji::bench
