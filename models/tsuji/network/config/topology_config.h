// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::network {

/// The topology that is chosen, and the parameters of all kinds.
struct TopologyConfig {
  std::string kind = "mesh";  ///< a word of `kinds`
  graph::TopologyKinds kinds = graph::topology_kinds();

  /// The parameters of a kind: config.of<graph::CubeConfig>().radices.
  template <class P>
  P& of() {
    return kinds.of<P>();
  }
  template <class P>
  const P& of() const {
    return kinds.of<P>();
  }
  /// ConfigError for a kind that there is not, or parameters that it refuses.
  void validate() const { kinds.validate(kind); }
};

/// Binds the keys topology.*.
void add_topology_keys(config::KeyTable& keys, TopologyConfig& config);

/// Builds it. `link_latency_cycles` is that of every link (of a unit of wire on the grid, of links without a
/// latency in a file). Throws ConfigError.
graph::Topology make_topology(const TopologyConfig& config, Cycle link_latency_cycles);

}  // namespace tsuji::network
