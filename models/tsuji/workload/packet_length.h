// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/random.h"

namespace tsuji::workload {

/// Distribution of packet lengths in flits. A fixed length draws no random number.
class PacketLengths {
 public:
  static constexpr unsigned most_flits = 65535;

  /// Throws ConfigError with `key` for a length outside 1..most_flits.
  static void check(const char* key, unsigned flits);
  /// Distribution with one length. All three functions throw ConfigError for a length outside 1..most_flits.
  static PacketLengths fixed(unsigned flits);
  /// Uniform distribution over the lengths from `least` to `most`.
  static PacketLengths range(unsigned least, unsigned most);
  /// Distribution with probability weights[i] / (sum of weights) for lengths[i]; uniform if `weights` is
  /// empty. Throws ConfigError for lists of different sizes, and for weights that are all 0.
  static PacketLengths weighted(const std::vector<unsigned>& lengths, const std::vector<unsigned>& weights);

  unsigned draw(CounterRandom& random) const {
    if (total_ == 1) return lengths_.front();
    const std::uint64_t at = random.below(total_);
    if (sums_.empty()) return lengths_.front() + static_cast<unsigned>(at);
    std::size_t i = 0;
    while (at >= sums_[i]) ++i;
    return lengths_[i];
  }
  double mean() const { return mean_; }
  unsigned longest() const {
    return sums_.empty() ? lengths_.front() + static_cast<unsigned>(total_ - 1)
                         : *std::max_element(lengths_.begin(), lengths_.end());
  }

 private:
  std::vector<unsigned> lengths_;    ///< For a uniform range only its least length.
  std::vector<std::uint64_t> sums_;  ///< Cumulative sums of the weights; empty for a range.
  std::uint64_t total_ = 1;
  double mean_ = 1;
};

}  // namespace tsuji::workload
