// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_barriers.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::machines {

TreeBarriers::Ends TreeBarriers::arrive(unsigned end, const Packet& packet, Ends members, Cycle now,
                                        const std::string& where) {
  Entry& entry = entries_[packet.sid];
  const auto refuse = [&](const std::string& what) {
    throw ModelError(where, now, packet_name(packet.id),
                     "synchronization " + std::to_string(packet.sid) + " " + what);
  };
  const Ends own = Ends{1} << end;
  if (entry.come != 0 && entry.map != packet.map) refuse("is in use by another set of nodes");
  if ((members & own) == 0) refuse("came by end " + std::to_string(end) + ", behind which no member lies");
  if ((entry.come & own) != 0) refuse("came twice by end " + std::to_string(end) + " in one round");
  entry.map = packet.map;
  entry.come |= own;
  Ends told = 0;
  for (Ends left = members & ~entry.told; left != 0; left &= left - 1) {
    const Ends one = left & -left;
    const Ends needed = (node_ends_ & one) != 0 ? members : members & ~one;
    if ((needed & ~entry.come) == 0) told |= one;
  }
  entry.told |= told;
  if (entry.told == members && entry.come == members) entry.come = entry.told = 0;
  return told;
}

unsigned TreeBarriers::open() const {
  return static_cast<unsigned>(
      std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.come != 0; }));
}

}  // namespace tsuji::machines
