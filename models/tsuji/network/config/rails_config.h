// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"
#include "tsuji/traffic/rails.h"

namespace tsuji::network {

/// Places of a node's network ports. adjacent: consecutive places of the topology, thus one router if it has
/// room; routers: one place at each of consecutive routers (rail-optimized); planes: one place in each of
/// equal parts of the topology.
enum class RailPlacement : std::uint8_t { adjacent, routers, planes };

/// Network ports of the nodes (keys rails.*).
struct RailsConfig {
  static constexpr unsigned most = 8;                        ///< Largest number of ports.
  unsigned count = 1;                                        ///< Network ports of a node.
  RailPlacement placement = RailPlacement::adjacent;         ///< Places of the ports of a node.
  traffic::RailChoice choice = traffic::RailChoice::packet;  ///< Port that sends a packet.

  /// Makes the ports on the places of a topology. Throws ConfigError (rails.count, rails.placement) if these
  /// do not make whole nodes.
  traffic::Rails on(const graph::Topology& topology) const;
};

/// Binds the keys rails.*.
void add_rail_keys(config::KeyTable& keys, RailsConfig& config);

}  // namespace tsuji::network
