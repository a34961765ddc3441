// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsuji::observe {

/// Quantile of the standard normal distribution: the x that a normal variable exceeds with probability
/// `tail`, in (0, 1).
double normal_quantile(double tail);

/// The same of Student's t with `degrees_of_freedom` (at least 3), by its expansion around the normal
/// quantile: off by less than 3 % for tails of at least 10^-4 and 8 degrees of freedom.
double student_quantile(double tail, double degrees_of_freedom);

}  // namespace tsuji::observe
