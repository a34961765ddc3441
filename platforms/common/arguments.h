// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tsuji/platform/command_line.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tsuji::platform {

/// One of the platform's own options as it was typed.
struct OwnOption {
  const PlatformOption* what = nullptr;
  const CLI::Option* typed = nullptr;
  std::string value;
};

/// The command line as it was typed.
struct Arguments {
  std::string config_file, seed, out_dir, runs_dir, check_runs, record_window;
  std::vector<std::string> assignments, trace;
  std::string wave_format = observe::writes_fst() ? "fst" : "vcd";
  bool list_keys = false, json_schema = false, quiet = false, estimate = false;
  std::string wanted_keys;  ///< of list_keys: words of the keys to list; empty: every key
  const CLI::Option* listed = nullptr;
  bool print_config = false;
  std::string printed_keys;  ///< of print_config: all, or empty: those that are not the default
  const CLI::Option* printed = nullptr;
  std::vector<OwnOption> own;
};

/// Reads a command line. Throws what CLI11 does (CLI::ParseError), and ConfigError.
void parse(CLI::App& app, int argc, const char* const* argv, Arguments& arguments, const Platform& platform);

/// The one of the platform's own options that was given, or null, without those that go with it. ConfigError
/// for several.
const OwnOption* chosen_option(const Arguments& arguments);

/// The values of options that go with the chosen one, by name. ConfigError for one that was given without it.
std::map<std::string, std::string> options_with(const Arguments& arguments);

/// The options of waves and packet records. ConfigError for words that are none.
void read_record_options(const Arguments& arguments, RunOptions& options);

/// The words of RunIdentity: the platform's own option and what is recorded.
std::string identity_words(const Arguments& arguments, const OwnOption* own);

}  // namespace tsuji::platform
