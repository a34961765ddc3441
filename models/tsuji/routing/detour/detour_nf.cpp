// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/detour/detour_nf.h"

#include <algorithm>
#include <numeric>

#include "tsuji/core/error.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

constexpr unsigned unreachable = 1U << 30;

}  // namespace

/// Computes plans for one destination at a time, each from the path lengths of routers nearer to it.
class DetourNf::Planner {
 public:
  Planner(const graph::Topology& topology, const CubeTables& cube, const graph::LivingNetwork& network)
      : topology_(topology), cube_(cube), network_(network), nearest_first_(topology.routers()) {}

  void plan(RouterId to, Plan* plans) {
    to_ = to;
    plans_ = plans;
    find_order();
    find_nf();
    find_clean();
    for (RouterId router = 0; router < topology_.routers(); ++router)
      if (network_.lives(router) && hops_[0][router] >= unreachable) refuse(router);
  }

 private:
  std::uint16_t coordinate(RouterId router, unsigned d) const { return cube_.router(router)[d]; }

  /// Dimension order: from the last dimension to the first, in each outwards from the routers that have the
  /// destination's coordinates up to this dimension.
  void find_order() {
    order_.assign(topology_.routers(), unreachable);
    order_[to_] = 0;
    for (unsigned d = cube_.dimensions(); d-- > 0;) {
      for (RouterId base = 0; base < topology_.routers(); ++base) {
        bool aligned = true;
        for (unsigned e = 0; e <= d; ++e) aligned = aligned && coordinate(base, e) == coordinate(to_, e);
        if (!aligned || order_[base] >= unreachable) continue;
        go_outwards(base, CubeShape::up_port(d));
        go_outwards(base, CubeShape::down_port(d));
      }
    }
  }

  /// Visits the routers from which repeated hops by `port` reach `base`; of equal paths the one upwards comes
  /// first.
  void go_outwards(RouterId base, unsigned port) {
    RouterId router = base;
    for (unsigned length = order_[base] + 1;; ++length) {
      router = network_.neighbour(router, port ^ 1U);
      if (router == graph::none || router == base) return;
      if (length >= order_[router]) continue;
      order_[router] = length;
      plans_[router].order_port = static_cast<std::uint8_t>(port);
    }
  }

  /// NF hops on links other than wrap-around links: such links upwards go to higher router numbers, downwards
  /// to lower ones.
  void find_nf() {
    hops_[0].assign(topology_.routers(), unreachable);
    hops_[1] = hops_[0];
    for (RouterId router = topology_.routers(); router-- > 0;)
      if (network_.lives(router)) choose(router, 1);
    for (RouterId router = 0; router < topology_.routers(); ++router)
      if (network_.lives(router)) choose(router, 0);
  }

  void choose(RouterId router, unsigned phase) {
    unsigned best = order_[router], word = 0;
    const auto offer = [&](unsigned port, unsigned next_phase) {
      const RouterId next = network_.neighbour(router, port);
      if (next == graph::none || hops_[next_phase][next] >= unreachable) return;
      const unsigned hops = hops_[next_phase][next] + 1;
      if (hops > best || (hops == best && word == 0)) return;  // of equal paths, dimension order
      word = (hops < best ? 0 : word) | 1U << port;
      best = hops;
    };
    for (unsigned d = 0; d < cube_.dimensions(); ++d) {
      if (coordinate(router, d) + 1U < cube_.radix(d)) offer(CubeShape::up_port(d), 1);
      if (phase == 0 && coordinate(router, d) > 0) offer(CubeShape::down_port(d), 0);
    }
    hops_[phase][router] = best;
    plans_[router].nf[phase] = static_cast<PortWord>(word);
  }

  void find_clean() {
    distance_.assign(topology_.routers(), 0);
    for (RouterId router = 0; router < topology_.routers(); ++router)
      for (unsigned d = 0; d < cube_.dimensions(); ++d) {
        const unsigned here = coordinate(router, d), there = coordinate(to_, d);
        const unsigned apart = here > there ? here - there : there - here;
        distance_[router] += cube_.wraps(d) ? std::min(apart, cube_.radix(d) - apart) : apart;
      }
    std::iota(nearest_first_.begin(), nearest_first_.end(), 0U);
    std::stable_sort(nearest_first_.begin(), nearest_first_.end(),
                     [this](RouterId a, RouterId b) { return distance_[a] < distance_[b]; });
    for (RouterId router : nearest_first_) {
      bool clean = network_.lives(router) && order_[router] == distance_[router];
      network_.visit_neighbours(router, [&](RouterId next) {
        if (distance_[next] < distance_[router]) clean = clean && plans_[next].clean;
      });
      plans_[router].clean = clean;
    }
  }

  [[noreturn]] void refuse(RouterId router) const {
    const graph::FaultSet& faults = network_.faults();
    const bool links = faults.routers.empty();
    throw ConfigError(links ? "faults.links" : "faults.routers",
                      std::to_string(faults.links.size()) + " dead links and " +
                          std::to_string(faults.routers.size()) + " dead routers",
                      "detour_nf has no path around them from router " + std::to_string(router) +
                          " to router " + std::to_string(to_),
                      "faults that negative-first hops and dimension order can avoid");
  }

  const graph::Topology& topology_;
  const CubeTables& cube_;
  const graph::LivingNetwork& network_;
  RouterId to_ = 0;
  Plan* plans_ = nullptr;
  std::vector<unsigned> order_;  ///< number of links in dimension order
  /// Number of links of the path of rank 1; index as in Plan::nf.
  std::array<std::vector<unsigned>, 2> hops_;
  std::vector<unsigned> distance_;  ///< without faults
  std::vector<RouterId> nearest_first_;
};

DetourNf::DetourNf(const graph::Topology& topology, unsigned vcs, const graph::FaultSet& faults)
    : cube_(topology, "detour_nf"),
      network_(topology, faults),
      escapes_(cube_.any_long_ring() ? 2 : 1),
      all_(require_vcs("detour_nf", vcs, escapes_ + 2)),
      adaptive_(vc_range(escapes_, vcs - escapes_ - 1)),
      nf_(vc_range(vcs - 1, 1)) {
  require_table_size("detour_nf", topology);
  require_candidates("detour_nf", max_candidates());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const graph::PortRef port = topology.node(node).eject;
    node_.push_back(network_.lives(port.router) ? port : graph::PortRef{});
  }
  plans_.resize(std::size_t{topology.routers()} * topology.routers());
  Planner planner(topology, cube_, network_);
  for (RouterId to = 0; to < topology.routers(); ++to)
    if (network_.lives(to)) planner.plan(to, &plans_[std::size_t{to} * topology.routers()]);
}

void DetourNf::add_order(const RouteQuery& query, unsigned port, RouteSet& candidates) const {
  // On a ring of three, the longer direction is used only if the short link is dead, which breaks the ring.
  const unsigned d = port / 2;
  const bool ahead = CubeTables::dateline_ahead(port == CubeShape::up_port(d), cube_.router(query.router)[d],
                                                cube_.node(query.destination.node())[d]);
  candidates.add(port, cube_.is_long_ring(d) ? vc_range(ahead ? 0 : 1, 1) : vc_range(0, escapes_), 1);
}

void DetourNf::route(const RouteQuery& query, RouteSet& candidates) const {
  const Plan* const own = plan(query.router, query.destination.node());
  const auto lives = [&](unsigned port) { return network_.lives_at(query.router, port); };
  if (own != nullptr) return route_by(query, *own, lives, candidates);
  candidates.clear();
}

namespace {

struct DetourNfConfig {
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const {
    return std::make_unique<DetourNf>(parts.topology, parts.vcs, parts.faults);
  }
};

}  // namespace

void add_detour_nf(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.bears_faults = traits.turns_back = true;
  kinds.add<DetourNfConfig>("detour_nf", traits);
}

}  // namespace tsuji::routing
