// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Random123/philox.h>

#include <cstdint>

namespace tsuji {

/// Counter-based random numbers: a value is a function of (seed, component, draw) only. It does not depend on
/// the order in which modules run or on how a machine is split over processes.
class CounterRandom {
 public:
  /// Sequence of `component` for this seed, from draw 0 on.
  CounterRandom(std::uint64_t seed, std::uint64_t component) : seed_(seed), component_(component) {}

  /// The 64-bit value number `draw` of this component; a pure function.
  std::uint64_t bits(std::uint64_t draw) const {
    r123::Philox4x32 generator;
    const auto out =
        generator({{static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32),
                    static_cast<std::uint32_t>(component_), static_cast<std::uint32_t>(component_ >> 32)}},
                  {{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)}});
    return (static_cast<std::uint64_t>(out[1]) << 32) | out[0];
  }

  /// The value of the next draw.
  std::uint64_t next() { return bits(draw_++); }

  /// Uniform in [0, bound), bound > 0. The bias of multiply-shift is below bound / 2^64.
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

/// Natural logarithm of a value in (0, 1], with an error below 1e-13. Uses only additions, multiplications
/// and divisions, whose results IEEE 754 fixes. The C library's logarithm may differ in its last bit between
/// machines, which would move an arrival by a cycle.
double portable_log(double value);

/// Gaps in cycles between Bernoulli arrivals of probability p per cycle (0 < p <= 1): number of trials up to
/// and including the first success. One random number per gap, instead of one per cycle. At most `longest`,
/// which no run reaches.
class GeometricGap {
 public:
  /// `p` is the probability of an arrival in a cycle, 0 < p <= 1.
  explicit GeometricGap(double p)
      : certain_(p >= 1.0),
        // Where 1 - p is 1, its logarithm is -p to the last bit.
        scale_(p >= 1.0        ? 0.0
               : 1.0 - p < 1.0 ? 1.0 / portable_log(1.0 - p)
                               : -1.0 / p) {}
  /// Draws the number of cycles to the next arrival, at least 1.
  std::uint64_t draw(CounterRandom& random) const {
    if (certain_) return 1;
    const double failures = portable_log(1.0 - random.unit()) * scale_;
    return failures < static_cast<double>(longest) ? 1 + static_cast<std::uint64_t>(failures) : longest;
  }
  static constexpr std::uint64_t longest = std::uint64_t{1} << 62;  ///< Largest gap in cycles.

 private:
  bool certain_;
  double scale_;
};

}  // namespace tsuji
