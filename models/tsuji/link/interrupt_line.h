// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/units.h"

namespace tsuji {

/// Interrupt input of a processor. A device calls raised() when an enabled event occurs that was not pending,
/// at a clock edge of the device or between two edges. The processor then reads the device's event register.
class InterruptLine {
 public:
  virtual ~InterruptLine() = default;
  virtual void raised(Cycle now) = 0;
  /// No enabled event is pending any more. For receivers of a level; the default does nothing.
  virtual void lowered(Cycle now) { (void)now; }
};

}  // namespace tsuji
