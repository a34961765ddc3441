// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clock_domain.h"

namespace tsuji::nic {

/// The first cycle after the kernel's present time, in which a value written now, between two edges, is
/// visible.
inline Cycle next_cycle(const ClockDomain& domain) {
  const Picoseconds time = sc_core::sc_time_stamp().value(), first = domain.ps_of(0);
  return time < first ? 0 : (time - first) / domain.period().ps() + 1;
}

}  // namespace tsuji::nic
