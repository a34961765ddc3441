// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// One routing for each set of virtual channels (virtual network). A packet stays in the set of the virtual
/// channel into which it was injected, and each set is routed by its own routing, which numbers the channels
/// of the set from 0 on. At the port of its node a packet may take any virtual channel of its set.
class ClassRouting final : public Routing, public RouteDecisions, public RandomChoices {
 public:
  /// A set of virtual channels with its routing.
  struct Set {
    unsigned first_vc = 0,                   ///< First virtual channel.
        vcs = 1;                             ///< Number of virtual channels.
    std::shared_ptr<const Routing> routing;  ///< Routing on `vcs` virtual channels.
  };
  /// Throws ConfigError with the key routing.kind for a routing whose packets leave their virtual channels
  /// (recovery), that changes its tables, or whose random outcomes differ between sets. Keeps no reference to
  /// the topology.
  ClassRouting(const graph::Topology& topology, std::vector<Set> sets, const std::string& kind);

  std::string stands_for() const override { return sets_.front().routing->stands_for(); }
  void route(const RouteQuery& query, RouteSet& candidates) const override;
  VcMask injection_vcs(End source, End destination) const override;
  unsigned vcs_needed() const override { return vcs_; }
  unsigned max_candidates() const override;
  RoutingPromises promises() const override;
  const RandomChoices* random_choices() const override {
    return sets_.front().routing->random_choices() == nullptr ? nullptr : this;
  }
  const RouteDecisions* decisions() const override {
    return sets_.front().routing->decisions() == nullptr ? nullptr : this;
  }
  bool port_shares(const RouteQuery& query, PortShares& shares) const override;

  std::uint64_t random_outcomes() const override;
  std::uint64_t random_outcome(const RouteQuery& query) const override;
  double outcome_share(std::uint64_t outcome) const override;

  bool reads_waiting() const override { return sets_.front().routing->decisions()->reads_waiting(); }
  Decision decide(const RouteQuery& query, const OutputBuffers& outputs) const override;
  std::vector<Possible> possible(const RouteQuery& query) const override;

 private:
  const Set& set_of(const RouteQuery& query) const { return sets_[set_of_vc_[query.in_vc]]; }
  static RouteQuery within(const Set& set, RouteQuery query) {
    query.in_vc -= set.first_vc;
    return query;
  }
  VcMask vcs_at(const Set& set, RouterId router, const RouteCandidate& candidate) const {
    const bool to_node = (node_ports_[router] >> candidate.port & 1U) != 0;
    return to_node ? vc_range(set.first_vc, set.vcs) : static_cast<VcMask>(candidate.vcs << set.first_vc);
  }

  std::vector<Set> sets_;
  std::array<std::uint8_t, 16> set_of_vc_{};
  std::vector<std::uint64_t> node_ports_;  ///< [router]: mask of the ports of nodes
  unsigned vcs_ = 0;
};

}  // namespace tsuji::routing
