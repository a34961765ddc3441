// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Routing with changes for some destinations, whose packets leave one router by another output: models a
/// table in which entries were changed. Valid for that router only; immutable, a further change is another
/// object.
class ChangedRoutes final : public Routing {
 public:
  std::string stands_for() const override { return "routing with changed entries"; }
  /// `base` outlives this object.
  explicit ChangedRoutes(const Routing& base) : base_(base) {}
  /// `earlier` with one more change; an entry without virtual channels means no route. If virtual channels
  /// depend on those that a packet came by (TableForm::port_and_vc_map), it may use those of `entry` that its
  /// map allows.
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
  std::vector<Change> changes_;  ///< sorted by destination
};

}  // namespace tsuji::routing
