// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/routing/route_hints.h"

namespace tsuji::routing {

/// Which up port a packet takes below the least common ancestor.
enum class UpPort : std::uint8_t {
  adaptive,    ///< all are candidates; the router chooses among them (VcRouterConfig::selection)
  one_to_one,  ///< the one opposite of the down port where it came in (modulo the up ports)
  random       ///< by the packet's random numbers, independently on each level
};

struct LeastCommonAncestorConfig {
  UpPort up_port = UpPort::adaptive;

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// Up to the least common ancestor of source and destination and down from there, on fat trees (Tateshita
/// 2009). Minimal. All virtual channels; one is enough, as nothing turns up again.
///
/// Its hint is the level of that ancestor. Above a lower level a head from below goes up, by any up port or
/// by the opposite one; which of several a random choice takes is not told.
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
  /// The random digits of the levels upwards are independent, and uniform over the ports up.
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
    std::uint32_t subtree;  ///< of a switch of the level that has the node below it
    std::uint32_t port;     ///< its down port towards the node
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
  std::vector<Place> places_;            ///< per router
  std::vector<Below> below_;             ///< level * nodes + node
  std::vector<std::uint32_t> opposite_;  ///< per down port, the up port
};

}  // namespace tsuji::routing
