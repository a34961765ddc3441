// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsuji::observe {

/// Quantile of the standard normal distribution: the x that a normal variable exceeds with probability
/// `tail`, in (0, 1).
double normal_quantile(double tail);

/// Quantile of Student's t with `degrees_of_freedom` (at least 3): the x that is exceeded with probability
/// `tail`. Expansion around the normal quantile, with an error below 3 % for tails of at least 10^-4 and at
/// least 8 degrees of freedom.
double student_quantile(double tail, double degrees_of_freedom);

}  // namespace tsuji::observe
