// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <exception>

#include "tsuji/mpi/ranks.h"

namespace tsuji::platform {

/// Thrown between two slices of a run after a signal; the run's results are partial.
class Interrupted final : public std::exception {
 public:
  const char* what() const noexcept override { return "ended by a signal"; }
};

/// Catches SIGINT and SIGTERM while this object exists. The first signal is recorded, so that a run can end
/// with its results so far; the second one ends the process at once. A signal that was ignored before stays
/// ignored. At most one object exists at a time.
class Interruption {
 public:
  /// With `ranks`, a signal that any of them has received counts, once all of them know of it.
  explicit Interruption(mpi::Ranks* ranks = nullptr);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// The signal received, SIGINT or SIGTERM; 0: none yet.
  int signal() const;
  /// Name of the signal for results: "SIGINT".
  const char* name() const;
  /// Exit status of the process, as a shell reports a signal: 130 or 143; 0 without one.
  int exit_status() const { return signal() == 0 ? 0 : 128 + signal(); }

 private:
  const mpi::Ranks* ranks_;
  struct sigaction before_int_ = {}, before_term_ = {};
};

}  // namespace tsuji::platform
