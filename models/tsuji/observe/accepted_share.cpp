// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/accepted_share.h"

#include <cmath>

namespace tsuji::observe {

double AcceptedShare::share() const {
  return offered_flits == 0 ? 1.0 : static_cast<double>(accepted_flits) / static_cast<double>(offered_flits);
}

double AcceptedShare::confidence() const {
  if (offered_flits == 0) return 0.0;
  const double square = static_cast<double>(offered_squares) / static_cast<double>(offered_packets);
  return 1.96 * std::sqrt(square * static_cast<double>(under_way)) / static_cast<double>(offered_flits);
}

void AcceptedShare::add_to(Results& results) const {
  const bool any = offered_flits > 0;
  results.metric("accepted_share", any ? Value(share()) : Value(nullptr), "");
  results.metric("accepted_share_confidence95", any ? Value(confidence()) : Value(nullptr), "");
  results.metric("saturated", saturated() ? 1 : 0, "");
}

}  // namespace tsuji::observe
