// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clock_domain.h"

namespace tsuji::nic {

/// The first cycle that comes after the kernel's present time: where what is written now, between two edges,
/// is seen.
inline Cycle next_cycle(const ClockDomain& domain) {
  const Cycle cycle = domain.cycle_at_kernel_time();
  return domain.ps_of(cycle) == sc_core::sc_time_stamp().value() ? cycle + 1 : cycle;
}

}  // namespace tsuji::nic
