// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "common/stimulus.h"
#include "tsuji/lookup/compact_search.h"

namespace tsuji::bench {

/// Handles of the pins, for driver and scoreboard.
struct CompactSearchHandles {
  explicit CompactSearchHandles(const Drive& pins)
      : reset(pins.input("reset")),
        request_valid(pins.input("request_valid")),
        operation(pins.input("request_operation")),
        row(pins.input("request_row")),
        x(pins.input("request_x")),
        y(pins.input("request_y")),
        port(pins.input("request_port")),
        ready(pins.output("request_ready")),
        answer_valid(pins.output("answer_valid")),
        answer_hit(pins.output("answer_hit")),
        answer_row(pins.output("answer_row")),
        answer_port(pins.output("answer_port")),
        comparing_row(pins.output("comparing_row")),
        choosing(pins.output("choosing")) {}
  std::size_t reset, request_valid, operation, row, x, y, port;
  std::size_t ready, answer_valid, answer_hit, answer_row, answer_port, comparing_row, choosing;
};

struct CompactSearchPins {
  lookup::CompactSearchConfig config;
  template <class Module>
  void list(Module& module, PinList& pins) const {
    const unsigned row_bits = bits_of(config.entries - 1), lanes = config.per_cycle;
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("request_valid", 1, module.request_valid);
    pins.in("request_operation", 2, module.request_operation);
    pins.in("request_row", row_bits, module.request_row);
    pins.in("request_x", config.coordinate_bits, module.request_x);
    pins.in("request_y", config.coordinate_bits, module.request_y);
    pins.in("request_port", config.port_bits, module.request_port);
    pins.out("request_ready", 1, module.request_ready);
    pins.out("comparing_row", row_bits, module.comparing_row);
    pins.out("choosing", 1, module.choosing);
    pins.out("nearest_valid", 1, module.nearest_valid, lanes);
    pins.out("nearest_row", row_bits, module.nearest_row, lanes);
    pins.out("nearest_distance", config.distance_bits(), module.nearest_distance, lanes);
    pins.out("answer_valid", 1, module.answer_valid);
    pins.out("answer_hit", 1, module.answer_hit);
    pins.out("answer_row", row_bits, module.answer_row);
    pins.out("answer_port", config.port_bits, module.answer_port);
  }
};

}  // namespace tsuji::bench
