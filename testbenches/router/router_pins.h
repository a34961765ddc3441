// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "common/stimulus.h"
#include "router/router_module.h"

namespace tsuji::bench {

/// Handles of the pins, for driver and scoreboard.
struct RouterHandles {
  explicit RouterHandles(const Drive& pins)
      : reset(pins.input("reset")),
        in_valid(pins.input("in_valid")),
        in_head(pins.input("in_head")),
        in_tail(pins.input("in_tail")),
        in_vc(pins.input("in_vc")),
        in_destination(pins.input("in_destination")),
        in_data(pins.input("in_data")),
        out_credit(pins.input("out_credit")),
        table_valid(pins.input("table_valid")),
        table_row(pins.input("table_row")),
        table_entry(pins.input("table_entry")),
        in_credit(pins.output("in_credit")),
        out_valid(pins.output("out_valid")),
        out_head(pins.output("out_head")),
        out_tail(pins.output("out_tail")),
        out_vc(pins.output("out_vc")),
        out_destination(pins.output("out_destination")),
        out_data(pins.output("out_data")),
        blocked(pins.output("blocked")),
        outcome(pins.output("outcome")),
        kept(pins.output("kept")),
        error(pins.output("error")) {}
  std::size_t reset, in_valid, in_head, in_tail, in_vc, in_destination, in_data, out_credit;
  std::size_t table_valid, table_row, table_entry;
  std::size_t in_credit, out_valid, out_head, out_tail, out_vc, out_destination, out_data, blocked, outcome,
      kept;
  std::size_t error;
};

/// Credits have a lane for each virtual channel of each port: port times virtual channels, plus the virtual
/// channel.
struct RouterPins {
  router::PinRouterConfig config;

  template <class Module>
  void list(Module& module, PinList& pins) const {
    const unsigned ports = config.ports;
    pins.group_lanes(ports, config.vcs);
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("in_valid", 1, module.in_valid, ports);
    pins.in("in_head", 1, module.in_head, ports);
    pins.in("in_tail", 1, module.in_tail, ports);
    pins.in("in_vc", config.vc_bits(), module.in_vc, ports);
    pins.in("in_destination", config.head_bits(), module.in_destination, ports);
    pins.in("in_data", config.data_bits, module.in_data, ports);
    pins.out("in_credit", 1, module.in_credit, config.lines());
    pins.out("out_valid", 1, module.out_valid, ports);
    pins.out("out_head", 1, module.out_head, ports);
    pins.out("out_tail", 1, module.out_tail, ports);
    pins.out("out_vc", config.vc_bits(), module.out_vc, ports);
    pins.out("out_destination", config.head_bits(), module.out_destination, ports);
    pins.out("out_data", config.data_bits, module.out_data, ports);
    pins.in("out_credit", 1, module.out_credit, config.lines());
    pins.out("blocked", 1, module.blocked, config.lines());
    pins.out("outcome", 3, module.outcome, ports);
    pins.out("kept", 1, module.kept, ports);
    pins.out("error", 1, module.error);
    pins.in("table_valid", 1, module.table_valid);
    pins.in("table_row", config.row_bits(), module.table_row);
    pins.in("table_entry", 32, module.table_entry);
  }
};

}  // namespace tsuji::bench
