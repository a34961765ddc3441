// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/routing/adaptive_threshold.h"
#include "tsuji/routing/by_intermediate.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

/// Virtual channels of an output whose flits are its queue.
enum class Queue : std::uint8_t { port, vcs, hybrid, credits };

/// Routers among which a packet's intermediate router is drawn.
enum class Intermediates : std::uint8_t { any, differing_dimensions };

struct UgalConfig {
  Queue queue = Queue::port;
  Intermediates intermediates = Intermediates::any;
  unsigned adaptive_threshold = default_adaptive_threshold;

  void add_keys(config::KeyTable& keys) {
    keys.add_choice(
        "routing.queue", queue,
        {{"port", Queue::port}, {"vcs", Queue::vcs}, {"hybrid", Queue::hybrid}, {"credits", Queue::credits}},
        "ugal, par: flits that are an output's queue; port: in all virtual channels (UGAL-L); vcs: in "
        "those that the packet may take, minimal packets in the upper half (UGAL-L_VC); hybrid: as "
        "vcs if both paths have one output, else as port (UGAL-L_VCH); credits: those that have left the "
        "router and whose credits have not come back by this cycle, in all virtual channels, minimal packets "
        "in the upper half (BookSim2)");
    keys.add_choice(
        "routing.intermediates", intermediates,
        {{"any", Intermediates::any}, {"differing_dimensions", Intermediates::differing_dimensions}},
        "ugal: routers that may be intermediate ones; differing_dimensions: those that differ from "
        "the source's router only in dimensions in which the destination's does, on a HyperX "
        "(BookSim2)");
    add_adaptive_threshold(keys, adaptive_threshold);
  }
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
  std::unique_ptr<const Routing> make_progressive(const RoutingParts& parts) const;
  std::unique_ptr<const Routing> make_global(const RoutingParts& parts) const;
};

/// UGAL-L (Singh 2005), with the queues of Kim 2008: at its first router a packet compares the
/// queue at the minimal path's output, times the path's hops, with that of a path over a randomly drawn
/// intermediate router. A queue is the number of flits that wait in the router for the output and of those in
/// the downstream buffer; of several outputs that a path may take, the shortest. Progressive (PAR, Jiang
/// 2009): it compares again at the second router of a dragonfly's group.
class Ugal final : public ByIntermediate {
 public:
  std::string stands_for() const override {
    return progressive_ ? "PAR (Jiang 2009): UGAL-L at the first two routers of the source's group"
                        : "UGAL-L: the minimal path, or one over a random intermediate router";
  }
  Ugal(const graph::Topology& topology, unsigned vcs, const UgalConfig& config, bool progressive)
      : ByIntermediate(progressive ? "par" : "ugal", topology, vcs,
                       {config.queue != Queue::port, progressive}),
        queue_(config.queue),
        threshold_(config.adaptive_threshold),
        progressive_(progressive) {
    if (progressive || config.intermediates == Intermediates::any) return;
    const auto* shape = topology.shape_as<graph::HyperXShape>();
    if (shape == nullptr)
      throw ConfigError(
          "routing.intermediates", "differing_dimensions",
          topology.name() + " has no dimensions in each of which one link joins two coordinates",
          "any, or topology.kind hyperx");
    RouterId stride = 1;
    for (const unsigned radix : shape->radices) {
      dimensions_.push_back({stride, radix});
      stride *= radix;
    }
  }

 private:
  Decision choose(const RouteQuery& query, const OutputBuffers& outputs) const override {
    const RouterId from = query.router, to = router_of(query.destination.node());
    const RouteSet straight = first_candidates(query, minimal);
    const unsigned direct_hops = hops(from, to);
    bool by_vcs = queue_ == Queue::vcs;
    std::uint64_t direct = shortest_queue(straight, by_vcs, outputs) * direct_hops;
    // The queue of a part of the channels is no longer than that of all; no detour could be shorter.
    if (direct <= threshold_) return minimal;
    const RouterId middle = dimensions_.empty() ? draw(query) : draw_between(query, from, to);
    if (middle == from) return minimal;
    const RouteSet around = first_candidates(query, by(middle));
    if (queue_ == Queue::hybrid && straight[0].port == around[0].port) {
      by_vcs = true;
      direct = shortest_queue(straight, by_vcs, outputs) * direct_hops;
    }
    const std::uint64_t detour =
        shortest_queue(around, by_vcs, outputs) * (hops(from, middle) + hops(middle, to));
    return direct <= detour + threshold_ ? minimal : by(middle);
  }
  bool chooses_by_credits() const override { return true; }
  bool may_draw(const RouteQuery& query, RouterId middle) const override {
    const RouterId from = query.router, to = router_of(query.destination.node());
    return std::all_of(dimensions_.begin(), dimensions_.end(), [&](const Dimension& d) {
      return d.of(from) != d.of(to) || d.of(middle) == d.of(from);
    });
  }
  /// Draws each coordinate in which `from` and `to` differ uniformly.
  RouterId draw_between(const RouteQuery& query, RouterId from, RouterId to) const {
    std::uint64_t number = query.random(0);
    RouterId middle = from;
    for (const Dimension& d : dimensions_) {
      if (d.of(from) == d.of(to)) continue;
      middle += (static_cast<RouterId>(number % d.radix) - d.of(from)) * d.stride;
      number /= d.radix;
    }
    return middle;
  }
  std::uint64_t shortest_queue(const RouteSet& candidates, bool by_vcs, const OutputBuffers& outputs) const {
    std::uint64_t shortest = ~std::uint64_t{0};
    for (const RouteCandidate& candidate : candidates)
      shortest = std::min(shortest, queue(candidate.port, by_vcs ? candidate.vcs : all_vcs(), outputs));
    return shortest;
  }
  std::uint64_t queue(unsigned port, VcMask vcs, const OutputBuffers& outputs) const {
    if (queue_ == Queue::credits) return outputs.unreturned(port, vcs);
    return std::uint64_t{outputs.occupied(port, vcs)} + outputs.waiting(port, vcs);
  }

  /// Of a HyperX; its routers are numbered by their coordinates.
  struct Dimension {
    RouterId stride, radix;
    RouterId of(RouterId router) const { return router / stride % radix; }
  };

  Queue queue_;
  std::uint64_t threshold_;
  bool progressive_;
  std::vector<Dimension> dimensions_;  ///< empty: any router may be an intermediate one
};

/// UGAL-G (Singh 2005; Kim 2008): an oracle. At its first router a packet compares the sums of the queues on
/// all links of the minimal path and of a path over a randomly drawn intermediate router, with a flit for
/// each hop. Of several outputs at a router, the path takes the one with the shortest queue.
class UgalGlobal final : public ByIntermediate {
 public:
  std::string stands_for() const override {
    return "UGAL-G, an oracle: queues of all links on the minimal path and on one over a random router";
  }
  UgalGlobal(const graph::Topology& topology, unsigned vcs, unsigned threshold)
      : ByIntermediate("ugal_g", topology, vcs, {}), threshold_(threshold) {
    for (RouterId router = 0; router < topology.routers(); ++router) {
      first_port_.push_back(far_.size());
      for (unsigned port = 0; port < topology.ports(router); ++port) {
        const graph::Topology::Far& end = topology.far(router, port);
        const bool to_router = end.kind == graph::Topology::Far::Kind::router;
        far_.push_back(to_router ? end.at : graph::PortRef{graph::none, 0});
      }
    }
  }
  bool reads_network() const override { return true; }

 private:
  Decision choose(const RouteQuery& query, const OutputBuffers& outputs) const override {
    const RouterId middle = draw(query);
    if (middle == query.router) return minimal;
    const std::uint64_t direct = path_cost(query, minimal, outputs);
    return direct <= path_cost(query, by(middle), outputs) + threshold_ ? minimal : by(middle);
  }
  bool chooses_by_credits() const override { return true; }

  /// Queued flits and hops from here to the destination's router.
  std::uint64_t path_cost(RouteQuery head, Decision decision, const OutputBuffers& outputs) const {
    std::uint64_t cost = 0;
    head.decision = decision;
    for (RouteSet candidates;; ++cost) {
      head.decision = at(head.router, head.decision);
      route(head, candidates);
      const RouteCandidate* next = candidates.begin();
      for (const RouteCandidate& one : candidates)
        if (outputs.queue_of(head.router, one.port) < outputs.queue_of(head.router, next->port)) next = &one;
      const graph::PortRef far = far_[first_port_[head.router] + next->port];
      if (far.router == graph::none) return cost;
      cost += outputs.queue_of(head.router, next->port);
      head.router = far.router;
      head.in_port = far.port;
      head.in_vc = static_cast<std::uint32_t>(__builtin_ctz(next->vcs));
    }
  }

  const std::uint64_t threshold_;
  std::vector<std::size_t> first_port_;  ///< per router
  std::vector<graph::PortRef> far_;      ///< per port; router graph::none: a node
};

std::unique_ptr<const Routing> UgalConfig::make(const RoutingParts& parts) const {
  return std::make_unique<Ugal>(parts.topology, parts.vcs, *this, false);
}
std::unique_ptr<const Routing> UgalConfig::make_progressive(const RoutingParts& parts) const {
  return std::make_unique<Ugal>(parts.topology, parts.vcs, *this, true);
}

std::unique_ptr<const Routing> UgalConfig::make_global(const RoutingParts& parts) const {
  return std::make_unique<UgalGlobal>(parts.topology, parts.vcs, adaptive_threshold);
}

}  // namespace

void add_ugal(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.also_called = {"ugal_l", "ugal-l", "ugal_flatfly_onchip"};
  traits.turns_back = true;
  RoutingTraits progressive;
  progressive.also_called = {"progressive_adaptive"};
  progressive.turns_back = true;
  RoutingTraits global;
  global.also_called = {"ugal_global", "ugal-g"};
  global.turns_back = true;
  kinds.add<UgalConfig>({{"ugal", &UgalConfig::make, "queue intermediates adaptive_threshold", traits},
                         {"par", &UgalConfig::make_progressive, "queue adaptive_threshold", progressive},
                         {"ugal_g", &UgalConfig::make_global, "adaptive_threshold", global}});
}

}  // namespace tsuji::routing
