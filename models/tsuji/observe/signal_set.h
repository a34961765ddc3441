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
  void resize(std::size_t signals) {
    words_.resize((signals + 63) / 64);
    summary_.resize((words_.size() + 63) / 64);
  }
  /// Adds a number, which may be a member already.
  void insert(std::uint32_t signal) {
    std::uint64_t& word = words_[signal / 64];
    if (word == 0) summary_[signal / 4096] |= std::uint64_t{1} << (signal / 64 % 64);
    word |= std::uint64_t{1} << (signal % 64);
  }
  /// Calls visit(number) for each member, and removes all members.
  template <class Visit>
  void take(const Visit& visit) {
    const auto lowest = [](std::uint64_t bits) { return static_cast<std::size_t>(__builtin_ctzll(bits)); };
    for (std::size_t v = 0; v < summary_.size(); ++v) {
      for (std::uint64_t words = std::exchange(summary_[v], 0); words != 0; words &= words - 1) {
        const std::size_t w = v * 64 + lowest(words);
        for (std::uint64_t signals = std::exchange(words_[w], 0); signals != 0; signals &= signals - 1)
          visit(static_cast<std::uint32_t>(w * 64 + lowest(signals)));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;    ///< bit s of word w: signal 64 w + s
  std::vector<std::uint64_t> summary_;  ///< bit w of word v: word 64 v + w is not 0
};

}  // namespace tsuji::observe
