// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tsuji::observe {

/// Set of the numbers of signals, which are visited in ascending order.
class SignalSet {
 public:
  /// Makes room for the numbers below `signals`.
  void resize(std::size_t signals) { words_.resize((signals + 63) / 64); }
  /// Adds a number, which may be a member already.
  void insert(std::uint32_t signal) { words_[signal / 64] |= std::uint64_t{1} << (signal % 64); }
  /// Calls visit(number) for each member, and removes all members.
  template <class Visit>
  void take(const Visit& visit) {
    std::uint64_t* const words = words_.data();
    for (std::size_t w = 0, size = words_.size(); w < size; ++w) {
      if (words[w] == 0) continue;
      for (std::uint64_t signals = std::exchange(words[w], 0); signals != 0; signals &= signals - 1)
        visit(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(signals))));
    }
  }

 private:
  std::vector<std::uint64_t> words_;  ///< bit s of word w: signal 64 w + s
};

}  // namespace tsuji::observe
