// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <exception>

namespace tsuji::platform {

/// Thrown between two slices of a run that a signal has asked to end: the run's results are partial.
class Interrupted final : public std::exception {
 public:
  const char* what() const noexcept override { return "ended by a signal"; }
};

/// Keeps SIGINT and SIGTERM from ending the process as long as this object lives: the first one is
/// remembered, so that a run ends with what it has. The second one ends the process at once. A signal that
/// was ignored before stays ignored. One object at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// SIGINT or SIGTERM, 0 as long as none has come.
  int signal() const;
  /// Its name, for results: "SIGINT".
  const char* name() const;
  /// The process's exit status, as a shell would report the signal: 130 or 143.
  int exit_status() const { return 128 + signal(); }

 private:
  struct sigaction before_int_ = {}, before_term_ = {};
};

}  // namespace tsuji::platform
