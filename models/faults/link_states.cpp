#include "tsuji/faults/link_states.h"

namespace tsuji::faults {

bool LinkStates::merge(const LinkStates& other) {
  bool news = false;
  for (std::size_t link = 0; link < changes_.size(); ++link) {
    if (other.changes_[link] <= changes_[link]) continue;
    changes_[link] = other.changes_[link];
    news = true;
  }
  return news;
}

graph::FaultSet LinkStates::faults() const {
  graph::FaultSet faults;
  for (std::uint32_t link = 0; link < changes_.size(); ++link)
    if (!lives(link)) faults.links.push_back(link);
  return faults;
}

}  // namespace tsuji::faults
