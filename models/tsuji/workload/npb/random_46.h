// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsuji::workload::npb {

/// The pseudorandom generator that defines the suite's inputs (RNR-94-007): x becomes a x mod 2^46, and x /
/// 2^46 is the number in (0, 1).
class Random46 {
 public:
  static constexpr unsigned bits = 46;
  constexpr Random46(std::uint64_t seed, std::uint64_t multiplier) : x_(seed), a_(multiplier) {}
  /// The next number in (0, 1), multiplied by 2^46.
  constexpr std::uint64_t next() {
    x_ = x_ * a_ & ((std::uint64_t{1} << bits) - 1);
    return x_;
  }

 private:
  std::uint64_t x_;
  const std::uint64_t a_;
};

}  // namespace tsuji::workload::npb
