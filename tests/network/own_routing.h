// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/routing/routing.h"

namespace tsuji::network::test {

/// A network's own routing, for tests to look at its questions or to change its answers.
class OwnRouting : public routing::Routing {
 public:
  explicit OwnRouting(const routing::Routing& own) : own_(own) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    own_.route(query, candidates);
  }
  routing::VcMask injection_vcs(End source, End destination) const override {
    return own_.injection_vcs(source, destination);
  }
  unsigned vcs_needed() const override { return own_.vcs_needed(); }
  unsigned max_candidates() const override { return own_.max_candidates(); }
  routing::RoutingPromises promises() const override {
    routing::RoutingPromises all;
    all.always_leads_on = own_.promises().always_leads_on;
    return all;
  }

 private:
  const routing::Routing& own_;
};

}  // namespace tsuji::network::test
