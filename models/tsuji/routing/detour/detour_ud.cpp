// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/detour/detour_ud.h"

#include "tsuji/core/error.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

unsigned require_ud(unsigned ud_vcs) {
  if (ud_vcs == 0)
    throw ConfigError("routing.ud_vcs", "0", "leaves no virtual channel for recovery", "1 or more");
  return ud_vcs;
}

VcMask bank_of(unsigned vcs, unsigned ud_vcs, DetourUd::Bank bank) {
  if (bank == DetourUd::Bank::all) return vc_range(vcs - ud_vcs, ud_vcs);
  if (ud_vcs % 2 != 0)
    throw ConfigError("routing.ud_vcs", std::to_string(ud_vcs),
                      "two generations of tables cannot have half each",
                      "an even number with faults.losses nothing");
  return vc_range(vcs - (bank == DetourUd::Bank::first ? ud_vcs : ud_vcs / 2), ud_vcs / 2);
}

}  // namespace

DetourUd::DetourUd(const graph::Topology& topology, unsigned vcs,
                   std::shared_ptr<const DetourGeneration> generation, unsigned ud_vcs, Bank bank)
    : cube_(topology, "detour_ud"),
      generation_(std::move(generation)),
      tables_(generation_->tables()),
      vcs_needed_(require_ud(ud_vcs) + 1),
      all_(require_vcs("detour_ud", vcs, vcs_needed_)),
      fa_(vc_range(0, vcs - ud_vcs)),
      ud_(bank_of(vcs, ud_vcs, bank)),
      control_port_(topology.ports(0)) {
  const graph::LivingNetwork& network = generation_->network();
  if (network.routers() != topology.routers() || network.ports() > 2 * cube_.dimensions())
    refuse_topology("detour_ud", topology, "the topology that its tables were made for");
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const graph::PortRef port = topology.node(node).eject;
    node_.push_back(network.lives(port.router) ? port : graph::PortRef{});
  }
}

PortWord DetourUd::minimal_ports(RouterId router, const std::uint16_t* to) const {
  const std::uint16_t* here = cube_.router(router);
  unsigned word = 0;
  for (unsigned d = 0; d < cube_.dimensions(); ++d) {
    if (here[d] == to[d]) continue;
    const CubeTables::Directions shortest = cube_.directions(d, here[d], to[d]);
    word |= (shortest.up ? 1U : 0U) << CubeShape::up_port(d);
    word |= (shortest.down ? 1U : 0U) << CubeShape::down_port(d);
  }
  return static_cast<PortWord>(word);
}

/// All parallel links (dimensions of radix 2 have two) are candidates.
void DetourUd::route_control(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  const RouterId to = query.destination.router();
  if (to == query.router) return candidates.add(control_port_, all_);
  add_ports(minimal_ports(query.router, cube_.router(to)), ud_, candidates);
}

void DetourUd::route(const RouteQuery& query, RouteSet& candidates) const {
  if (query.destination.is_router()) return route_control(query, candidates);
  route_by(query, TableWords{tables_, query.router, node_[query.destination.node()].router}, candidates);
}

RouteCandidate DetourUd::table_entry(RouterId router, std::uint32_t, NodeId destination) const {
  const RouterId to = node_[destination].router;
  if (to == graph::none) return {0, 0, 0};
  return {tables_.has_torus(router) ? tables_.torus(router, to) : PortWord{0}, tables_.up_down(router, to),
          0};
}

void DetourUd::route_by_entry(const RouteQuery& query, const RouteCandidate& entry,
                              RouteSet& candidates) const {
  struct EntryWords {
    bool in_region;
    const RouteCandidate& entry;
    bool has_torus() const { return in_region; }
    PortWord torus() const { return entry.port; }
    PortWord up_down() const { return entry.vcs; }
  };
  route_by(query, EntryWords{tables_.has_torus(query.router), entry}, candidates);
}

bool DetourUd::turns_up_after_down(const RouteQuery& query, unsigned port) const {
  const graph::LivingNetwork& network = generation_->network();
  if ((ud_ >> query.in_vc & 1) == 0 || query.in_port >= network.ports() || port >= network.ports())
    return false;
  const RouterId before = network.neighbour(query.router, query.in_port);
  const RouterId after = network.neighbour(query.router, port);
  if (before == graph::none || after == graph::none) return false;
  const graph::UpDownOrder& order = generation_->order();
  return !order.leads_up(before, query.router) && order.leads_up(query.router, after);
}

void DetourUdConfig::add_keys(config::KeyTable& keys) {
  keys.add("routing.region_distance", tables.region_distance, {0, 65535}, "",
           "detour_ud: fault regions extend region_distance - 1 links from the working ends of failed links "
           "and routers; 0: no fault regions, possible only without faults");
  keys.add("routing.ud_vcs", ud_vcs, {1, 15}, "",
           "detour_ud: number of virtual channels used for recovery, the highest of router.vcs");
  keys.add_choice(
      "routing.ud_paths", tables.all_paths, {{"all", true}, {"one", false}},
      "detour_ud: candidate routes of a head in recovery: all shortest legal paths, or one of them");
  keys.add("routing.root_priority", tables.root_priority, {0, 65535}, {0, 65536}, "",
           "detour_ud: routers in order of preference as root of the up*/down* tree, of which the first "
           "working one is used; empty: a router of a fault region");
}

std::unique_ptr<const Routing> DetourUdConfig::make(const RoutingParts& parts) const {
  return std::make_unique<DetourUd>(parts.topology, parts.vcs,
                                    std::make_shared<DetourGeneration>(parts.topology, parts.faults, tables),
                                    ud_vcs, banks ? DetourUd::Bank::first : DetourUd::Bank::all);
}

void add_detour_ud(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.bears_faults = traits.turns_back = traits.recovers = traits.reconfigures = true;
  kinds.add<DetourUdConfig>("detour_ud", traits);
}

}  // namespace tsuji::routing
