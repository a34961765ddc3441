// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#else
#include <Random123/philox.h>
#endif

#include <cstdint>

namespace tsuji {

/// Counter-based random numbers: a value is a function of (seed, component, draw) only. It does not depend on
/// the order in which modules run or on how a machine is split over processes.
class CounterRandom {
 public:
  /// Sequence of `component` for this seed, from draw 0 on.
  CounterRandom(std::uint64_t seed, std::uint64_t component) : seed_(seed), component_(component) {}

  /// The 64-bit value number `draw` of this component; a pure function: the low half of Philox4x32-10.
  std::uint64_t bits(std::uint64_t draw) const {
#ifdef __SSE2__
    // Words 0 and 2 of the counter are multiplied at once; the key is in the words that its products go to.
    const __m128i multipliers =
        _mm_set_epi32(0, static_cast<int>(0xCD9E8D57), 0, static_cast<int>(0xD2511F53));
    const __m128i weyl = _mm_set_epi32(0, static_cast<int>(0xBB67AE85), 0, static_cast<int>(0x9E3779B9));
    __m128i words = _mm_set_epi64x(static_cast<long long>(component_), static_cast<long long>(draw));
    __m128i key = _mm_unpacklo_epi32(_mm_cvtsi64_si128(static_cast<long long>(seed_)), _mm_setzero_si128());
    for (int round = 0;; ++round) {
      const __m128i products = _mm_shuffle_epi32(_mm_mul_epu32(words, multipliers), 0x1B);
      words = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(words, 32), key), products);
      if (round == 9) return static_cast<std::uint64_t>(_mm_cvtsi128_si64(words));
      key = _mm_add_epi32(key, weyl);
    }
#else
    r123::Philox4x32 generator;
    const auto out =
        generator({{static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32),
                    static_cast<std::uint32_t>(component_), static_cast<std::uint32_t>(component_ >> 32)}},
                  {{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)}});
    return (static_cast<std::uint64_t>(out[1]) << 32) | out[0];
#endif
  }

  /// The value of the next draw.
  std::uint64_t next() {
    return bits(draw_++);
  }

  /// Uniform in [0, bound), bound > 0. The bias of multiply-shift is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

  /// Uniform in [0, 1).
  double unit() {
    return static_cast<double>(next() >> 11) * 0x1.0p-53;
  }

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
