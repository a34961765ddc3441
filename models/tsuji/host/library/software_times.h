// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/units.h"

namespace tsuji::host {

/// SoftwareTimes in cycles of the machine's clock.
struct SoftwareCycles {
  Cycle paralib_send = 0;
  Cycle paralib_receive = 0;
  Cycle mpi_send = 0;
  Cycle mpi_receive = 0;
  Cycle mpi_control = 0;
  ClockPeriod period{12500};
  double copy_ns_per_word = 0;
  double reduce_ns_per_word = 0;

  /// Time of a loop's own instructions over `words` 8-byte words; rounded once for the whole loop.
  Cycle copy(std::uint64_t words) const {
    return period.cycles_from_ns(copy_ns_per_word * static_cast<double>(words));
  }
  Cycle reduce(std::uint64_t words) const {
    return period.cycles_from_ns(reduce_ns_per_word * static_cast<double>(words));
  }
};

/// Execution times of the processor's instructions, excluding the loads, stores and register accesses that
/// are simulated individually (rooms/library.md, Where the paper is silent, 4).
/// platforms/cenju4/software.yaml has equal values, each with its source.
struct SoftwareTimes {
  double paralib_send_ns = 1220;     ///< A parcel: checks, addresses, header words.
  double paralib_receive_ns = 1220;  ///< From the poll that sees an arrival to the return.
  double mpi_send_ns = 780;          ///< MPI part of a send, in addition to Paralib's.
  double mpi_receive_ns = 780;       ///< MPI part of a receive: matching, status, completion.
  double mpi_control_ns = 500;       ///< A step of a rendezvous: handling a request or an answer.
  double copy_ns_per_word = 10;      ///< Copy loop per word, without its load and its store.
  double reduce_ns_per_word = 20;    ///< Reduction loop per word, without its two loads and its store.
  double poll_loop_ns = 100;         ///< Period of the processor's poll loop.
  double system_call_ns = 13000;     ///< overhead of a system call (Kanoh 2000, 6.1)

  /// Throws ConfigError for a time that is negative, not a number, or above a second, and for a poll loop of
  /// no time.
  void validate() const;
  SoftwareCycles in_cycles(ClockPeriod period) const;
};

}  // namespace tsuji::host
