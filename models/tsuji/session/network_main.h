// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tsuji/config/renames.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {

/// Additions of a program to the platform `network`.
struct NetworkProgram {
  std::string description =  ///< one line for --help
      "A virtual-channel network of any topology and routing under synthetic traffic or an application, "
      "cycle by cycle";
  /// Adds kinds to the configuration's tables (topologies, routings, patterns, traffic sources, ...) and sets
  /// its defaults. Called before any key is bound; may be empty.
  std::function<void(NetworkRunConfig&)> add_kinds;
  /// Old names of the program's keys, values and options.
  std::vector<config::Rename> renames = {};
  std::vector<platform::KeyOption> key_options = {};  ///< options for the program's keys
};

/// A complete main function: the platform `network` with all options (platform::run_platform), such as
/// sweeps, waveforms and the deadlock check, under the executable's name. Returns the exit status.
///
///     int sc_main(int argc, char** argv) { return tsuji::session::network_main(argc, argv); }
int network_main(int argc, const char* const* argv, const NetworkProgram& program = {});

}  // namespace tsuji::session
