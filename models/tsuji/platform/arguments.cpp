// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/arguments.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"
#include "tsuji/platform/revision.h"
#include "tsuji/version.h"

namespace tsuji::platform {
namespace {

void add_options(CLI::App& app, Arguments& arguments, const Platform& platform) {
  app.set_version_flag("--version", platform.name + " " + version_text + " (" + source_revision() + ")");
  app.add_option("CONFIG", arguments.config_file, "YAML configuration; without it every key has its default");
  app.add_option("--set", arguments.assignments, "KEY=VALUE on top of the file; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  arguments.keys.push_back({{"--seed", "seed", "N", "seed of all random numbers: --set seed=N"}});
  for (const KeyOption& option : platform.key_options) arguments.keys.push_back({option});
  for (TypedKey& key : arguments.keys)
    app.add_option(key.what.name, key.value, key.what.meaning)->type_name(key.what.value_name);
  app.add_option("--out", arguments.out_dir,
                 "folder for what the run writes (default: out/" + platform.name + ")")
      ->type_name("DIR");
  app.add_option(
         "--runs", arguments.runs_dir,
         "folder of kept runs, instead of --out; a run that is already complete in it is not repeated")
      ->type_name("DIR");
  app.add_option("--check-runs", arguments.check_runs,
                 "check the command lines in FILE, each a line with a JSON array of words, and print the "
                 "identity and configuration of each run")
      ->type_name("FILE");
  app.add_flag("--waves", arguments.waves, "write a waveform with a GTKWave save file");
  app.add_option("--waves-format", arguments.wave_format,
                 "format of the waveform (default: " + arguments.wave_format + ")")
      ->type_name(observe::writes_fst() ? "vcd|fst" : "vcd");
  app.add_flag("--records", arguments.records, "write packet records: packets.csv, a line for each packet");
  app.add_flag("--report", arguments.report,
               "write a page with the results for a browser, report.html, and the tables that it shows");
  app.add_option(
         "--window", arguments.record_window,
         std::string(platform.logs ? "waveform, records and log" : "waveform and records") +
             " of this part of the run alone, in ns with up to 3 decimals; either end may be left out")
      ->type_name("FROM:TO");
  if (platform.logs) {
    app.add_option(
           "--log", arguments.log,
           "log of the run's events; comma-separated MODULE=LEVEL, with level debug (packets and states), "
           "trace (flits as well) or off, e.g. nic=debug,router.5=trace; a level alone is for all modules")
        ->type_name("SELECTORS");
    app.add_option("--log-format", arguments.log_format, "format of the log (default: text)")
        ->type_name("text|json");
  }
  if (platform.threads)
    app.add_option("--threads", arguments.threads,
                   "threads that simulate one machine, with equal results for any number (default: 1); a "
                   "sweep runs --jobs machines at a time with as many threads each")
        ->type_name("N")
        ->check(CLI::Range(1U, 1024U));
  app.add_option("--list-keys", arguments.wanted_keys,
                 "print every key with type, unit, default, range and meaning; WORD: only keys with this "
                 "word in name, meaning or values")
      ->expected(0, 1)
      ->type_name("[WORD]");
  app.add_flag("--json-schema", arguments.json_schema,
               "print a JSON schema of every key, with which editors check and complete CONFIG");
  app.add_option(
         "--print-config", arguments.printed_keys,
         "print the keys whose values differ from the default, and where they are set; all: every key")
      ->expected(0, 1)
      ->type_name("[all]");
  if (platform.estimate)
    app.add_flag("--estimate", arguments.estimate,
                 "print the estimated memory and time of the simulation, and stop");
  app.add_flag("--quiet", arguments.quiet, "print neither progress nor the table of results");
  arguments.own.resize(platform.options.size());
  for (std::size_t i = 0; i < platform.options.size(); ++i) {
    const PlatformOption& option = platform.options[i];
    OwnOption& own = arguments.own[i];
    own.what = &option;
    if (option.value_name.empty()) {
      app.add_flag(option.name, own.typed, option.meaning);
      continue;
    }
    CLI::Option* const added =
        app.add_option(option.name, own.value, option.meaning)->type_name(option.value_name);
    if (own.value_may_lack()) added->expected(0, 1);
  }
}

/// "--set KEY VALUE" would take VALUE for the configuration file.
void check_assignments(int argc, const char* const* argv) {
  for (int i = 1; i + 2 < argc; ++i) {
    const std::string key = argv[i + 1], value = argv[i + 2];
    if (argv[i] != std::string("--set") || key.find('=') != std::string::npos || key.rfind("--", 0) == 0)
      continue;
    if (value.rfind("--", 0) == 0) continue;
    throw ConfigError("--set", key + " " + value, "key and value are one word", "--set " + key + "=" + value);
  }
}

/// Picoseconds of a decimal number of ns; no detour over a double.
Picoseconds parse_ns(const std::string& text, const std::string& window) {
  const auto refuse = [&](const char* problem) {
    return ConfigError("--window", window, problem, "FROM:TO in ns, FROM <= TO, e.g. 100:250.5");
  };
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::string digits = text.substr(0, dot);
  const std::string decimals = dot < text.size() ? text.substr(dot + 1) : "";
  if (digits.empty() || decimals.size() > 3 || (dot < text.size() && decimals.empty()))
    throw refuse("not a time");
  digits += decimals + std::string(3 - decimals.size(), '0');
  if (digits.find_first_not_of("0123456789") != std::string::npos) throw refuse("not a time");
  const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  if (digits.size() - zeros > 19 || std::stoull(digits) > longest_run_ps)
    throw refuse("later than a run may last");
  return std::stoull(digits);
}

/// "--print-config FILE", "--list-keys FILE" and the like take the configuration for their word.
void take_configuration(Arguments& arguments) {
  std::string& word = arguments.printed_keys;
  if (!word.empty() && word != "all") {
    if (!arguments.config_file.empty())
      throw ConfigError("--print-config", word, "unknown word", "all, or none for the keys that are set");
    arguments.config_file = std::exchange(word, "");
  }
  std::error_code unknown;
  const auto take_file = [&](std::string& value) {
    if (std::filesystem::is_regular_file(value, unknown) && arguments.config_file.empty())
      arguments.config_file = std::exchange(value, "");
  };
  take_file(arguments.wanted_keys);
  for (OwnOption& own : arguments.own)
    if (own.value_may_lack()) take_file(own.value);
  const std::string& file = arguments.config_file;
  if (file.find('=') != std::string::npos && !std::filesystem::exists(file, unknown))
    throw ConfigError("CONFIG", file, "there is no such file", "--set " + file + " for a key");
}

}  // namespace

std::optional<CommandLineEnd> read_arguments(int argc, const char* const* argv, Arguments& arguments,
                                             const Platform& platform) {
  CLI::App app(platform.description, platform.name);
  add_options(app, arguments, platform);
  check_assignments(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const bool is_refusal = app.exit(error, out, err) != 0;
    const bool no_words = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    return CommandLineEnd{is_refusal, error.what(), out.str(), err.str(),
                          no_words ? app.remaining() : std::vector<std::string>()};
  }
  arguments.print_config = app.count("--print-config") != 0;
  arguments.list_keys = app.count("--list-keys") != 0;
  arguments.log_given = platform.logs && app.count("--log") != 0;
  for (OwnOption& own : arguments.own) own.typed = app.count(own.what->name) != 0;
  for (TypedKey& key : arguments.keys) key.typed = app.count(key.what.name) != 0;
  take_configuration(arguments);
  return std::nullopt;
}

const OwnOption* chosen_option(const Arguments& arguments) {
  const OwnOption* chosen = nullptr;
  for (const OwnOption& own : arguments.own) {
    if (!own.typed || !own.what->goes_with.empty()) continue;
    if (chosen != nullptr) {
      throw ConfigError(own.what->name, own.value, "does not go together with " + chosen->what->name,
                        "one of them");
    }
    chosen = &own;
  }
  return chosen;
}

std::map<std::string, std::string> options_with(const Arguments& arguments) {
  const OwnOption* const chosen = chosen_option(arguments);
  std::map<std::string, std::string> values;
  for (const OwnOption& own : arguments.own) {
    if (!own.typed || own.what->goes_with.empty()) continue;
    if (chosen == nullptr || chosen->what->name != own.what->goes_with)
      throw ConfigError(own.what->name, own.value, "changes nothing by itself",
                        "with " + own.what->goes_with);
    values[own.what->name] = own.value;
  }
  return values;
}

namespace {

void read_log_options(const Arguments& arguments, RunOptions& options) {
  if (!arguments.log_given) {
    if (!arguments.log_format.empty())
      throw ConfigError("--log-format", arguments.log_format, "there is no log", "--log with it");
    return;
  }
  options.log_selection.emplace(arguments.log);
  if (arguments.log_format.empty() || arguments.log_format == "text") return;
  if (arguments.log_format != "json")
    throw ConfigError("--log-format", arguments.log_format, "unknown word", "text, json");
  options.log_format = observe::LogFormat::json;
}

}  // namespace

void read_record_options(const Arguments& arguments, RunOptions& options) {
  read_log_options(arguments, options);
  options.record_waves = arguments.waves;
  options.record_packets = arguments.records;
  options.report = arguments.report;
  if (arguments.wave_format != "vcd" && arguments.wave_format != "fst") {
    throw ConfigError("--waves-format", arguments.wave_format, "unknown word",
                      observe::writes_fst() ? "vcd, fst" : "vcd");
  }
  if (arguments.wave_format == "fst" && !observe::writes_fst())
    throw ConfigError("--waves-format", "fst",
                      "this build has no FST writer (fstapi.c, of Debian's package verilator)", "vcd");
  options.wave_format =
      arguments.wave_format == "vcd" ? observe::WaveFileFormat::vcd : observe::WaveFileFormat::fst;
  if (arguments.record_window.empty()) return;
  if (!arguments.waves && !arguments.records && !options.log_selection) {
    throw ConfigError("--window", arguments.record_window, "nothing is recorded",
                      "--waves, --records or --log with it");
  }
  options.record_window = parse_window(arguments.record_window);
}

observe::WaveWindow parse_window(const std::string& text) {
  const std::size_t colon = text.find(':');
  observe::WaveWindow window;
  const bool shaped = colon != std::string::npos && text.size() > 1;
  if (shaped && colon > 0) window.from = parse_ns(text.substr(0, colon), text);
  if (shaped && colon + 1 < text.size()) window.to = parse_ns(text.substr(colon + 1), text);
  if (!shaped || window.from > window.to) {
    throw ConfigError("--window", text, shaped ? "ends before it begins" : "not a window",
                      "FROM:TO in ns, FROM <= TO, e.g. 100:250.5");
  }
  return window;
}

std::string identity_words(const Arguments& arguments, const OwnOption* own) {
  std::string words;
  if (own != nullptr) words += own->what->name + "=" + own->value + "\n";
  for (const OwnOption& with : arguments.own) {
    if (with.typed && !with.what->goes_with.empty() && with.what->decides_results)
      words += with.what->name + "=" + with.value + "\n";
  }
  if (arguments.waves) words += "--waves\n";
  if (arguments.records) words += "--records\n";
  if (arguments.report) words += "--report\n";
  if (arguments.waves || arguments.records)
    words += arguments.wave_format + "\n" + arguments.record_window + "\n";
  if (arguments.log_given)
    words += "--log=" + arguments.log + "\n" + arguments.log_format + "\n" + arguments.record_window + "\n";
  return words;
}

}  // namespace tsuji::platform
