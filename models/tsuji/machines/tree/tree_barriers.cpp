// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_barriers.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::machines {

TreeBarriers::Branches TreeBarriers::arrive(unsigned branch, const Packet& packet, Branches members,
                                            Cycle now, const std::string& where) {
  Entry& entry = entries_[packet.sid];
  const auto refuse = [&](const std::string& what) {
    throw ModelError(where, now, packet_name(packet.id),
                     "synchronization " + std::to_string(packet.sid) + " " + what);
  };
  const Branches own = Branches{1} << branch;
  if (entry.arrived != 0 && entry.map != packet.map) refuse("is in use by another set of nodes");
  if ((members & own) == 0) refuse("arrived by branch " + std::to_string(branch) + ", which has no member");
  if ((entry.arrived & own) != 0)
    refuse("arrived twice by branch " + std::to_string(branch) + " in one round");
  entry.map = packet.map;
  entry.arrived |= own;
  Branches notified = 0;
  for (Branches left = members & ~entry.notified; left != 0; left &= left - 1) {
    const Branches one = left & -left;
    const Branches needed = (node_branches_ & one) != 0 ? members : members & ~one;
    if ((needed & ~entry.arrived) == 0) notified |= one;
  }
  entry.notified |= notified;
  if (entry.notified == members && entry.arrived == members) entry.arrived = entry.notified = 0;
  return notified;
}

unsigned TreeBarriers::open() const {
  return static_cast<unsigned>(
      std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.arrived != 0; }));
}

}  // namespace tsuji::machines
