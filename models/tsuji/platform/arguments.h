// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// One of the platform's own options, and the value given on the command line.
struct OwnOption {
  const PlatformOption* what = nullptr;
  bool typed = false;
  std::string value;

  bool value_may_lack() const { return what->value_name.rfind('[', 0) == 0; }
};

/// An option that sets a key, and the value given on the command line.
struct TypedKey {
  KeyOption what;
  bool typed = false;
  std::string value = {};
};

/// The parsed command line.
struct Arguments {
  std::string config_file, out_dir, runs_dir, check_runs, record_window;
  std::vector<std::string> assignments;
  bool waves = false, records = false, report = false;
  std::string log, log_format;  ///< `log_format` is empty if no format was given.
  bool log_given = false;
  std::string wave_format = observe::writes_fst() ? "fst" : "vcd";
  unsigned threads = 1;
  bool list_keys = false, json_schema = false, quiet = false, estimate = false;
  std::string wanted_keys;  ///< Search words of --list-keys; empty: list every key.
  bool print_config = false;
  /// Argument of --print-config: `all`, or empty for keys that differ from their default.
  std::string printed_keys;
  std::vector<TypedKey> keys;  ///< Options that set keys: --seed and the platform's own.
  std::vector<OwnOption> own;
};

/// Outcome of a command line that starts no run: --help, --version, or a refused command line.
struct CommandLineEnd {
  bool is_refusal = false;
  std::string problem;                ///< Short description of a refusal.
  std::string out, err;               ///< Text for stdout and stderr.
  std::vector<std::string> no_words;  ///< Words of the command line that no option accepts.
};

/// Parses a command line. Returns nothing if a run should start. Throws ConfigError for malformed values, for
/// example an assignment without `=`.
std::optional<CommandLineEnd> read_arguments(int argc, const char* const* argv, Arguments& arguments,
                                             const Platform& platform);

/// The platform option that was given and selects an action (PlatformOption without goes_with); null if there
/// is none. Throws ConfigError for several.
const OwnOption* chosen_option(const Arguments& arguments);

/// Values of the options that modify the chosen one, by name. Throws ConfigError for a modifier given without
/// its option.
std::map<std::string, std::string> options_with(const Arguments& arguments);

/// Parses the options of waves, packet records and the log into `options`. Throws ConfigError for unknown
/// words.
void read_record_options(const Arguments& arguments, RunOptions& options);

/// Text for RunIdentity: the platform's own option and the kinds of records that are written.
std::string identity_words(const Arguments& arguments, const OwnOption* own);

}  // namespace tsuji::platform
