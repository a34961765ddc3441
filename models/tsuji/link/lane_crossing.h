// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/arena.h"
#include "tsuji/link/flit_channel.h"

namespace tsuji {

/// Channel whose two ends are run by different threads (ClockDomain::run_on). The sender gets a copy of the
/// receiver's rings, which it fills; the receiver frees slots of its own rings. Between two windows,
/// exchange() makes the two equal: it moves flits to the receiver and credits to the sender. Both take at
/// least a window, so no end could have seen them earlier.
///
///     window of 3 cycles     sender's copy           receiver's ring
///     before                 f f - -                 f f - -      f: flit, -: credit
///     a flit is sent         f f f -                 f f - -
///     two flits are freed    f f f -                 - - - -
///     exchange()             - - f -                 - - f -
///
/// Contract: constructed after both ends are bound and before the first cycle. exchange() after each window,
/// while no thread runs modules.
class LaneCrossing {
 public:
  /// The copies are in `arena`.
  LaneCrossing(FlitChannel& channel, Arena& arena);
  /// Called after cycle `last`, the last one of the window.
  void exchange(Cycle last);

 private:
  /// The sender's copy of a ring, and the number of flits in both after the last exchange.
  struct Copy {
    FlitRing ring;
    unsigned flits = 0;
  };
  void take_credits(Copy& copy, const FlitRing& ring);
  void pass_flits(Copy& copy, FlitRing& ring, Cycle last);

  FlitChannel& channel_;
  Copy* copies_;  ///< [virtual channel]: the sender's copy of the receiver's ring
};

}  // namespace tsuji
