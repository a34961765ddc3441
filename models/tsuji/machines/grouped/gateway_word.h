// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::machines {

/// The word in front of a packet between two gateways, where its own source and destination are theirs: what
/// the packet was in its group. It is in Packet::group.
///
///   1:0 kind, 11:2 source node, 21:12 destination node (single cast), 25:22 node group (multicast),
///   31:26 switches passed
struct GatewayWord {
  static constexpr NodeId most_nodes = 1024;
  static constexpr unsigned most_hops = 63;

  PacketKind kind = PacketKind::single_cast;
  NodeId source = 0;
  NodeId destination = 0;
  std::uint32_t group = 0;
  unsigned hops = 0;

  /// ModelError for what has no place.
  std::uint32_t encode() const;
  static GatewayWord decode(std::uint32_t word);
};

}  // namespace tsuji::machines
