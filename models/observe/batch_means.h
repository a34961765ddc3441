#pragma once

#include <vector>

namespace tsuji::observe {

/// Confidence in a mean whose samples depend on each other, from the means of successive batches.
struct BatchConfidence {
  bool known = false;     ///< at least two batches
  double half_width = 0;  ///< of the 95 % interval around the mean of the batches
  /// Correlation of neighbouring batches. Far from 0 (beyond 2 / sqrt(batches)) the batches are too short and
  /// the interval is too narrow.
  double lag1_correlation = 0;
};

BatchConfidence batch_confidence(const std::vector<double>& means);

/// Two-sided 95 % quantile of Student's t. Beyond 30 degrees of freedom that of the next smaller table row,
/// which is a little too large.
double student_t95(unsigned degrees_of_freedom);

}  // namespace tsuji::observe
