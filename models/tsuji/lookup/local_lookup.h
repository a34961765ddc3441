// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/link/route_lookup.h"

namespace tsuji::lookup {

/// Routing function or table that answers any number of heads at once, after a fixed time.
class LocalLookup final : public RouteLookup {
 public:
  LocalLookup(const routing::Routing& routing, Cycle cycles) : routing_(routing), cycles_(cycles) {}
  void bind_client(RouteClient&) override {}
  const routing::Routing* direct_routing(Cycle& cycles) const override {
    cycles = cycles_;
    return &routing_;
  }
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t,
                routing::RouteSet& candidates) override {
    candidates.clear();
    routing_.route(query, candidates);
    return now + cycles_;
  }
  void cancel(Cycle, std::uint32_t) override {}

 private:
  const routing::Routing& routing_;
  const Cycle cycles_;
};

}  // namespace tsuji::lookup
