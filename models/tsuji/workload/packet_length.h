// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/random.h"

namespace tsuji::workload {

/// How many flits the packets of a load have. A fixed length costs no random number.
class PacketLengths {
 public:
  static constexpr unsigned most_flits = 65535;

  /// ConfigError with `key` for a length that is not 1..most_flits.
  static void check(const char* key, unsigned flits);
  /// All of the same length. Here and below, ConfigError for a length that is not 1..65535.
  static PacketLengths fixed(unsigned flits);
  /// Every length from `least` to `most` with the same probability.
  static PacketLengths range(unsigned least, unsigned most);
  /// lengths[i] with probability weights[i] / sum of weights; without weights all alike. ConfigError for
  /// lists of different lengths, and for weights that are all 0.
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
  std::vector<unsigned> lengths_;    ///< of a range only the least
  std::vector<std::uint64_t> sums_;  ///< of weights, this and all before; none for a range
  std::uint64_t total_ = 1;
  double mean_ = 1;
};

}  // namespace tsuji::workload
