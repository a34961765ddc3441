// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"

namespace example {

using namespace tsuji;
using namespace tsuji::routing;

namespace {

struct TwoHopConfig {
  unsigned detour_percent = 0;  ///< of the packets

  void add_keys(config::KeyTable& keys) {
    keys.add("routing.detour_percent", detour_percent, {0, 100}, "%",
             "two_hop: packets that go by a random third router");
  }
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// Routing for fully connected routers: directly, or by a random third router (after Valiant). The first hop
/// of a detour takes the lower half of the virtual channels and the second one the upper half, so that no
/// circle of channels closes.
class TwoHop final : public Routing, public TableImage, public RandomChoices {
 public:
  TwoHop(const graph::Topology& topology, unsigned vcs, const TwoHopConfig& config)
      : detour_percent_(config.detour_percent),
        routers_(topology.routers()),
        all_(require_vcs("two_hop", vcs, vcs_needed())),
        first_(vc_range(0, vcs / 2)),
        second_(vc_range(vcs / 2, vcs - vcs / 2)),
        port_(std::size_t{routers_} * routers_, graph::none) {
    for (RouterId here = 0; here < routers_; ++here) {
      for (unsigned port = 0; port < topology.ports(here); ++port) {
        const graph::Topology::Far& far = topology.far(here, port);
        if (far.kind == graph::Topology::Far::Kind::router && far.sends)
          port_[pair(here, far.at.router)] = port;
      }
      for (RouterId to = 0; to < routers_; ++to)
        if (to != here && port_[pair(here, to)] == graph::none)
          refuse_topology("two_hop", topology, "a topology with a link between every two routers");
    }
    for (NodeId node = 0; node < topology.nodes(); ++node) nodes_.push_back(topology.node(node).eject);
  }

  void route(const RouteQuery& query, RouteSet& candidates) const override {
    candidates.clear();
    const RouterId from = nodes_[query.source.node()].router;
    const graph::PortRef to = nodes_[query.destination.node()];
    if (query.router == to.router) return candidates.add(to.port, all_);
    if (query.router != from) return candidates.add(port_[pair(query.router, to.router)], second_);
    const RouterId middle = third_router(query);
    if (middle == graph::none || middle == from || middle == to.router)
      return candidates.add(port_[pair(from, to.router)], all_);
    candidates.add(port_[pair(from, middle)], first_);
  }

  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return detour_percent_ == 0 ? 1 : 2; }
  unsigned max_candidates() const override { return 1; }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.always_leads_on = true;
    all.place_decides = detour_percent_ == 0;
    return all;
  }
  const TableImage* table_image() const override { return detour_percent_ == 0 ? this : nullptr; }
  const RandomChoices* random_choices() const override { return detour_percent_ == 0 ? nullptr : this; }

  TableForm table_form() const override { return TableForm::port_and_vcs; }
  RouteCandidate table_entry(RouterId router, std::uint32_t, NodeId destination) const override {
    const graph::PortRef to = nodes_[destination];
    const std::uint32_t port = router == to.router ? to.port : port_[pair(router, to.router)];
    return {static_cast<std::uint16_t>(port), all_, 0};
  }
  /// 0: the direct link; n + 1: by router n.
  std::uint64_t random_outcomes() const override { return routers_ + 1U; }
  std::uint64_t random_outcome(const RouteQuery& query) const override {
    const RouterId middle = third_router(query);
    return middle == graph::none ? 0 : middle + 1U;
  }
  double outcome_share(std::uint64_t outcome) const override {
    const double detours = detour_percent_ / 100.0;
    return outcome == 0 ? 1 - detours : detours / routers_;
  }

 private:
  std::size_t pair(RouterId here, RouterId to) const { return std::size_t{here} * routers_ + to; }
  RouterId third_router(const RouteQuery& query) const {
    if (detour_percent_ == 0 || query.random(0) % 100 >= detour_percent_) return graph::none;
    return static_cast<RouterId>(query.random(1) % routers_);
  }

  unsigned detour_percent_;
  RouterId routers_;
  VcMask all_, first_, second_;
  std::vector<std::uint32_t> port_;    ///< per pair of routers
  std::vector<graph::PortRef> nodes_;  ///< per node
};

std::unique_ptr<const Routing> TwoHopConfig::make(const RoutingParts& parts) const {
  return std::make_unique<TwoHop>(parts.topology, parts.vcs, *this);
}

}  // namespace

void add_two_hop(RoutingKinds& kinds) {
  kinds.add<TwoHopConfig>("two_hop", {{"indirect"}});  // a name that others give to it
}

}  // namespace example
