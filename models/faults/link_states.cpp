#include "tsuji/faults/link_states.h"

#include <numeric>

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

std::uint64_t LinkStates::changes() const {
  return std::accumulate(changes_.begin(), changes_.end(), std::uint64_t{0});
}

graph::FaultSet LinkStates::faults() const {
  graph::FaultSet faults;
  for (std::uint32_t link = 0; link < changes_.size(); ++link)
    if (!lives(link)) faults.links.push_back(link);
  return faults;
}

}  // namespace tsuji::faults
