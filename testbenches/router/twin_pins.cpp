// SPDX-License-Identifier: Apache-2.0
#include "router/twin_pins.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/routing/compact/table_bits.h"
#include "tsuji/routing/detour/detour_nf.h"
#include "tsuji/routing/detour/detour_ud.h"

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

/// Fields of a head whose destination is a pair of coordinates.
void add_head(RtlFlitPins& pins, const RtlPin& pin, const router::PinRouterConfig& twin, unsigned port) {
  const unsigned first = port * twin.head_bits(), axis_bits = twin.node_bits / 2;
  for (unsigned d = 0; d < 2; ++d) pins.coordinates[d] = {pin, first + d * axis_bits, axis_bits};
  if (!twin.recovers()) return;
  pins.recovery = {pin, first + twin.node_bits, 1};
  pins.hops = {pin, first + twin.node_bits + 1, twin.hop_bits};
}

RtlFlitPins flit_pins(const RouterRtl& rtl, const std::string& side, const router::PinRouterConfig& twin,
                      unsigned port) {
  RtlFlitPins pins;
  pins.valid = lane(rtl, side + "_valid", port, 1);
  pins.head = lane(rtl, side + "_head", port, 1);
  pins.tail = lane(rtl, side + "_tail", port, 1);
  pins.vc = lane(rtl, side + "_vc", port, twin.vc_bits());
  if (twin.by_coordinates()) {
    add_head(pins, find(rtl, side + "_destination"), twin, port);
  } else {
    pins.destination = lane(rtl, side + "_destination", port, twin.node_bits);
  }
  pins.payload = lane(rtl, side + "_data", port, twin.data_bits);
  return pins;
}

/// A router's place as the twin numbers nodes.
std::uint32_t pair_of(const graph::Topology& topology, graph::RouterId router, unsigned axis_bits) {
  const graph::Coordinates place = topology.coordinates(router);
  return place[0] | place[1] << axis_bits;
}

std::uint32_t entry_of(const routing::Routing& routing, graph::RouterId router, NodeId node) {
  if (const auto* const ud = dynamic_cast<const routing::DetourUd*>(&routing)) {
    const routing::RouteCandidate words = ud->table_entry(router, 0, node);
    return words.port | std::uint32_t{words.vcs} << 16;
  }
  const auto* const plan = dynamic_cast<const routing::DetourNf&>(routing).plan(router, node);
  if (plan == nullptr) return 0;
  return plan->order_port | (plan->clean ? 1U << 2 : 0U) | std::uint32_t{plan->nf[0]} << 3 |
         std::uint32_t{plan->nf[1]} << 7;
}

/// Surroundings of a router: whether it is in a fault region, and its working ports.
std::uint32_t surroundings(const routing::Routing& routing, graph::RouterId router) {
  if (const auto* const ud = dynamic_cast<const routing::DetourUd*>(&routing))
    return ud->generation().tables().has_torus(router) ? 1U << 31 : 0U;
  std::uint32_t lives = 0;
  for (unsigned port = 0; port < 4; ++port)
    if (dynamic_cast<const routing::DetourNf&>(routing).network().lives_at(router, port)) lives |= 1U << port;
  return lives << 27;
}

RouterRtl::TableRows coordinate_rows(const routing::Routing& routing, const graph::Topology& topology,
                                     graph::RouterId router, unsigned node_bits) {
  RouterRtl::TableRows rows;
  for (NodeId node = 0; node < topology.nodes(); ++node)
    rows.emplace_back(pair_of(topology, topology.node(node).eject.router, node_bits / 2),
                      entry_of(routing, router, node));
  rows.emplace_back(std::uint64_t{1} << node_bits,
                    pair_of(topology, router, node_bits / 2) | surroundings(routing, router));
  return rows;
}

RtlPrediction prediction_of(const router::PinRouterConfig& twin) {
  RtlPrediction prediction;
  prediction.table = twin.config.prediction.kinds.traits(twin.config.prediction.kind).table;
  prediction.first_row = twin.row_at(twin.route_rows());
  prediction.hit_saves_cycles = twin.rc_cycles + twin.config.va_cycles + twin.config.sa_cycles;
  if (!twin.predicts_by_table())
    prediction.state_bits = std::uint64_t{twin.ports} * routing::bits_below(twin.ports + 1U);
  return prediction;
}

}  // namespace

void describe_twin(RouterRtl& rtl, const router::PinRouterConfig& twin, const std::string& name) {
  rtl.about.name = name;
  rtl.about.vcs = twin.vcs;
  rtl.about.buffer_flits = twin.buffer_flits;
  rtl.about.stands_when_empty = true;
  rtl.about.node_ports = twin.node_ports;
  rtl.clock = lane(rtl, "clock", 0, 1);
  rtl.reset = lane(rtl, "reset", 0, 1);
  rtl.table_valid = lane(rtl, "table_valid", 0, 1);
  rtl.table_row = lane(rtl, "table_row", 0, twin.row_bits());
  rtl.table_candidates = twin.candidates;
  if (twin.candidates > 1) {
    rtl.table_candidate = {find(rtl, "table_row"), twin.node_bits, twin.row_bits() - twin.node_bits};
    rtl.table_lesser = {find(rtl, "table_entry"), 31, 1};
  }
  rtl.table_output = {find(rtl, "table_entry"), 0, 16};
  rtl.table_vcs = {find(rtl, "table_entry"), 16, 16};
  if (twin.by_coordinates()) {
    rtl.about.radices = twin.radices;
    rtl.about.hop_limit = twin.config.hop_limit;
    rtl.table_rows = [bits = twin.node_bits](const routing::Routing& routing, const graph::Topology& topology,
                                             graph::RouterId router) {
      return coordinate_rows(routing, topology, router, bits);
    };
  }
  if (twin.predicts()) rtl.prediction = prediction_of(twin);
  rtl.errors.emplace_back("error", lane(rtl, "error", 0, 1));
  for (unsigned port = 0; port < twin.ports; ++port) {
    RtlPortPins pins;
    pins.in = flit_pins(rtl, "in", twin, port);
    pins.out = flit_pins(rtl, "out", twin, port);
    pins.in_credit = lane(rtl, "in_credit", port, twin.vcs);
    pins.out_credit = lane(rtl, "out_credit", port, twin.vcs);
    pins.blocked = lane(rtl, "blocked", port, twin.vcs);
    pins.outcome = lane(rtl, "outcome", port, 3);
    pins.kept = lane(rtl, "kept", port, 1);
    rtl.ports.push_back(pins);
  }
}

}  // namespace tsuji::bench
