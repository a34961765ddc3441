// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/graph/all_hops.h"
#include "tsuji/graph/living_network.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/far_routers.h"
#include "tsuji/routing/routing_kinds.h"
#include "tsuji/routing/vc_classes.h"

namespace tsuji::routing {
namespace {

struct PolarizedConfig {
  unsigned hop_flits = 1;

  void add_keys(config::KeyTable& keys) {
    keys.add(
        "routing.hop_flits", hop_flits, {0, 1'000'000}, "flits",
        "dal, omni_war, polarized: flits that an output's queue counts more than it holds; a packet takes "
        "the output with the least product of queue and links left");
  }
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// Polarized routing (Camarero 2021) on any graph of two-way links. With the distances s from the source's
/// router and t to the destination's, a link is legal if it increases s - t, or if it changes both alike:
/// away from the source while s < t, towards the destination otherwise. At each router a packet takes the
/// legal link with the least product of queue and links left, of equals one at random.
///
/// Each hop takes virtual channels of the next class (distance classes), of at most 4 D - 3 for a diameter D
/// (the longest polarized path): a link after which fewer classes than links are left is not taken, and where
/// no legal link remains, a minimal one is. So no path has more hops than there are classes; decide() checks
/// that.
class Polarized final : public Routing, public RouteDecisions {
 public:
  std::string stands_for() const override { return "Polarized routing (Camarero 2021)"; }
  Polarized(const graph::Topology& topology, unsigned vcs, const PolarizedConfig& config)
      : hop_flits_(config.hop_flits), hops_(check(topology)), far_(topology) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const graph::NodePorts& ports = topology.node(node);
      eject_.push_back(ports.eject);
      source_router_.push_back(ports.inject.router);
    }
    for (const RouterId from : source_router_)
      for (const graph::PortRef& to : eject_)
        diameter_ = std::max<unsigned>(diameter_, hops_(from, to.router));
    all_ = require_vcs("polarized", vcs, vcs_needed());
    classes_ = std::min(vcs, std::max(vcs_needed(), 4 * diameter_ - std::min(3U, 4 * diameter_)));
    const VcClasses classes(vcs, classes_);
    for (unsigned vc = 0; vc < vcs; ++vc) class_of_.push_back(classes.class_of(vc));
    for (unsigned c = 0; c < classes_; ++c) vcs_of_.push_back(classes.of(c));
  }

  void route(const RouteQuery& query, RouteSet& candidates) const override {
    candidates.clear();
    const graph::PortRef to = eject_[query.destination.node()];
    if (query.router == to.router) return candidates.add(to.port, all_);
    // None on a channel of a class from which the path cannot be completed.
    if (query.decision != 0) candidates.add(query.decision - 1U, vcs_of_[hops_taken(query)]);
  }
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return std::max(diameter_, 1U); }
  unsigned max_candidates() const override { return 1; }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.always_leads_on = all.turns_back = true;
    return all;
  }
  const RouteDecisions* decisions() const override { return this; }
  bool reads_waiting() const override { return true; }

  /// ModelError for a packet that has made too many hops.
  Decision decide(const RouteQuery& query, const OutputBuffers& outputs) const override {
    if (query.hops > classes_)
      throw ModelError("polarized", "packet " + std::to_string(query.packet) + " has made " +
                                        std::to_string(query.hops) + " hops at " + router_name(query.router) +
                                        ", of at most " + std::to_string(classes_));
    std::uint64_t least = 0;
    unsigned equal = 0;
    for_each_link(query, [&](unsigned port, unsigned links_left) {
      const std::uint64_t product = weight(port, links_left, outputs);
      if (equal != 0 && product > least) return;
      equal = equal != 0 && product == least ? equal + 1 : 1;
      least = product;
    });
    if (equal == 0) return 0;
    std::uint64_t skip = equal == 1 ? 0 : query.random(query.hops) % equal;
    Decision decision = 0;
    for_each_link(query, [&](unsigned port, unsigned links_left) {
      if (weight(port, links_left, outputs) == least && skip-- == 0)
        decision = static_cast<Decision>(port + 1);
    });
    return decision;
  }
  std::vector<Possible> possible(const RouteQuery& query) const override {
    std::vector<Possible> all;
    for_each_link(query, [&](unsigned port, unsigned) {
      all.push_back({static_cast<Decision>(port + 1), unknown_share});
    });
    if (all.empty()) all.push_back({0, 1.0});
    return all;
  }

 private:
  static graph::AllHops check(const graph::Topology& topology) {
    require_table_size("polarized", topology);
    for (const graph::RouterLink& link : topology.links())
      if (link.one_way) refuse_topology("polarized", topology, "a topology without one-way links");
    return graph::AllHops(graph::LivingNetwork(topology, {}));
  }

  unsigned hops_taken(const RouteQuery& query) const {
    return far_.comes_from_node(query) ? 0 : class_of_[query.in_vc] + 1U;
  }
  std::uint64_t weight(unsigned port, unsigned links_left, const OutputBuffers& outputs) const {
    return (std::uint64_t{outputs.occupied(port, all_)} + outputs.waiting(port, all_) + hop_flits_) *
           links_left;
  }

  /// Distances from the source's router and to the destination's.
  struct Place {
    int source, destination;
  };
  static bool is_legal(const Place& here, const Place& next) {
    const int from_source = next.source - here.source, to_destination = next.destination - here.destination;
    if (from_source != to_destination) return from_source > to_destination;
    return from_source == (here.source < here.destination ? 1 : -1);
  }
  /// Calls visit(port, links left) for each link that the packet may take; none at the destination's router,
  /// and on a channel of a class from which the path cannot be completed.
  template <class Visit>
  void for_each_link(const RouteQuery& query, const Visit& visit) const {
    const RouterId to = eject_[query.destination.node()].router;
    if (query.router == to || hops_taken(query) >= classes_) return;
    if (!for_each_link(query, to, false, visit)) for_each_link(query, to, true, visit);
  }
  /// Returns false if there is no such link.
  template <class Visit>
  bool for_each_link(const RouteQuery& query, RouterId to, bool minimal, const Visit& visit) const {
    const std::uint8_t *const of_source = hops_.row(source_router_[query.source.node()]),
                              *const to_destination = hops_.row(to);
    const Place here{of_source[query.router], to_destination[query.router]};
    const unsigned left = classes_ - hops_taken(query) - 1;
    bool any = false;
    const unsigned ports = far_.ports(query.router);
    for (unsigned port = 0; port < ports; ++port) {
      const RouterId router = far_.at(query.router, port);
      if (router == graph::none) continue;
      const Place next{of_source[router], to_destination[router]};
      const bool may = minimal ? next.destination < here.destination : is_legal(here, next);
      if (!may || static_cast<unsigned>(next.destination) > left) continue;
      visit(port, static_cast<unsigned>(next.destination) + 1);
      any = true;
    }
    return any;
  }

  const std::uint64_t hop_flits_;
  const graph::AllHops hops_;
  const FarRouters far_;
  std::vector<graph::PortRef> eject_;    ///< [node]
  std::vector<RouterId> source_router_;  ///< [node]
  unsigned diameter_ = 0, classes_ = 1;  ///< of routers with nodes; classes of virtual channels
  VcMask all_ = 0;
  std::vector<unsigned> class_of_;  ///< [virtual channel]
  std::vector<VcMask> vcs_of_;      ///< [class]
};

std::unique_ptr<const Routing> PolarizedConfig::make(const RoutingParts& parts) const {
  return std::make_unique<Polarized>(parts.topology, parts.vcs, *this);
}

}  // namespace

void add_polarized(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.turns_back = true;
  kinds.add<PolarizedConfig>("polarized", traits);
}

}  // namespace tsuji::routing
