// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_confirmations.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::machines {

void TreeConfirmations::open(const MulticastName& multicast, unsigned from, Branches awaited, Cycle now) {
  if (is_open(multicast)) refuse(multicast, "arrived twice in one tree", now);
  open_of_[multicast.source].push_back({multicast.number, from, awaited});
  ++count_;
}

std::optional<unsigned> TreeConfirmations::confirm(const MulticastName& multicast, unsigned branch,
                                                   Cycle now) {
  std::vector<Entry>& own = open_of_[multicast.source];
  const auto place = std::find_if(own.begin(), own.end(),
                                  [&](const Entry& entry) { return entry.number == multicast.number; });
  if (place == own.end() || (place->awaited >> branch & 1U) == 0)
    refuse(multicast, "is confirmed by branch " + std::to_string(branch) + ", which has no such copy", now);
  place->awaited &= ~(Branches{1} << branch);
  if (place->awaited != 0) return std::nullopt;
  const unsigned from = place->from;
  own.erase(place);
  --count_;
  return from;
}

bool TreeConfirmations::is_open(const MulticastName& multicast) const {
  const std::vector<Entry>& own = open_of_[multicast.source];
  return std::any_of(own.begin(), own.end(),
                     [&](const Entry& entry) { return entry.number == multicast.number; });
}

void TreeConfirmations::clear() {
  for (std::vector<Entry>& own : open_of_) own.clear();
  count_ = 0;
}

void TreeConfirmations::refuse(const MulticastName& multicast, const std::string& what, Cycle now) const {
  throw ModelError(where_, now, "",
                   "multicast " + std::to_string(multicast.number) + " of node " +
                       std::to_string(multicast.source) + ' ' + what);
}

}  // namespace tsuji::machines
