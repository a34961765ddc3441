// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Routing on minimal paths whose candidates depend on router, input port, input virtual channel and
/// destination only. Constructed with vcs_needed() virtual channels, each is a class of channels, which
/// ByIntermediate maps to several.
class MinimalRouting : public Routing {
 public:
  VcMask injection_vcs(End, End) const override { return vc_range(0, 16); }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    return all;
  }
  /// Links of the path between two routers with nodes; of several paths, that of the first candidates.
  virtual unsigned hops(RouterId from, RouterId to) const = 0;
  /// Links of the longest path between two routers with nodes.
  virtual unsigned longest() const = 0;
};

/// Minimal routing of a topology: dimension order on torus, mesh (with express links, too) and HyperX, local-global-local on dragonfly
/// and dragonfly+, DistanceClasses on other topologies without levels or stages. `vcs`: virtual channels;
/// empty: as many as it needs. ConfigError with `kind`, the routing's value of routing.kind, for another
/// topology or too few virtual channels.
std::unique_ptr<const MinimalRouting> make_minimal(const std::string& kind, const graph::Topology& topology,
                                                   std::optional<unsigned> vcs = {});

}  // namespace tsuji::routing
