// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology_kinds.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::network {

/// The routing that is chosen, and the parameters of all kinds.
struct RoutingConfig {
  std::string kind = "auto";  ///< a word of `kinds`, or auto: the one that fits the topology
  routing::RoutingKinds kinds = routing::routing_kinds();

  /// The parameters of a kind: config.of<routing::UpDownConfig>().root.
  template <class P>
  P& of() {
    return kinds.of<P>();
  }
  template <class P>
  const P& of() const {
    return kinds.of<P>();
  }
  /// The kinds for whose traits `has` holds.
  std::vector<std::string> kinds_that(bool routing::RoutingTraits::*has) const;
  /// `auto` becomes the routing that it stands for on a kind of topology. Ties without a value become random,
  /// but with look-up hardware those of dimension order fixed, as a table holds one route.
  void resolve(const graph::TopologyKinds& topologies, const std::string& topology_kind, bool looks_up);
  /// ConfigError for a kind that there is not, or parameters that it refuses.
  void validate() const;
};

/// Binds the keys routing.*; `topologies` say what `auto` stands for.
void add_routing_keys(config::KeyTable& keys, RoutingConfig& config, const graph::TopologyKinds& topologies);

/// Builds it for a topology (which it does not keep), the virtual channels of a network port, and dead links
/// and routers. ConfigError of routing.kind where it does not fit the topology or leads into what is dead, of
/// router.vcs where it needs more; ModelError for `auto`, which resolve() has replaced.
std::unique_ptr<const routing::Routing> make_routing(const RoutingConfig& config,
                                                     const graph::Topology& topology, unsigned vcs,
                                                     const graph::FaultSet& faults = {});

}  // namespace tsuji::network
