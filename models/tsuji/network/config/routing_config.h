// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology_kinds.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::network {

/// The selected routing and the parameters of all kinds.
struct RoutingConfig {
  std::string kind = "auto";  ///< A word of `kinds`, or `auto`: the default routing of the topology.
  routing::RoutingKinds kinds = routing::routing_kinds();

  /// Parameters of a kind, for example config.of<routing::UpDownConfig>().root.
  template <class P>
  P& of() {
    return kinds.of<P>();
  }
  template <class P>
  const P& of() const {
    return kinds.of<P>();
  }
  /// Words of the kinds whose trait `has` is true.
  std::vector<std::string> kinds_that(bool routing::RoutingTraits::*has) const;
  /// Replaces `auto` by the default routing of a kind of topology. Sets an unset choice among equal routes to
  /// random, except for dimension-order routing with look-up hardware, whose table holds one route per entry.
  void resolve(const graph::TopologyKinds& topologies, const std::string& topology_kind, bool looks_up);
  /// Throws ConfigError for an unknown kind and for parameters that the kind refuses.
  void validate() const;
};

/// Binds the keys routing.*. `topologies` defines the meaning of `auto`.
void add_routing_keys(config::KeyTable& keys, RoutingConfig& config, const graph::TopologyKinds& topologies);

/// Makes the routing for a topology (to which it keeps no reference), a number of virtual channels per
/// network port, and dead links and routers. Throws ConfigError with the key routing.kind if the routing does
/// not fit the topology or would use a dead link or router, and with router.vcs if it needs more virtual
/// channels. Throws ModelError for `auto`, which resolve() must have replaced.
std::unique_ptr<const routing::Routing> make_routing(const RoutingConfig& config,
                                                     const graph::Topology& topology, unsigned vcs,
                                                     const graph::FaultSet& faults = {});

}  // namespace tsuji::network
