// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

namespace tsuji::router::test {

/// Reference arbiter: a list of its requesters in the order of preference.
class Turns {
 public:
  enum class Kind { round_robin, least_recently_served };

  Turns(Kind kind, unsigned lines, bool highest_first) : kind_(kind), order_(lines) {
    std::iota(order_.begin(), order_.end(), 0U);
    if (highest_first) std::reverse(order_.begin(), order_.end());
  }
  /// The first line for which wants(line) holds; the number of lines: none.
  template <class Wants>
  unsigned pick(const Wants& wants) const {
    const auto found = std::find_if(order_.begin(), order_.end(), wants);
    return found == order_.end() ? static_cast<unsigned>(order_.size()) : *found;
  }
  void served(unsigned line) {
    const auto place = std::find(order_.begin(), order_.end(), line);
    if (kind_ == Kind::round_robin) {
      std::rotate(order_.begin(), place + 1, order_.end());
    } else {
      order_.erase(place);
      order_.push_back(line);
    }
  }

 private:
  Kind kind_;
  std::vector<unsigned> order_;
};

}  // namespace tsuji::router::test
