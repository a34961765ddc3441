// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "common/stimulus.h"
#include "detour/table_port_module.h"

namespace tsuji::bench {

/// Handles of the pins, for driver and scoreboard.
struct TablePortHandles {
  explicit TablePortHandles(const Drive& pins)
      : reset(pins.input("reset")),
        write_valid(pins.input("write_valid")),
        write_address(pins.input("write_address")),
        write_word(pins.input("write_word")),
        ask(pins.input("ask")),
        ask_address(pins.input("ask_address")),
        cancel(pins.input("cancel")),
        granted(pins.output("granted")),
        answer_valid(pins.output("answer_valid")),
        answer_line(pins.output("answer_line")),
        answer_word(pins.output("answer_word")) {}
  std::size_t reset, write_valid, write_address, write_word, ask, ask_address, cancel;
  std::size_t granted, answer_valid, answer_line, answer_word;
};

struct TablePortPins {
  template <class Module>
  void list(Module& module, PinList& pins) const {
    using lookup::TablePortModule;
    constexpr unsigned lines = lookup::TableLines::count, line_bits = lookup::TableLines::bits;
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("write_valid", 1, module.write_valid);
    pins.in("write_address", TablePortModule::address_bits, module.write_address);
    pins.in("write_word", TablePortModule::word_bits, module.write_word);
    pins.in("ask", 1, module.ask, lines);
    pins.in("ask_address", TablePortModule::address_bits, module.ask_address, lines);
    pins.in("cancel", 1, module.cancel, lines);
    pins.out("granted", 1, module.granted, lines);
    pins.out("answer_valid", 1, module.answer_valid, TablePortModule::read_ports);
    pins.out("answer_line", line_bits, module.answer_line, TablePortModule::read_ports);
    pins.out("answer_word", TablePortModule::word_bits, module.answer_word, TablePortModule::read_ports);
  }
};

}  // namespace tsuji::bench
