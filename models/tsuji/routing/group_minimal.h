// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/routing/minimal_routing.h"

namespace tsuji::routing {

/// Minimal routing between groups: a local link to a router with a global link to the destination's group,
/// that link, and a local link to the destination. A router with such a link uses it; several links are
/// candidates of equal rank.
///
/// Dragonfly (Kim 2008): needs two virtual channels. Class 0 is for the local link of the source's group,
/// class 1 for that of the destination's group; other links take both, as no local link of class 0 follows
/// them. By phase (BookSim2's dragonflynew): channel 0 up to the first global link, channel 1 from it on;
/// other channels take packets of nodes only. Dragonfly+ (Shpiner 2017): up to a spine, over the global link
/// and down to a leaf, within a group up to any spine; needs one virtual channel, as no link up follows one
/// down.
class GroupMinimal final : public MinimalRouting, public TableImage {
 public:
  std::string stands_for() const override {
    return up_down_ ? "minimal routing on dragonfly+ (Shpiner 2017)"
                    : "minimal routing on dragonfly (Kim 2008)";
  }
  enum class Vcs : std::uint8_t { shared, by_phase };  ///< Channels of a dragonfly's links.
  GroupMinimal(const std::string& kind, const graph::Topology& topology, std::optional<unsigned> vcs,
               Vcs sharing = Vcs::shared);

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  unsigned vcs_needed() const override { return up_down_ ? 1 : 2; }
  unsigned max_candidates() const override { return most_candidates_; }
  unsigned hops(RouterId from, RouterId to) const override;
  unsigned longest() const override { return 3; }

  /// Only if no head has several candidates.
  const TableImage* table_image() const override { return most_candidates_ == 1 ? this : nullptr; }
  TableForm table_form() const override { return TableForm::port_and_vcs; }
  RouteCandidate table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const override {
    return only_candidate(*this, router, in_port, destination);
  }

 private:
  /// A global link of a group: the router's number in the group, and its port.
  struct Exit {
    std::uint16_t number, port;
  };
  struct Place {
    std::uint32_t group, number;  ///< number of the router in its group
  };
  void find_ports(const graph::Topology& topology);
  void find_exits(const graph::Topology& topology, RouterId first);
  unsigned candidates_of(const Exit* first, const Exit* last) const;
  void route_shared(const RouteQuery& query, RouteSet& candidates) const;
  void keep_phase(const RouteQuery& query, RouteSet& candidates) const;
  void route_out(const Place& here, unsigned group, RouteSet& candidates) const;
  void route_inside(const RouteQuery& query, RouterId to, RouteSet& candidates) const;
  void route_among(const Place& here, const std::uint32_t* begin, RouteSet& candidates) const;
  /// Elements of exits_ between two groups: the first one, and that after the last one.
  const std::uint32_t* exits(unsigned from, unsigned to) const {
    return begin_.data() + std::size_t{from} * groups_ + to;
  }
  unsigned port_to(RouterId router, unsigned group) const;
  unsigned local_port(unsigned from, unsigned to) const {
    return first_local_ + to - (skips_own_ & (to > from ? 1U : 0U));
  }
  bool is_leaf(RouterId router) const { return places_[router].number < leaves_; }
  graph::PortRef far(RouterId router, unsigned port) const {
    return far_[std::size_t{router} * most_ports_ + port];
  }

  bool up_down_;  ///< dragonfly+
  bool by_phase_;
  unsigned groups_, leaves_;  ///< leaves_: routers of a group with nodes
  unsigned spines_;           ///< number of spines of a group; 0: dragonfly
  /// Local link of a router to number n of its group: port first_local_ + n, one less above its own number if
  /// skips_own_ is 1.
  unsigned first_local_ = 0, skips_own_ = 0;
  unsigned most_ports_ = 0, most_candidates_ = 1;
  VcMask all_, first_, last_, first_link_;  ///< first_link_: of a local link to a router with a global one
  std::vector<Place> places_;               ///< per router
  std::vector<std::uint16_t> global_port_;  ///< per router: its first port for global links
  std::vector<std::uint32_t> begin_;        ///< per group and other group: first element of exits_
  std::vector<Exit> exits_;                 ///< of groups to others, in order of routers and ports
  std::vector<graph::PortRef> far_;         ///< per router and port
  std::vector<graph::PortRef> nodes_;       ///< per node
};

}  // namespace tsuji::routing
