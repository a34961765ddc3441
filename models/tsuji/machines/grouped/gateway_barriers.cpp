// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/grouped/gateway_barriers.h"

#include "tsuji/core/error.h"

namespace tsuji::machines {

std::uint64_t GatewayBarriers::groups_of(std::uint64_t members) const {
  std::uint64_t groups = 0;
  while (members != 0) {
    const unsigned group = numbers_.first_group(0, members);
    groups |= std::uint64_t{1} << group;
    members &= ~numbers_.map_of(group, 0);
  }
  return groups;
}

bool GatewayBarriers::arrive(unsigned group, const Packet& packet, Cycle now, const std::string& where) {
  Entry& entry = entries_[packet.sid];
  const auto refuse = [&](const std::string& what) {
    throw ModelError(where, now, packet_name(packet.id),
                     "synchronization " + std::to_string(packet.sid) + " " + what);
  };
  if (entry.members != packet.map && entry.once != 0) refuse("is in use by another set of nodes");
  entry.members = packet.map;
  const std::uint64_t expected = groups_of(packet.map);
  const std::uint64_t bit = group < GroupNumbers::map_nodes ? std::uint64_t{1} << group : 0;
  if ((expected & bit) == 0) refuse("arrived from a group that has none of its members");
  if ((entry.twice & bit) != 0) refuse("arrived a third time from one group before the first was complete");
  entry.twice |= entry.once & bit;
  entry.once |= bit;
  if (entry.once != expected) return false;
  entry.once = entry.twice;
  entry.twice = 0;
  return true;
}

unsigned GatewayBarriers::open() const {
  unsigned open = 0;
  for (const Entry& entry : entries_) open += entry.once != 0 ? 1 : 0;
  return open;
}

}  // namespace tsuji::machines
