// SPDX-License-Identifier: Apache-2.0
#include "tsuji/faults/link_states.h"

namespace tsuji::faults {

void LinkStates::merge(const LinkStates& other) {
  for (std::size_t link = 0; link < changes_.size(); ++link) {
    if (other.changes_[link] <= changes_[link]) continue;
    sum_ += other.changes_[link] - changes_[link];
    changes_[link] = other.changes_[link];
  }
}

graph::FaultSet LinkStates::faults() const {
  graph::FaultSet faults;
  for (std::uint32_t link = 0; link < changes_.size(); ++link)
    if (!lives(link)) faults.links.push_back(link);
  return faults;
}

}  // namespace tsuji::faults
