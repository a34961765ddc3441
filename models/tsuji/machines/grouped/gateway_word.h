// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::machines {

/// Word before a packet between two gateways, in Packet::group. Source and destination of such a packet are
/// gateways; the word holds the values that the packet has in its group.
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

  /// The word. Throws ModelError for a value that exceeds its field.
  std::uint32_t encode() const;
  static GatewayWord decode(std::uint32_t word);
};

}  // namespace tsuji::machines
