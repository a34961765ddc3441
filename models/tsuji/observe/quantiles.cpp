// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/quantiles.h"

#include <cmath>

#include "tsuji/core/error.h"

namespace tsuji::observe {

double normal_quantile(double tail) {
  if (!(tail > 0 && tail < 1)) throw ModelError("measurement", "no quantile of " + std::to_string(tail));
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Abramowitz and Stegun, 26.7.5.
double student_quantile(double tail, double degrees_of_freedom) {
  const double z = normal_quantile(tail), n = degrees_of_freedom, z2 = z * z;
  const double first = z * (z2 + 1) / 4;
  const double second = z * (z2 * (5 * z2 + 16) + 3) / 96;
  const double third = z * (z2 * (z2 * (3 * z2 + 19) + 17) - 15) / 384;
  return z + first / n + second / (n * n) + third / (n * n * n);
}

}  // namespace tsuji::observe
