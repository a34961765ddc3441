#include "observe/batch_means.h"

#include <array>
#include <cmath>

#include "core/error.h"

namespace tsuji::observe {

double student_t95(unsigned degrees_of_freedom) {
  static constexpr std::array<double, 30> table = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                                   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                                   2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                                   2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees_of_freedom == 0) throw ModelError("measurement", "no t for no degree of freedom");
  if (degrees_of_freedom >= 120) return 1.980;
  if (degrees_of_freedom >= 60) return 2.000;
  if (degrees_of_freedom >= 40) return 2.021;
  return table[degrees_of_freedom < 30 ? degrees_of_freedom - 1 : 29];
}

BatchConfidence batch_confidence(const std::vector<double>& means) {
  BatchConfidence result;
  if (means.size() < 2) return result;
  const auto count = static_cast<double>(means.size());
  double mean = 0;
  for (const double value : means) mean += value;
  mean /= count;
  double squares = 0, products = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    squares += (means[i] - mean) * (means[i] - mean);
    if (i > 0) products += (means[i] - mean) * (means[i - 1] - mean);
  }
  result.known = true;
  result.half_width =
      student_t95(static_cast<unsigned>(means.size()) - 1) * std::sqrt(squares / (count - 1) / count);
  result.lag1_correlation = squares > 0 ? products / squares : 0;
  return result;
}

}  // namespace tsuji::observe
