// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/routing/adaptive_threshold.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/far_routers.h"
#include "tsuji/routing/minimal_routing.h"
#include "tsuji/routing/routing_kinds.h"
#include "tsuji/routing/vc_classes.h"

namespace tsuji::routing {
namespace {

struct InTransitConfig {
  unsigned adaptive_threshold = default_adaptive_threshold;

  void add_keys(config::KeyTable& keys) { add_adaptive_threshold(keys, adaptive_threshold); }
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// In-transit adaptive routing on a dragonfly with on-the-fly misrouting (Garcia 2012), restricted so that
/// wormhole switching is free of deadlock (Garcia 2013, RLM). At each router a packet takes the minimal path
/// or, if the product of queue and links left is smaller there by more than a threshold, a misroute:
///
/// - global, once and in the source's group: one of the router's own global links, to a third group;
/// - local, once in each group: over a third router to the router that the minimal path enters next.
///
/// A packet takes virtual channels of a class for each global link that it has taken: three classes on local
/// links, two on global ones. Two consecutive local links of a group are restricted by sign and parity
/// (LocalLink), so that the links of one class close no cycle. No packet makes more than three times two
/// local and two global links; decide() checks that.
class InTransit final : public Routing, public RouteDecisions {
 public:
  std::string stands_for() const override {
    return "in-transit adaptive routing with on-the-fly misrouting (Garcia 2012), restricted locally (Garcia "
           "2013)";
  }
  InTransit(const graph::Topology& topology, unsigned vcs, unsigned threshold)
      : threshold_(threshold), far_(topology) {
    const auto* shape = topology.shape_as<graph::DragonflyShape>();
    if (shape == nullptr) refuse_topology("in_transit", topology, "a dragonfly");
    all_ = require_vcs("in_transit", vcs, vcs_needed());
    minimal_ = make_minimal("in_transit", topology);
    group_routers_ = shape->group_routers;
    first_local_ = shape->first_local_port();
    first_global_ = shape->first_global_port();
    for (NodeId node = 0; node < topology.nodes(); ++node) nodes_.push_back(topology.node(node).eject);
    const VcClasses local(vcs, local_classes), global(vcs, local_classes - 1);
    for (unsigned c = 0; c < local_classes; ++c) local_vcs_.push_back(local.of(c));
    for (unsigned c = 0; c + 1 < local_classes; ++c) global_vcs_.push_back(global.of(c));
    for (unsigned vc = 0; vc < vcs; ++vc) {
      local_class_.push_back(local.class_of(vc));
      global_class_.push_back(global.class_of(vc));
    }
  }

  void route(const RouteQuery& query, RouteSet& candidates) const override {
    candidates.clear();
    const graph::PortRef to = nodes_[query.destination.node()];
    if (query.router == to.router) return candidates.add(to.port, all_);
    if (query.decision == 0) return;
    const unsigned port = query.decision - 1U, taken = global_links_taken(query);
    const bool local = is_local(query.router, port);
    if (local || taken < global_vcs_.size())  // no route on a channel from which the path cannot be completed
      candidates.add(port, local ? local_vcs_[taken] : global_vcs_[taken]);
  }
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return local_classes; }
  unsigned max_candidates() const override { return 1; }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    return all;
  }
  const RouteDecisions* decisions() const override { return this; }
  bool reads_waiting() const override { return true; }

  /// ModelError for a packet that has made too many hops.
  Decision decide(const RouteQuery& query, const OutputBuffers& outputs) const override {
    if (query.hops > most_hops)
      throw ModelError("in-transit routing", "packet " + std::to_string(query.packet) + " has made " +
                                                 std::to_string(query.hops) + " hops at " +
                                                 router_name(query.router) + ", of at most " +
                                                 std::to_string(most_hops));
    Choice direct, around;
    const auto weigh = [&](const Link& link) {
      return (std::uint64_t{outputs.occupied(link.port, all_)} + outputs.waiting(link.port, all_)) *
             link.links_left;
    };
    for_each_link(query, [&](const Link& link) {
      if (!link.misroute) direct.offer(link.port, weigh(link));
    });
    // At the destination's router, or with a product that no misroute can undercut.
    if (direct.equal == 0 || direct.least <= threshold_) return direct.decision;
    for_each_link(query, [&](const Link& link) {
      if (link.misroute) around.offer(link.port, weigh(link));
    });
    if (around.equal == 0 || direct.least <= around.least + threshold_) return direct.decision;
    std::uint64_t skip = around.equal == 1 ? 0 : query.random(query.hops) % around.equal;
    Decision drawn = around.decision;
    for_each_link(query, [&](const Link& link) {
      if (link.misroute && weigh(link) == around.least && skip-- == 0)
        drawn = static_cast<Decision>(link.port + 1);
    });
    return drawn;
  }
  std::vector<Possible> possible(const RouteQuery& query) const override {
    std::vector<Possible> all;
    for_each_link(query, [&](const Link& link) {
      all.push_back({static_cast<Decision>(link.port + 1), unknown_share});
    });
    if (all.empty()) all.push_back({0, 1.0});
    return all;
  }

 private:
  static constexpr unsigned local_classes = 3;
  static constexpr unsigned most_hops = 2 * local_classes + (local_classes - 1);

  /// Orders the local links of a group for pairs of consecutive ones: the second link is none of a lower kind
  /// than the first. Links of one kind lead to routers of ascending, or of descending, numbers, so a cycle
  /// would need links of two kinds, one of which is followed by a lower one. With this order each pair of
  /// routers keeps about half of the others between them.
  enum class LocalLink : std::uint8_t { odd_up, even_down, odd_down, even_up };
  static LocalLink kind_of(RouterId from, RouterId to) {
    const bool odd = ((from ^ to) & 1) != 0;
    if (to > from) return odd ? LocalLink::odd_up : LocalLink::even_up;
    return odd ? LocalLink::odd_down : LocalLink::even_down;
  }
  static bool may_follow(RouterId from, RouterId over, RouterId to) {
    return kind_of(from, over) <= kind_of(over, to);
  }

  /// A link that a packet may take, and the number of links to the destination over it.
  struct Link {
    unsigned port, links_left;
    bool misroute;
  };
  /// The least of the products that were offered, and the first port with it.
  struct Choice {
    std::uint64_t least = 0;
    unsigned equal = 0;  ///< number of ports with that product
    Decision decision = 0;
    void offer(unsigned port, std::uint64_t product) {
      if (equal != 0 && product > least) return;
      if (equal != 0 && product == least) {
        ++equal;
        return;
      }
      *this = {product, 1, static_cast<Decision>(port + 1)};
    }
  };

  RouterId next(RouterId router, unsigned port) const { return far_.at(router, port); }
  RouterId group_of(RouterId router) const { return router / group_routers_; }
  bool is_local(RouterId router, unsigned port) const {
    const RouterId far = next(router, port);
    return far != graph::none && group_of(far) == group_of(router);
  }
  unsigned global_links_taken(const RouteQuery& query) const {
    if (far_.comes_from_node(query)) return 0;
    return is_local(query.router, query.in_port) ? local_class_[query.in_vc] : global_class_[query.in_vc] + 1;
  }

  /// Calls visit(link) for each link that the packet may take; none at the destination's router.
  template <class Visit>
  void for_each_link(const RouteQuery& query, const Visit& visit) const {
    const RouterId here = query.router, to = nodes_[query.destination.node()].router;
    if (here == to) return;
    RouteSet shortest;
    minimal_->route(query, shortest);
    const bool local_next = is_local(here, shortest[0].port);
    const bool after_local = is_local(here, query.in_port);
    for (const RouteCandidate& one : shortest) {
      const RouterId far = next(here, one.port);
      if (local_next && after_local && !may_follow(next(here, query.in_port), here, far)) continue;
      visit(Link{one.port, 1 + minimal_->hops(far, to), false});
    }
    if (local_next && !after_local) misroute_locally(here, to, shortest, visit);
    if (global_links_taken(query) == 0 && group_of(here) != group_of(to)) misroute_globally(here, to, visit);
  }
  /// Links to routers of the group from which the minimal path's next router may be entered.
  template <class Visit>
  void misroute_locally(RouterId here, RouterId to, const RouteSet& shortest, const Visit& visit) const {
    for (unsigned port = first_local_; port < first_global_; ++port) {
      const RouterId over = next(here, port);
      unsigned links = 0;
      for (const RouteCandidate& one : shortest) {
        const RouterId then = next(here, one.port);
        if (then == over) {  // the minimal path
          links = 0;
          break;
        }
        if (!may_follow(here, over, then)) continue;
        const unsigned through = 2 + minimal_->hops(then, to);
        links = links == 0 ? through : std::min(links, through);
      }
      if (links != 0) visit(Link{port, links, true});
    }
  }
  /// The router's own links to groups that are not the destination's.
  template <class Visit>
  void misroute_globally(RouterId here, RouterId to, const Visit& visit) const {
    for (unsigned port = first_global_; port < far_.ports(here); ++port) {
      const RouterId far = next(here, port);
      if (far != graph::none && group_of(far) != group_of(to))
        visit(Link{port, 1 + minimal_->hops(far, to), true});
    }
  }

  std::unique_ptr<const MinimalRouting> minimal_;
  std::uint64_t threshold_;
  VcMask all_ = 0;
  FarRouters far_;
  unsigned group_routers_ = 0, first_local_ = 0, first_global_ = 0;
  std::vector<graph::PortRef> nodes_;                 ///< [node]
  std::vector<VcMask> local_vcs_, global_vcs_;        ///< [global links taken]
  std::vector<unsigned> local_class_, global_class_;  ///< [virtual channel]
};

std::unique_ptr<const Routing> InTransitConfig::make(const RoutingParts& parts) const {
  return std::make_unique<InTransit>(parts.topology, parts.vcs, adaptive_threshold);
}

}  // namespace

void add_in_transit(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.also_called = {"ofar", "on_the_fly", "rlm"};
  kinds.add<InTransitConfig>("in_transit", traits);
}

}  // namespace tsuji::routing
