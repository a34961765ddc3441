// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/units.h"
#include "tsuji/routing/routing.h"

namespace tsuji::router {

/// No output port: nothing is predicted, or nothing lies straight on.
inline constexpr unsigned no_port = ~0U;

/// The predictors of a router, one for each input port (Tateshita 2009, 2.1). They say by which output port
/// the next head of an input leaves before it has come, and learn from route computations that have ended.
class Predictors {
 public:
  virtual ~Predictors() = default;
  /// What they predict, with paper and section, one line; empty: they say nothing.
  virtual std::string stands_for() const { return ""; }
  /// The output port of the next head, or `no_port`. `coming`: candidates of the head that comes next, for
  /// kinds that read them (PredictorTraits::reads_coming), else null.
  virtual unsigned predict(unsigned input, const routing::RouteSet* coming) const = 0;
  /// A head that came in by `input` for `destination` was routed to `port`.
  virtual void learn(unsigned /*input*/, End /*destination*/, unsigned /*port*/) {}
  /// Bits that they remember in hardware, of all inputs together.
  virtual std::uint64_t state_bits() const { return 0; }
};

/// Facts about a router that its predictors are made with.
struct PredictorParts {
  unsigned ports = 0;
  /// For each input port the output port that a static kind predicts (PredictorTraits::table), or `no_port`.
  std::vector<unsigned> table;
  Arena& arena;
};

}  // namespace tsuji::router
