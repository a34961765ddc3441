// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

namespace tsuji {

/// Kind of process that calls a function: decides whether the function may wait.
enum class CallingProcess : std::uint8_t {
  none,    ///< outside of processes: before the start, or between two runs
  method,  ///< cannot wait
  thread,
};

inline CallingProcess calling_process() {
  // During elaboration the kernel reports the process that was created last.
  if (!sc_core::sc_is_running()) return CallingProcess::none;
  const auto process = sc_core::sc_get_current_process_handle();
  if (!process.valid()) return CallingProcess::none;
  return process.proc_kind() == sc_core::SC_METHOD_PROC_ ? CallingProcess::method : CallingProcess::thread;
}

}  // namespace tsuji
