// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/software_times.h"

#include <string>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::host {

void SoftwareTimes::validate() const {
  const std::pair<const char*, double> times[] = {{"paralib_send_ns", paralib_send_ns},
                                                  {"paralib_receive_ns", paralib_receive_ns},
                                                  {"mpi_send_ns", mpi_send_ns},
                                                  {"mpi_receive_ns", mpi_receive_ns},
                                                  {"mpi_control_ns", mpi_control_ns},
                                                  {"copy_ns_per_word", copy_ns_per_word},
                                                  {"reduce_ns_per_word", reduce_ns_per_word}};
  for (const auto& [key, ns] : times) {
    if (!(ns >= 0 && ns <= 1e9)) {
      throw ConfigError(std::string("software.") + key, std::to_string(ns), "out of range", "0..1e9 ns");
    }
  }
  // A turn of a loop takes a cycle, and an identifier of a group is agreed on in the cycles of a system call.
  constexpr double resolution_ns = 0.001;
  for (const auto& [key, ns] :
       {std::pair<const char*, double>{"poll_loop_ns", poll_loop_ns}, {"system_call_ns", system_call_ns}}) {
    if (!(ns >= resolution_ns && ns <= 1e9)) {
      throw ConfigError(std::string("software.") + key, std::to_string(ns), "out of range", "0.001..1e9 ns");
    }
  }
}

SoftwareCycles SoftwareTimes::in_cycles(ClockPeriod period) const {
  SoftwareCycles cycles;
  cycles.period = period;
  cycles.paralib_send = period.cycles_from_ns(paralib_send_ns);
  cycles.paralib_receive = period.cycles_from_ns(paralib_receive_ns);
  cycles.mpi_send = period.cycles_from_ns(mpi_send_ns);
  cycles.mpi_receive = period.cycles_from_ns(mpi_receive_ns);
  cycles.mpi_control = period.cycles_from_ns(mpi_control_ns);
  cycles.copy_ns_per_word = copy_ns_per_word;
  cycles.reduce_ns_per_word = reduce_ns_per_word;
  return cycles;
}

}  // namespace tsuji::host
