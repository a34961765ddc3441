// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clock_domain.h"

namespace tsuji::nic {

/// The first cycle after the kernel's present time, in which a value written now, between two edges, is
/// visible.
inline Cycle next_cycle(const ClockDomain& domain) {
  const Cycle cycle = domain.cycle_at_kernel_time();
  return domain.ps_of(cycle) == sc_core::sc_time_stamp().value() ? cycle + 1 : cycle;
}

}  // namespace tsuji::nic
