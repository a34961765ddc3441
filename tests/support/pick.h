// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "tsuji/core/random.h"

namespace tsuji::test {

/// Draws one of `values`, all equally likely.
template <class T>
T pick(CounterRandom& random, std::initializer_list<T> values) {
  return values.begin()[random.below(values.size())];
}

}  // namespace tsuji::test
