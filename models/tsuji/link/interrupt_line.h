// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/units.h"

namespace tsuji {

/// A processor's interrupt input. A device calls `raised` at an edge of its clock, or between two, when an
/// enabled event comes up that was not pending; the processor then asks the device what there is.
class InterruptLine {
 public:
  virtual ~InterruptLine() = default;
  virtual void raised(Cycle now) = 0;
};

}  // namespace tsuji
