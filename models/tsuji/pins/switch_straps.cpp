// SPDX-License-Identifier: Apache-2.0
#include "tsuji/pins/switch_straps.h"

namespace tsuji::crosspoint {
namespace {

constexpr unsigned most_nodes = 1024;
constexpr unsigned group_nodes = SwitchStraps::group_nodes;

/// Port bits of a multicast to one node; without a node, those of any packet.
std::uint32_t ports_to(const graph::SwitchRoute& route, unsigned output, NodeId node) {
  Packet packet;
  packet.kind = PacketKind::multicast;
  packet.group = node / group_nodes;
  packet.map = node == most_nodes ? 0 : std::uint64_t{1} << node % group_nodes;
  return route.next_ports(output, packet);
}

}  // namespace

SwitchStraps::SwitchStraps(const graph::SwitchRoute& route, unsigned ports) : SwitchStraps(ports) {
  for (unsigned output = 0; output < ports; ++output) {
    fixed[output] = ports_to(route, output, most_nodes);
    for (NodeId node = 0; fixed[output] == 0 && node < most_nodes; ++node) {
      const std::uint32_t bits = ports_to(route, output, node);
      if (bits == 0) continue;
      const unsigned behind = output * ports + static_cast<unsigned>(__builtin_ctz(bits));
      if (last[behind] == 0) first[behind] = node;
      last[behind] = node + 1;
    }
  }
  for (NodeId node = 0; node < group_nodes; ++node) {
    const std::uint64_t member = std::uint64_t{1} << node;
    for (unsigned port = 0; port < ports; ++port) {
      if ((route.expected_inputs(member) >> port & 1U) != 0) from[port] |= member;
      if ((route.served_outputs(member) >> port & 1U) != 0) to[port] |= member;
    }
  }
}

bool SwitchStraps::operator==(const SwitchStraps& other) const {
  return fixed == other.fixed && first == other.first && last == other.last && from == other.from &&
         to == other.to;
}

}  // namespace tsuji::crosspoint
