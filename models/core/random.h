#pragma once

#include <cstdint>

namespace tsuji {

/// Counter-based random numbers: a value is a function of (seed, component, draw) and of nothing else, so it
/// does not depend on the order in which modules run or on how a machine is split over processes.
class CounterRandom {
 public:
  CounterRandom(std::uint64_t seed, std::uint64_t component) : seed_(seed), component_(component) {}

  /// The `draw`-th 64-bit value of this component: half a block of Philox 4x32-10 with the seed as key.
  /// Source: J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC11, 2011.
  std::uint64_t bits(std::uint64_t draw) const {
    std::uint32_t word_0 = low_word(draw), word_1 = high_word(draw), word_2 = low_word(component_),
                  word_3 = high_word(component_);
    std::uint32_t key_0 = low_word(seed_), key_1 = high_word(seed_);
    for (unsigned round = 0; round < 10; ++round) {
      const std::uint64_t product_0 = std::uint64_t{0xD2511F53} * word_0,
                          product_2 = std::uint64_t{0xCD9E8D57} * word_2;
      word_0 = high_word(product_2) ^ word_1 ^ key_0;
      word_1 = low_word(product_2);
      word_2 = high_word(product_0) ^ word_3 ^ key_1;
      word_3 = low_word(product_0);
      key_0 += 0x9E3779B9;
      key_1 += 0xBB67AE85;
    }
    return std::uint64_t{word_1} << 32 | word_0;
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
  static std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
  static std::uint32_t high_word(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

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
