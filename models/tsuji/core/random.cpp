// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/random.h"

#include <cstring>

namespace tsuji {

double portable_log(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
  double mantissa = 0;
  std::memcpy(&mantissa, &bits, sizeof mantissa);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    ++exponent;
  }
  // ln m = 2 artanh((m - 1) / (m + 1)), |argument| < 0.172.
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  const double q = s * s;
  double series = 1.0 / 17;
  for (int n = 15; n > 0; n -= 2) series = series * q + 1.0 / n;
  return 0.6931471805599453 * exponent + 2.0 * s * series;
}

}  // namespace tsuji
