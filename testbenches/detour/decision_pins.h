// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "common/stimulus.h"
#include "detour/decision_module.h"

namespace tsuji::bench {

/// Handles of the pins, for driver and scoreboard.
struct DecisionHandles {
  explicit DecisionHandles(const Drive& pins)
      : reset(pins.input("reset")),
        head(pins.input("head")),
        here(pins.input("here")),
        destination(pins.input("destination")),
        in_port(pins.input("in_port")),
        on_ud(pins.input("on_ud")),
        in_recovery(pins.input("in_recovery")),
        in_region(pins.input("in_region")),
        torus_word(pins.input("torus_word")),
        up_down_word(pins.input("up_down_word")),
        decided(pins.output("decided")),
        eject(pins.output("eject")),
        reads_table(pins.output("reads_table")),
        fa(pins.output("fa")),
        ud(pins.output("ud")) {}
  std::size_t reset, head, here, destination, in_port, on_ud, in_recovery, in_region, torus_word,
      up_down_word;
  std::size_t decided, eject, reads_table, fa, ud;
};

struct DecisionPins {
  template <class Module>
  void list(Module& module, PinList& pins) const {
    using routing::DecisionModule;
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("head", 1, module.head);
    pins.in("here", DecisionModule::coordinate_bits, module.here, DecisionModule::dimensions);
    pins.in("destination", DecisionModule::coordinate_bits, module.destination, DecisionModule::dimensions);
    pins.in("in_port", DecisionModule::port_bits, module.in_port);
    pins.in("on_ud", 1, module.on_ud);
    pins.in("in_recovery", 1, module.in_recovery);
    pins.in("in_region", 1, module.in_region);
    pins.in("torus_word", DecisionModule::ports, module.torus_word);
    pins.in("up_down_word", DecisionModule::ports, module.up_down_word);
    pins.out("decided", 1, module.decided);
    pins.out("eject", 1, module.eject);
    pins.out("reads_table", 1, module.reads_table);
    pins.out("fa", DecisionModule::ports, module.fa);
    pins.out("ud", DecisionModule::ports, module.ud);
  }
};

}  // namespace tsuji::bench
