// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/link_errors.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji {

double LinkErrorConfig::flit_error_rate() const {
  double intact = 1, power = 1 - bit_error_rate;
  for (unsigned bits = flit_bits; bits != 0; bits /= 2) {
    if (bits % 2 != 0) intact *= power;
    power *= power;
  }
  return 1 - intact;
}

void LinkErrorConfig::validate() const {
  const double rate = flit_error_rate();
  if (rate <= most_flit_error_rate) return;
  throw ConfigError(
      "link.bit_error_rate", std::to_string(bit_error_rate),
      "of flits of " + std::to_string(flit_bits) + " bits, " + std::to_string(rate) + " arrive damaged",
      "a rate at which at most half of them do (about " + std::to_string(0.693 / flit_bits) + ")");
}

LinkErrors::LinkErrors(const LinkErrorConfig& config, Cycle latency_cycles, Cycle flit_cycles,
                       const CounterRandom& random)
    : round_trip_(round_trip_cycles(config, latency_cycles, flit_cycles)),
      flit_cycles_(flit_cycles),
      gap_(config.flit_error_rate()),
      random_(random),
      until_error_(gap_.draw(random_)) {}

Cycle LinkErrors::delay(Cycle leaves) {
  ++flits_;
  Cycle start = std::max(leaves, free_at_);
  while (--until_error_ == 0) {
    ++errors_;
    start += round_trip_;
    until_error_ = gap_.draw(random_);
  }
  free_at_ = start + flit_cycles_;
  return start - leaves;
}

}  // namespace tsuji
