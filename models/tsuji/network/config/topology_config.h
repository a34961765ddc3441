// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::network {

/// The selected topology and the parameters of all kinds.
struct TopologyConfig {
  std::string kind = "mesh";  ///< a word of `kinds`
  graph::TopologyKinds kinds = graph::topology_kinds();

  /// Parameters of a kind, for example config.of<graph::CubeConfig>().radices.
  template <class P>
  P& of() {
    return kinds.of<P>();
  }
  template <class P>
  const P& of() const {
    return kinds.of<P>();
  }
  /// Throws ConfigError for an unknown kind and for parameters that the kind refuses.
  void validate() const { kinds.validate(kind); }
};

/// Binds the keys topology.*.
void add_topology_keys(config::KeyTable& keys, TopologyConfig& config);

/// Builds the topology. `link_latency_cycles` applies to every link (to a unit of wire length on the grid; in
/// a file, to links without a latency). Throws ConfigError.
graph::Topology make_topology(const TopologyConfig& config, Cycle link_latency_cycles);

}  // namespace tsuji::network
