// SPDX-License-Identifier: Apache-2.0
#include "tsuji/clock/clocked_run.h"

namespace tsuji {

void ClockedRun::run_to(Cycle end) {
  prepare(end);
  ClockDomain& clock = domain();
  const auto until = clock.time_of(end) - sc_core::sc_time::from_value(1);
  if (until > sc_core::sc_time_stamp()) run_for(until - sc_core::sc_time_stamp());
  clock.rethrow_failure();
  now_ = end;
  ran();
}

bool ClockedRun::idle() const {
  // Before the start, too, the kernel has nothing pending.
  return sc_core::sc_start_of_simulation_invoked() && !sc_core::sc_pending_activity();
}

Cycle ClockedRun::next_activity() const {
  if (idle()) return never;
  if (!sc_core::sc_start_of_simulation_invoked()) return now_;
  const auto time = sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity();
  return time.value() / domain().period().ps();
}

}  // namespace tsuji
