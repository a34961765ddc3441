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
  /// Adds kinds to the configuration's tables (topologies, routings, patterns, traffic sources, ...), and
  /// sets its defaults, before any key is bound; may be empty.
  std::function<void(NetworkRunConfig&)> add_kinds;
  /// Names of before of the program's own keys, values and options.
  std::vector<config::Rename> renames = {};
  std::vector<platform::KeyOption> key_options = {};  ///< for keys of the program's own
};

/// The whole of a main function: the platform `network`, with sweeps, traces, waveforms, deadlock check and
/// all other options (platform::run_platform), under the executable's own name. Returns the exit status.
///
///     int sc_main(int argc, char** argv) { return tsuji::session::network_main(argc, argv); }
int network_main(int argc, const char* const* argv, const NetworkProgram& program = {});

}  // namespace tsuji::session
