// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Random123/philox.h>

#include <cstdint>

namespace tsuji {

/// Counter-based random numbers: a value is a function of (seed, component, draw) and of nothing else, so it
/// does not depend on the order in which modules run or on how a machine is split over processes.
class CounterRandom {
 public:
  CounterRandom(std::uint64_t seed, std::uint64_t component) : seed_(seed), component_(component) {}

  /// The `draw`-th 64-bit value of this component.
  std::uint64_t bits(std::uint64_t draw) const {
    r123::Philox4x32 generator;
    const auto out =
        generator({{static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32),
                    static_cast<std::uint32_t>(component_), static_cast<std::uint32_t>(component_ >> 32)}},
                  {{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)}});
    return (static_cast<std::uint64_t>(out[1]) << 32) | out[0];
  }

  std::uint64_t next() { return bits(draw_++); }

  /// Uniform in [0, bound); bound > 0. The multiply-shift bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t seed_;
  std::uint64_t component_;
  std::uint64_t draw_ = 0;
};

/// Natural logarithm of a value in (0, 1] from additions, multiplications and divisions only, whose results
/// the floating-point standard fixes: the C library's logarithm may differ in its last bit from machine to
/// machine, and an arrival would move by a cycle. Error below 1e-13.
double portable_log(double value);

/// Gaps between Bernoulli arrivals of probability p a cycle (0 < p <= 1): the number of trials up to and
/// including the first success, drawn at once instead of one draw a cycle. At most `longest`, which is as
/// good as never.
class GeometricGap {
 public:
  explicit GeometricGap(double p)
      : certain_(p >= 1.0),
        // Where 1 - p is 1, its logarithm is -p to the last bit.
        scale_(p >= 1.0        ? 0.0
               : 1.0 - p < 1.0 ? 1.0 / portable_log(1.0 - p)
                               : -1.0 / p) {}
  std::uint64_t draw(CounterRandom& random) const {
    if (certain_) return 1;
    const double failures = portable_log(1.0 - random.unit()) * scale_;
    return failures < static_cast<double>(longest) ? 1 + static_cast<std::uint64_t>(failures) : longest;
  }
  static constexpr std::uint64_t longest = std::uint64_t{1} << 62;

 private:
  bool certain_;
  double scale_;
};

}  // namespace tsuji
