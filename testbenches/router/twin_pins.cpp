// SPDX-License-Identifier: Apache-2.0
#include "router/twin_pins.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

const RtlPin& find(const RouterRtl& rtl, const std::string& name) {
  const auto pin =
      std::find_if(rtl.pins.begin(), rtl.pins.end(), [&](const RtlPin& one) { return one.name == name; });
  if (pin == rtl.pins.end()) throw ModelError("RTL", "it has no pin " + name);
  return *pin;
}

/// A lane of a pin whose lanes are packed into one vector, lane 0 at the low end.
RtlBits lane(const RouterRtl& rtl, const std::string& name, unsigned number, unsigned width) {
  return {find(rtl, name), number * width, width};
}

RtlFlitPins flit_pins(const RouterRtl& rtl, const std::string& side, const router::PinRouterConfig& twin,
                      unsigned port) {
  RtlFlitPins pins;
  pins.valid = lane(rtl, side + "_valid", port, 1);
  pins.head = lane(rtl, side + "_head", port, 1);
  pins.tail = lane(rtl, side + "_tail", port, 1);
  pins.vc = lane(rtl, side + "_vc", port, twin.vc_bits());
  pins.destination = lane(rtl, side + "_destination", port, twin.node_bits);
  pins.payload = lane(rtl, side + "_data", port, twin.data_bits);
  return pins;
}

}  // namespace

void describe_twin(RouterRtl& rtl, const router::PinRouterConfig& twin, const std::string& name) {
  rtl.about.name = name;
  rtl.about.vcs = twin.vcs;
  rtl.about.buffer_flits = twin.buffer_flits;
  rtl.about.stands_when_empty = true;
  rtl.clock = lane(rtl, "clock", 0, 1);
  rtl.reset = lane(rtl, "reset", 0, 1);
  rtl.table_valid = lane(rtl, "table_valid", 0, 1);
  rtl.table_row = lane(rtl, "table_row", 0, twin.row_bits());
  rtl.table_candidates = twin.candidates;
  rtl.table_node_bits = twin.node_bits;
  rtl.table_output = {find(rtl, "table_entry"), 0, 16};
  rtl.table_vcs = {find(rtl, "table_entry"), 16, 16};
  rtl.errors.emplace_back("error", lane(rtl, "error", 0, 1));
  for (unsigned port = 0; port < twin.ports; ++port) {
    RtlPortPins pins;
    pins.in = flit_pins(rtl, "in", twin, port);
    pins.out = flit_pins(rtl, "out", twin, port);
    pins.in_credit = lane(rtl, "in_credit", port, twin.vcs);
    pins.out_credit = lane(rtl, "out_credit", port, twin.vcs);
    pins.blocked = lane(rtl, "blocked", port, twin.vcs);
    rtl.ports.push_back(pins);
  }
}

}  // namespace tsuji::bench
