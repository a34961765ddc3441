// SPDX-License-Identifier: Apache-2.0
#include "detour/decision_module.h"

#include <memory>

#include "tsuji/graph/cube.h"

namespace tsuji::routing {
namespace {

/// The words at the pins.
struct PinWords {
  bool in_region;
  PortWord torus_word, up_down_word;
  bool has_torus() const { return in_region; }
  PortWord torus() const { return torus_word; }
  PortWord up_down() const { return up_down_word; }
};

}  // namespace

graph::Topology DecisionConfig::topology() const {
  return wraps ? graph::make_torus(radices, 1, 1) : graph::make_mesh(radices, 1, 1);
}

/// Tables come by the pins, so those of a network without faults will do.
DecisionModule::DecisionModule(sc_core::sc_module_name module_name, const DecisionConfig& config)
    : sc_module(module_name),
      config_(config),
      topology_(config.topology()),
      routing_(topology_, DecisionConfig::vcs,
               std::make_shared<const DetourGeneration>(topology_, graph::FaultSet{}),
               DecisionConfig::ud_vcs) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

RouterId DecisionModule::router_at(std::uint32_t coordinates) const {
  const std::uint32_t x = coordinates & ((1U << coordinate_bits) - 1U), y = coordinates >> coordinate_bits;
  return y * config_.radices[0] + x;
}

RouteQuery DecisionModule::query() const {
  RouteQuery query;
  query.router = router_at(here.read());
  query.destination = router_at(destination.read());
  query.in_port = in_port.read();
  query.in_vc = on_ud.read() ? DecisionConfig::vcs - DecisionConfig::ud_vcs : 0;
  if (in_recovery.read()) query.packet_class = PacketClass::recovery;
  return query;
}

void DecisionModule::on_edge() {
  const bool decides = head.read() && !reset.read();
  RouteSet candidates;
  std::uint32_t to_fa = 0, to_ud = 0;
  bool ejects = false, reads = false;
  if (decides) {
    const RouteQuery asked = query();
    const PinWords words{in_region.read(), static_cast<PortWord>(torus_word.read()),
                         static_cast<PortWord>(up_down_word.read())};
    routing_.route_by(asked, words, candidates);
    reads = routing_.reads_by(asked, words);
  }
  for (const RouteCandidate& candidate : candidates) {
    ejects = ejects || candidate.port == ports;
    if (candidate.port == ports) continue;
    if ((candidate.vcs & routing_.fa_vcs()) != 0) to_fa |= 1U << candidate.port;
    if ((candidate.vcs & routing_.ud_vcs()) != 0) to_ud |= 1U << candidate.port;
  }
  decided.write(decides);
  eject.write(ejects);
  reads_table.write(reads);
  fa.write(to_fa);
  ud.write(to_ud);
}

}  // namespace tsuji::routing
