// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/little_check.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::observe {

void LittleCheck::check() const {
  if (from_ == never || to_ == never)
    throw ModelError("measurement", "Little's law needs an interval that has begun and ended");
  const std::uint64_t left = population_cycles();
  const std::uint64_t right = latencies_ + ages_at_end_ - ages_at_begin_;
  if (left == right) return;
  throw ModelError("measurement", to_, "",
                   "Little's law is broken: births and deliveries count " + std::to_string(left) +
                       " packet-cycles in the interval, the packets' latencies " + std::to_string(right));
}

}  // namespace tsuji::observe
