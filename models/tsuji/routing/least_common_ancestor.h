// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/routing/route_hints.h"

namespace tsuji::routing {

/// Selection of an up port below the least common ancestor.
enum class UpPort : std::uint8_t {
  adaptive,    ///< all are candidates; the router selects (VcRouterConfig::selection)
  one_to_one,  ///< the port opposite to the down port of arrival (modulo the number of up ports)
  random       ///< the packet's random numbers decide, independently on each level
};

struct LeastCommonAncestorConfig {
  UpPort up_port = UpPort::adaptive;

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// Routing on fat trees (Tateshita 2009): up to the least common ancestor of source and destination, then
/// down. Minimal. Uses all virtual channels; one suffices, since no packet goes up after down.
///
/// Its route hint is the level of the ancestor. Below that level a head from below goes up, by any up port or
/// by the opposite one; the hint does not include random choices among several.
class LeastCommonAncestor final : public Routing,
                                  public TableImage,
                                  public RandomChoices,
                                  private RouteHints {
 public:
  std::string stands_for() const override {
    return "up to the least common ancestor and down (Tateshita 2009, section 3.2)";
  }
  LeastCommonAncestor(const graph::Topology& topology, unsigned vcs, UpPort up_port = UpPort::adaptive);

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return up_port_ == UpPort::adaptive ? up_links_ : 1; }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    return all;
  }
  const TableImage* table_image() const override {
    return up_port_ == UpPort::one_to_one || up_links_ == 1 ? this : nullptr;
  }
  const RandomChoices* random_choices() const override {
    return up_port_ == UpPort::random && outcomes_ > 1 ? this : nullptr;
  }
  const RouteHints* hints() const override { return this; }
  /// The random digits of the levels are independent, and uniform over the up ports.
  bool port_shares(const RouteQuery& query, PortShares& shares) const override;

  TableForm table_form() const override { return TableForm::port_and_vcs; }
  RouteCandidate table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const override {
    return only_candidate(*this, router, in_port, destination);
  }
  std::uint64_t random_outcomes() const override { return outcomes_; }
  std::uint64_t random_outcome(const RouteQuery& query) const override;

 private:
  struct Place {
    std::uint32_t level, subtree;
  };
  struct Below {
    std::uint32_t subtree;  ///< subtree of the switches of this level that have the node below them
    std::uint32_t port;     ///< down port of these switches towards the node
  };

  unsigned bits() const override;
  bool may_confirm(RouterId router, std::uint32_t in_port, std::uint32_t out_port) const override;
  bool confirms(const RouteQuery& query, std::uint32_t out_port) const override;
  std::uint32_t hint(NodeId source, NodeId destination) const;
  unsigned random_up(const RouteQuery& query, unsigned level) const;

  UpPort up_port_;
  VcMask all_;
  unsigned up_links_, down_links_;
  NodeId nodes_;
  std::uint32_t levels_;
  std::uint64_t outcomes_ = 1;
  std::vector<Place> places_;            ///< [router]
  std::vector<Below> below_;             ///< [level * nodes + node]
  std::vector<std::uint32_t> opposite_;  ///< [down port]: up port
};

}  // namespace tsuji::routing
