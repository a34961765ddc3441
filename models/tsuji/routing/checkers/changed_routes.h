// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// A routing but for some destinations, whose packets leave one router by an output of its own: a table in
/// which entries were changed. For that router only; another change is another object.
class ChangedRoutes final : public Routing {
 public:
  std::string stands_for() const override { return "routing with changed entries"; }
  /// `base` outlives it.
  explicit ChangedRoutes(const Routing& base) : base_(base) {}
  /// The changes of `earlier`, and one more. No virtual channels: there is no route. Where virtual channels
  /// follow from those that packets came by (TableForm::port_and_vc_map), a packet takes those of `entry`
  /// that its own allows.
  ChangedRoutes(const ChangedRoutes& earlier, End destination, const RouteCandidate& entry);

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  VcMask injection_vcs(End source, End destination) const override {
    return base_.injection_vcs(source, destination);
  }
  unsigned vcs_needed() const override { return base_.vcs_needed(); }
  unsigned max_candidates() const override { return base_.max_candidates(); }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.needs_atomic_vcs = base_.promises().needs_atomic_vcs;
    return all;
  }
  const RouteDecisions* decisions() const override { return base_.decisions(); }
  const Routing& base() const { return base_; }

 private:
  using Change = std::pair<End, RouteCandidate>;
  const Routing& base_;
  std::vector<Change> changes_;  ///< by destination
};

}  // namespace tsuji::routing
