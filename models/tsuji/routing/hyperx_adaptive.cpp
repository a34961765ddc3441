// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"
#include "tsuji/routing/vc_classes.h"

namespace tsuji::routing {
namespace {

struct HyperXAdaptiveConfig {
  unsigned hop_flits = 1;
  unsigned deroutes = 1;

  void add_keys(config::KeyTable& keys) {
    keys.add(
        "routing.hop_flits", hop_flits, {0, 1'000'000}, "flits",
        "dal, omni_war, polarized: flits that an output's queue counts more than it holds; a packet takes "
        "the output with the least product of queue and links left");
    keys.add("routing.deroutes", deroutes, {0, 15}, "",
             "omni_war: largest number of non-minimal links of a path; each needs a virtual channel more");
  }
  std::unique_ptr<const Routing> make_dal(const RoutingParts& parts) const;
  std::unique_ptr<const Routing> make_omni_war(const RoutingParts& parts) const;
};

/// Adaptive routing on HyperX: at each router a packet takes a link of any dimension in which it is not at
/// its destination's coordinate yet, to that coordinate or (a deroute) to another one. It decides by queue
/// times links left, among equal products for the fewest links, then at random. A queue is the number of
/// flits that wait for the output and in the downstream buffer.
class HyperXAdaptive : public Routing, public RouteDecisions {
 public:
  void route(const RouteQuery& query, RouteSet& candidates) const final {
    candidates.clear();
    const graph::PortRef to = nodes_[query.destination.node()];
    if (query.router == to.router) return candidates.add(to.port, all_);
    add_candidates(query, to.router, candidates);
  }
  VcMask injection_vcs(End, End) const final { return all_; }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    return all;
  }
  const RouteDecisions* decisions() const final { return this; }
  bool reads_waiting() const final { return true; }

  /// ModelError for a packet that has made too many hops.
  Decision decide(const RouteQuery& query, const OutputBuffers& outputs) const final {
    if (query.hops > most_hops_)
      throw ModelError("routing on HyperX", "packet " + std::to_string(query.packet) + " has made " +
                                                std::to_string(query.hops) + " hops at " +
                                                router_name(query.router) + ", of at most " +
                                                std::to_string(most_hops_));
    Weight least;
    unsigned equal = 0;
    const auto weigh = [&](const Link& link) {
      return Weight{std::uint64_t{queue(link.port, outputs) + hop_flits_} * link.links_left, link.links_left};
    };
    for_each_link(query, [&](const Link& link) {
      const Weight weight = weigh(link);
      if (equal != 0 && !(weight < least)) {
        equal += weight == least ? 1U : 0U;
        return;
      }
      least = weight;
      equal = 1;
    });
    if (equal == 0) return 0;  // at the destination's router
    std::uint64_t skip = equal == 1 ? 0 : query.random(query.hops) % equal;
    Decision decision = 0;
    for_each_link(query, [&](const Link& link) {
      if (weigh(link) == least && skip-- == 0) decision = link.decision;
    });
    return decision;
  }
  std::vector<Possible> possible(const RouteQuery& query) const final {
    std::vector<Possible> all;
    for_each_link(query, [&](const Link& link) { all.push_back({link.decision, unknown_share}); });
    if (all.empty()) all.push_back({0, 1.0});
    return all;
  }

 protected:
  HyperXAdaptive(const std::string& kind, const graph::Topology& topology, const HyperXAdaptiveConfig& config)
      : hop_flits_(config.hop_flits) {
    const auto* shape = topology.shape_as<graph::HyperXShape>();
    if (shape == nullptr) refuse_topology(kind, topology, "a HyperX");
    if (shape->one_way_ports)
      throw ConfigError("topology.one_way_ports", "true",
                        kind + " compares the ports of a link's two directions", "false");
    network_ports_ = shape->network_ports();
    dimensions_ = static_cast<unsigned>(shape->radices.size());
    unsigned first = 0;
    for (unsigned d = 0; d < dimensions_; ++d) {
      axes_.push_back({first, shape->trunks[d], shape->radices[d]});
      first += (shape->radices[d] - 1) * shape->trunks[d];
    }
    for (RouterId router = 0; router < topology.routers(); ++router)
      for (const unsigned coordinate : topology.coordinates(router)) places_.push_back(coordinate);
    for (NodeId node = 0; node < topology.nodes(); ++node) nodes_.push_back(topology.node(node).eject);
  }

  struct Axis {
    unsigned first_port, trunks, radix;
  };
  const std::uint32_t* place(RouterId router) const { return &places_[std::size_t{router} * dimensions_]; }
  /// Links of a shortest path.
  unsigned links_to(RouterId from, RouterId to) const {
    const std::uint32_t *const here = place(from), *const there = place(to);
    unsigned links = 0;
    for (unsigned d = 0; d < dimensions_; ++d) links += here[d] != there[d] ? 1U : 0U;
    return links;
  }
  bool comes_from_node(const RouteQuery& query) const { return query.in_port >= network_ports_; }
  /// First of the parallel links from coordinate `here` to `there`.
  static unsigned port_to(const Axis& axis, unsigned here, unsigned there) {
    return axis.first_port + (there - (there > here ? 1U : 0U)) * axis.trunks;
  }

  std::uint64_t hop_flits_;
  unsigned dimensions_, network_ports_, most_hops_ = 0;
  VcMask all_ = 0;
  std::vector<Axis> axes_;
  std::vector<std::uint32_t> places_;  ///< coordinates, per router
  std::vector<graph::PortRef> nodes_;  ///< per node

 private:
  /// A link that a packet may take.
  struct Link {
    unsigned port, links_left;
    Decision decision;
  };
  struct Weight {
    std::uint64_t product = 0;
    unsigned links = 0;
    bool operator<(const Weight& other) const {
      return product != other.product ? product < other.product : links < other.links;
    }
    bool operator==(const Weight& other) const { return product == other.product && links == other.links; }
  };

  /// Candidates after a decision, at a router that is not the destination's.
  virtual void add_candidates(const RouteQuery& query, RouterId to, RouteSet& candidates) const = 0;
  /// Returns true if a packet with `links` links to its destination may deroute in dimension `d`.
  virtual bool may_deroute(const RouteQuery& query, unsigned d, unsigned links) const = 0;
  virtual Decision decision(const RouteQuery& query, unsigned port, unsigned d, bool deroutes) const = 0;

  std::uint64_t queue(unsigned port, const OutputBuffers& outputs) const {
    return std::uint64_t{outputs.occupied(port, all_)} + outputs.waiting(port, all_);
  }
  /// Calls visit(link) for each link that the packet may take; not for the port that it came in by.
  template <class Visit>
  void for_each_link(const RouteQuery& query, const Visit& visit) const {
    const std::uint32_t *const here = place(query.router), *const there =
                                                               place(nodes_[query.destination.node()].router);
    const unsigned links = links_to(query.router, nodes_[query.destination.node()].router);
    for (unsigned d = 0; d < dimensions_; ++d) {
      if (here[d] == there[d]) continue;
      const Axis& axis = axes_[d];
      const bool deroutes = may_deroute(query, d, links);
      for (unsigned to = 0; to < axis.radix; ++to) {
        if (to == here[d] || (to != there[d] && !deroutes)) continue;
        const unsigned first = port_to(axis, here[d], to);
        for (unsigned port = first; port < first + axis.trunks; ++port)
          if (port != query.in_port)
            visit(Link{port, to == there[d] ? links : links + 1, decision(query, port, d, to != there[d])});
      }
    }
  }
};

/// DAL (Ahn 2009): one deroute in each dimension, on adaptive channels. Channel 0 is an escape channel
/// (Duato) by dimension order, offered everywhere: no packet returns to a dimension in which it has arrived,
/// so escape channels wait for those of higher dimensions only. The decision holds the output and the
/// dimensions in which the packet has derouted.
class Dal final : public HyperXAdaptive {
 public:
  std::string stands_for() const override { return "DAL on HyperX (Ahn 2009), with an escape channel"; }
  Dal(const graph::Topology& topology, unsigned vcs, const HyperXAdaptiveConfig& config)
      : HyperXAdaptive("dal", topology, config) {
    all_ = require_vcs("dal", vcs, vcs_needed());
    adaptive_ = vc_range(1, vcs - 1);
    most_hops_ = 2 * dimensions_;
    for (const Axis& axis : axes_) most_trunks_ = std::max(most_trunks_, axis.trunks);
    require_candidates("dal", max_candidates());
    if (network_ports_ > 1U << port_bits || dimensions_ > 16 - port_bits)
      throw ConfigError("routing.kind", "dal",
                        "a packet has 16 bits for a port and the dimensions in which it has derouted",
                        "a HyperX of at most " + std::to_string(16 - port_bits) + " dimensions and " +
                            std::to_string(1U << port_bits) + " links of a router");
  }
  unsigned vcs_needed() const override { return 2; }
  unsigned max_candidates() const override { return 1 + most_trunks_; }
  RoutingPromises promises() const override {
    RoutingPromises all = HyperXAdaptive::promises();
    all.needs_atomic_vcs = true;
    return all;
  }

 private:
  static constexpr unsigned port_bits = 10;

  void add_candidates(const RouteQuery& query, RouterId to, RouteSet& candidates) const override {
    const std::uint32_t *const here = place(query.router), *const there = place(to);
    candidates.add(query.decision & ((1U << port_bits) - 1U), adaptive_);
    unsigned d = 0;
    while (here[d] == there[d]) ++d;
    const unsigned first = port_to(axes_[d], here[d], there[d]);
    for (unsigned port = first; port < first + axes_[d].trunks; ++port)
      candidates.add(port, vc_range(0, 1), 1);
  }
  bool may_deroute(const RouteQuery& query, unsigned d, unsigned) const override {
    return (query.decision >> (port_bits + d) & 1) == 0;
  }
  Decision decision(const RouteQuery& query, unsigned port, unsigned d, bool deroutes) const override {
    const unsigned derouted = query.decision >> port_bits | (deroutes ? 1U << d : 0U);
    return static_cast<Decision>(derouted << port_bits | port);
  }

  VcMask adaptive_;
  unsigned most_trunks_ = 0;
};

/// OmniWAR (McDonald 2019): deroutes in any dimension. Each hop takes virtual channels of the next class
/// (distance classes), the first one of a class by which as many are left as links and deroutes: so a packet
/// deroutes while more classes are left than links.
class OmniWar final : public HyperXAdaptive {
 public:
  std::string stands_for() const override { return "OmniWAR on HyperX (McDonald 2019)"; }
  OmniWar(const graph::Topology& topology, unsigned vcs, const HyperXAdaptiveConfig& config)
      : HyperXAdaptive("omni_war", topology, config), hops_(dimensions_ + config.deroutes) {
    all_ = require_vcs("omni_war", vcs, hops_);
    const VcClasses classes(vcs, hops_);
    for (unsigned vc = 0; vc < vcs; ++vc) class_of_.push_back(classes.class_of(vc));
    for (unsigned c = 0; c < hops_; ++c) vcs_of_.push_back(classes.of(c));
    most_hops_ = hops_;
  }
  unsigned vcs_needed() const override { return hops_; }
  unsigned max_candidates() const override { return 1; }

 private:
  /// Class of the next hop of a packet with `links` links to its destination.
  unsigned next_class(const RouteQuery& query, unsigned links) const {
    return comes_from_node(query) ? dimensions_ - links : class_of_[query.in_vc] + 1U;
  }
  /// No candidate on a channel of another class than its path's.
  void add_candidates(const RouteQuery& query, RouterId to, RouteSet& candidates) const override {
    const unsigned taken = next_class(query, links_to(query.router, to));
    if (taken < hops_) candidates.add(query.decision - 1U, vcs_of_[taken]);
  }
  bool may_deroute(const RouteQuery& query, unsigned, unsigned links) const override {
    return next_class(query, links) + links < hops_;
  }
  Decision decision(const RouteQuery&, unsigned port, unsigned, bool) const override {
    return static_cast<Decision>(port + 1);
  }

  unsigned hops_;                   ///< of the longest path
  std::vector<unsigned> class_of_;  ///< per virtual channel
  std::vector<VcMask> vcs_of_;      ///< per class
};

std::unique_ptr<const Routing> HyperXAdaptiveConfig::make_dal(const RoutingParts& parts) const {
  return std::make_unique<Dal>(parts.topology, parts.vcs, *this);
}
std::unique_ptr<const Routing> HyperXAdaptiveConfig::make_omni_war(const RoutingParts& parts) const {
  return std::make_unique<OmniWar>(parts.topology, parts.vcs, *this);
}

}  // namespace

void add_hyperx_adaptive(RoutingKinds& kinds) {
  RoutingTraits dal, omni_war;
  dal.also_called = {"dimensionally_adaptive"};
  omni_war.also_called = {"omniwar", "omni"};
  kinds.add<HyperXAdaptiveConfig>({{"dal", &HyperXAdaptiveConfig::make_dal, "hop_flits", dal},
                                   {"omni_war", &HyperXAdaptiveConfig::make_omni_war, "", omni_war}});
}

}  // namespace tsuji::routing
