// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/units.h"
#include "tsuji/routing/routing.h"

namespace tsuji::router {

/// No output port: nothing is predicted, or no port is straight on.
inline constexpr unsigned no_port = ~0U;

/// The predictors of a router, one per input port (Tateshita 2009, 2.1). They predict the output port of an
/// input's next head before it arrives, and are trained by completed route computations.
class Predictors {
 public:
  virtual ~Predictors() = default;
  /// The prediction method in one line, with paper and section; may be empty.
  virtual std::string stands_for() const { return ""; }
  /// Predicted output port of the next head, or `no_port`. `coming`: candidates of the head that comes next,
  /// for kinds that read them (PredictorTraits::reads_coming), otherwise null.
  virtual unsigned predict(unsigned input, const routing::RouteSet* coming) const = 0;
  /// Trains the predictor: a head for `destination` that came in by `input` was routed to `port`.
  virtual void learn(unsigned /*input*/, End /*destination*/, unsigned /*port*/) {}
  /// Number of state bits in hardware, for all inputs together.
  virtual std::uint64_t state_bits() const { return 0; }
};

/// Data about a router for the construction of its predictors.
struct PredictorParts {
  unsigned ports = 0;
  /// [input]: output port that a static kind predicts (PredictorTraits::table), or `no_port`.
  std::vector<unsigned> table;
  Arena& arena;
};

}  // namespace tsuji::router
