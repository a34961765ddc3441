// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Destination-digit routing on a k-ary n-fly: stage s takes the output given by digit s of the destination,
/// most significant first. There is a single path; it may use all virtual channels, and one suffices.
class DestinationDigits final : public Routing, public TableImage {
 public:
  std::string stands_for() const override { return "routing by the destination's digits"; }
  DestinationDigits(const graph::Topology& topology, unsigned vcs);

  void route(const RouteQuery& query, RouteSet& candidates) const override {
    candidates.clear();
    candidates.add(ports_[stages_[query.router] * nodes_ + query.destination.node()], all_);
  }
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 1; }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    return all;
  }
  const TableImage* table_image() const override { return this; }

  TableForm table_form() const override { return TableForm::port_and_vcs; }
  RouteCandidate table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const override {
    return only_candidate(*this, router, in_port, destination);
  }

 private:
  VcMask all_;
  NodeId nodes_;
  std::vector<std::uint32_t> stages_;  ///< [router]
  std::vector<std::uint8_t> ports_;    ///< [stage * nodes + destination]
};

}  // namespace tsuji::routing
