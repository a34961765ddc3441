// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// One of the platform's own options as it was typed.
struct OwnOption {
  const PlatformOption* what = nullptr;
  bool typed = false;
  std::string value;

  bool value_may_lack() const { return what->value_name.rfind('[', 0) == 0; }
};

/// An option that sets a key as it was typed.
struct TypedKey {
  KeyOption what;
  bool typed = false;
  std::string value = {};
};

/// The command line as it was typed.
struct Arguments {
  std::string config_file, out_dir, runs_dir, check_runs, record_window;
  std::vector<std::string> assignments;
  bool waves = false, records = false;
  std::string log, log_format;  ///< the format may be empty
  bool log_given = false;
  std::string wave_format = observe::writes_fst() ? "fst" : "vcd";
  bool list_keys = false, json_schema = false, quiet = false, estimate = false;
  std::string wanted_keys;  ///< of list_keys: words of the keys to list; empty: every key
  bool print_config = false;
  std::string printed_keys;    ///< of print_config: all, or empty: those that are not the default
  std::vector<TypedKey> keys;  ///< --seed and the platform's own
  std::vector<OwnOption> own;
};

/// A command line that leads to no run: --help and --version, or words that are refused.
struct CommandLineEnd {
  bool is_refusal = false;
  std::string problem;                ///< of a refusal, in few words
  std::string out, err;               ///< what the program prints
  std::vector<std::string> no_words;  ///< words that no option takes
};

/// Reads a command line; nothing where it leads to a run. ConfigError for assignments of two words and the
/// like.
std::optional<CommandLineEnd> read_arguments(int argc, const char* const* argv, Arguments& arguments,
                                             const Platform& platform);

/// The one of the platform's own options that was given, or null, without those that go with it. ConfigError
/// for several.
const OwnOption* chosen_option(const Arguments& arguments);

/// The values of options that go with the chosen one, by name. ConfigError for one that was given without it.
std::map<std::string, std::string> options_with(const Arguments& arguments);

/// The options of waves, packet records and the log. ConfigError for words that are none.
void read_record_options(const Arguments& arguments, RunOptions& options);

/// The words of RunIdentity: the platform's own option and what is recorded.
std::string identity_words(const Arguments& arguments, const OwnOption* own);

}  // namespace tsuji::platform
