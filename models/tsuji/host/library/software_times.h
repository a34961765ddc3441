// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/units.h"

namespace tsuji::host {

/// SoftwareTimes in cycles of the machine's clock, as the library charges them.
struct SoftwareCycles {
  Cycle paralib_send = 0;
  Cycle paralib_receive = 0;
  Cycle mpi_send = 0;
  Cycle mpi_receive = 0;
  Cycle mpi_control = 0;
  ClockPeriod period{12500};
  double copy_ns_per_word = 0;
  double reduce_ns_per_word = 0;

  /// A loop's own instructions over `words` 8-byte words; rounded once a loop, not once a word.
  Cycle copy(std::uint64_t words) const {
    return period.cycles_from_ns(copy_ns_per_word * static_cast<double>(words));
  }
  Cycle reduce(std::uint64_t words) const {
    return period.cycles_from_ns(reduce_ns_per_word * static_cast<double>(words));
  }
};

/// Costs of the processor's instructions beyond the loads, stores and register accesses that are simulated
/// one by one (rooms/library.md, Where the paper is silent, 4). The values stand in
/// platforms/cenju4/software.yaml, each with its source; these defaults are the same ones.
struct SoftwareTimes {
  double paralib_send_ns = 1220;     ///< a parcel: checks, addresses, header words
  double paralib_receive_ns = 1220;  ///< from the poll that sees an arrival to the return
  double mpi_send_ns = 780;          ///< a send's own part above Paralib's
  double mpi_receive_ns = 780;       ///< a receive's: matching, status, completion
  double mpi_control_ns = 500;       ///< a step of a rendezvous: request seen, answer seen
  double copy_ns_per_word = 10;      ///< copy loop, beyond its load and its store
  double reduce_ns_per_word = 20;    ///< reduction loop, beyond its two loads and its store
  double poll_loop_ns = 100;         ///< the processor's poll loop; its grid
  double system_call_ns = 13000;     ///< Kanoh 2000, 6.1

  /// Throws ConfigError for a time that is negative, not a number, or above a second; the poll loop must take
  /// time.
  void validate() const;
  SoftwareCycles in_cycles(ClockPeriod period) const;
};

}  // namespace tsuji::host
