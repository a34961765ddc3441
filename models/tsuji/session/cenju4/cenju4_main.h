// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tsuji/session/cenju4/cenju4_run.h"

namespace tsuji::session {

/// Additions of a program to the platform `cenju4`.
struct Cenju4Program {
  std::string description =  ///< one line for --help
      "A Cenju-4 style machine: processors, network interfaces and a multistage network, cycle by cycle";
  /// Adds kinds to the configuration's tables (workloads, patterns, traffic, ...) and sets its defaults.
  /// Called before any key is bound; may be empty.
  std::function<void(Cenju4RunConfig&)> add_kinds;
  std::function<void(config::KeyTable&)> add_keys = {};  ///< adds keys of the program's own; may be empty
  std::function<void(const Cenju4RunConfig&)> validate =
      {};                                             ///< ConfigError for what they do not fit; may be empty
  std::vector<platform::KeyOption> key_options = {};  ///< options for the program's keys
};

/// A complete main function: the platform `cenju4` with all options (platform::run_platform), such as sweeps
/// and waveforms, under the executable's name. Returns the exit status.
///
///     int sc_main(int argc, char** argv) { return tsuji::session::cenju4_main(argc, argv); }
int cenju4_main(int argc, const char* const* argv, const Cenju4Program& program = {});

}  // namespace tsuji::session
