// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "common/stimulus.h"
#include "tsuji/crosspoint/config.h"

namespace tsuji::bench {

/// Handles of the pins, for driver and scoreboard.
struct CrosspointHandles {
  explicit CrosspointHandles(const Drive& pins)
      : reset(pins.input("reset")),
        route_fixed(pins.input("route_fixed")),
        route_first(pins.input("route_first")),
        route_last(pins.input("route_last")),
        sync_from(pins.input("sync_from")),
        sync_to(pins.input("sync_to")),
        in_valid(pins.input("in_valid")),
        in_flit(pins.input("in_flit")),
        out_room(pins.input("out_room")),
        in_room(pins.output("in_room")),
        in_freed(pins.output("in_freed")),
        out_valid(pins.output("out_valid")),
        out_flit(pins.output("out_flit")),
        out_from(pins.output("out_from")),
        out_sid(pins.output("out_sid")),
        sync_done(pins.output("sync_done")),
        sync_input(pins.output("sync_input")),
        sync_output(pins.output("sync_output")),
        sync_complete(pins.output("sync_complete")) {}
  std::size_t reset, route_fixed, route_first, route_last, sync_from, sync_to, in_valid, in_flit, out_room;
  std::size_t in_room, in_freed, out_valid, out_flit, out_from, out_sid, sync_done, sync_input, sync_output,
      sync_complete;
};

/// Pins of a switch with this number of ports.
struct CrosspointPins {
  unsigned ports;
  template <class Module>
  void list(Module& module, PinList& pins) const {
    const unsigned number_bits = bits_of(ports - 1), port_bits = bits_of(ports);
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("in_valid", 1, module.in_valid, ports);
    pins.in("in_flit", 28, module.in_flit, ports);
    pins.in("out_room", ports, module.out_room, ports);
    pins.in("route_fixed", ports, module.route_fixed, ports);
    pins.in("route_first", 11, module.route_first, ports * ports);
    pins.in("route_last", 11, module.route_last, ports * ports);
    pins.in("sync_from", 64, module.sync_from, ports);
    pins.in("sync_to", 64, module.sync_to, ports);
    pins.out("in_room", ports, module.in_room, ports);
    pins.out("in_freed", ports, module.in_freed, ports);
    pins.out("out_valid", 1, module.out_valid, ports);
    pins.out("out_flit", 28, module.out_flit, ports);
    pins.out("out_from", port_bits, module.out_from, ports);
    pins.out("out_sid", 7, module.out_sid, ports);
    pins.out("sync_done", 1, module.sync_done);
    pins.out("sync_input", number_bits, module.sync_input);
    pins.out("sync_output", number_bits, module.sync_output);
    pins.out("sync_complete", 1, module.sync_complete);
    pins.out("sync_arrived", ports, module.sync_arrived);
    pins.out("sync_early", ports, module.sync_early);
  }
};

}  // namespace tsuji::bench
