#include "tsuji/platform/command_line.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tsuji/core/error.h"
#include "tsuji/core/printable.h"
#include "tsuji/platform/output_folder.h"
#include "tsuji/platform/revision.h"
#include "tsuji/platform/run_identity.h"

namespace tsuji::platform {
namespace {

constexpr int model_failure = 1, bad_input = 2;
constexpr std::size_t most_said_bytes = 4000;  ///< of a refused command line

/// One of the platform's own options as it was typed.
struct OwnOption {
  const PlatformOption* what = nullptr;
  const CLI::Option* typed = nullptr;
  std::string value;
};

/// The command line as it was typed.
struct Arguments {
  std::string config_file, seed, out_dir, record_window;
  std::vector<std::string> assignments, trace;
  std::string wave_format = "fst";
  bool list_keys = false, json_schema = false, print_config = false, quiet = false;
  std::vector<OwnOption> own;
};

void add_options(CLI::App& app, Arguments& arguments, const Platform& platform) {
  app.set_version_flag("--version", platform.name + " " + TSUJI_VERSION + " (" + source_revision() + ")");
  app.add_option("CONFIG", arguments.config_file, "YAML configuration; without it every key has its default");
  app.add_option("--set", arguments.assignments, "KEY=VALUE on top of the file; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_option("--seed", arguments.seed, "seed of all random numbers: --set seed=N")->type_name("N");
  app.add_option("--out", arguments.out_dir,
                 "folder for what the run writes (default: out/" + platform.name + ")")
      ->type_name("DIR");
  app.add_option("--trace", arguments.trace,
                 "signals: a waveform with a GTKWave save file; packets: packet records; may be repeated")
      ->allow_extra_args(false)
      ->type_name("signals|packets");
  app.add_option("--trace-window", arguments.record_window,
                 "trace only this part of the run, in ns with up to 3 decimals; either end may be left out")
      ->type_name("FROM:TO");
  app.add_option("--trace-format", arguments.wave_format, "format of the waveform (default: fst)")
      ->type_name("vcd|fst");
  app.add_flag("--list-keys", arguments.list_keys,
               "print every key with type, unit, default, range and meaning");
  app.add_flag("--json-schema", arguments.json_schema,
               "print every key as a JSON schema, with which editors check and complete CONFIG");
  app.add_flag("--print-config", arguments.print_config, "print the resolved configuration and stop");
  app.add_flag("--quiet", arguments.quiet, "no progress and no table");
  arguments.own.resize(platform.options.size());
  for (std::size_t i = 0; i < platform.options.size(); ++i) {
    const PlatformOption& option = platform.options[i];
    OwnOption& own = arguments.own[i];
    own.what = &option;
    own.typed = option.value_name.empty()
                    ? app.add_flag(option.name, option.meaning)
                    : app.add_option(option.name, own.value, option.meaning)->type_name(option.value_name);
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

/// The one of the platform's own options that was given, or null.
const OwnOption* chosen_option(const Arguments& arguments) {
  const OwnOption* chosen = nullptr;
  for (const OwnOption& own : arguments.own) {
    if (own.typed->count() == 0) continue;
    if (chosen != nullptr) {
      throw ConfigError(own.what->name, own.value, "does not go together with " + chosen->what->name,
                        "one of them");
    }
    chosen = &own;
  }
  return chosen;
}

/// Picoseconds of a decimal number of ns; no detour over a double.
Picoseconds parse_ns(const std::string& text, const std::string& window) {
  const auto refuse = [&](const char* problem) {
    return ConfigError("--trace-window", window, problem, "FROM:TO in ns, FROM <= TO, e.g. 100:250.5");
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

void read_configuration(config::KeyTable& keys, const Arguments& arguments, const Platform& platform) {
  if (!arguments.config_file.empty()) config::read_yaml_file(keys, arguments.config_file);
  for (const std::string& assignment : arguments.assignments) keys.set_from_command_line(assignment);
  if (!arguments.seed.empty()) keys.set_from_command_line("seed", arguments.seed, "--seed " + arguments.seed);
  if (platform.resolve) keys.check(platform.resolve);
  keys.refuse_idle();
  if (platform.validate) keys.check(platform.validate);
}

void read_record_options(const Arguments& arguments, RunOptions& options) {
  for (const std::string& what : arguments.trace) {
    if (what != "signals" && what != "packets")
      throw ConfigError("--trace", what, "unknown word", "signals, packets");
    (what == "signals" ? options.record_signals : options.record_packets) = true;
  }
  if (arguments.wave_format != "vcd" && arguments.wave_format != "fst") {
    throw ConfigError("--trace-format", arguments.wave_format, "unknown word", "vcd, fst");
  }
  if (arguments.wave_format == "vcd") options.wave_format = observe::WaveFileFormat::vcd;
  if (arguments.record_window.empty()) return;
  if (arguments.trace.empty()) {
    throw ConfigError("--trace-window", arguments.record_window, "neither waves nor packets are recorded",
                      "--trace with it");
  }
  options.record_window = parse_window(arguments.record_window);
}

void write_text(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw OutputError(path, std::string("cannot be written: ") + std::strerror(errno != 0 ? errno : EIO));
}

observe::Results make_results(const Platform& platform, const RunOptions& options,
                              const config::KeyTable& keys) {
  observe::Results results(platform.name, TSUJI_VERSION, options.seed, keys.json());
  results.revision(source_revision());
  results.file("result.json", "results");
  results.file("resolved.yaml", "configuration");
  return results;
}

/// The platform's part of a run. Problems of a key that only a run finds get the key's place, too.
void run_model(const Platform& platform, const OwnOption* own, const RunOptions& options,
               const config::KeyTable& keys, observe::Results& results) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    keys.check([&] {
      if (own != nullptr) {
        own->what->run(own->value, options, results);
      } else {
        platform.run(options, results);
      }
    });
  } catch (const Interrupted&) {
    // The results say so.
  } catch (const std::bad_alloc&) {
    throw std::runtime_error("this configuration needs more memory than the machine has");
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  results.metric("wall_seconds", wall.count(), "s");
}

/// After a failure of the model: its words, and what the run has left up to then, are worth a look. An older
/// result must not stand beside them. A problem of the folder matters less than the failure.
void keep_failure(OutputFolder& folder, const std::exception& failure, std::ostream& err) {
  try {
    write_text(folder.staging() + "/failure.txt", std::string(failure.what()) + "\n");
    folder.commit();
  } catch (const std::exception& error) {
    err << error.what() << '\n';
  }
}

int simulate(const Platform& platform, const OwnOption* own, RunOptions& options,
             const config::KeyTable& keys, OutputFolder& folder, std::ostream& out, std::ostream& err) {
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_st>(err, true);
  options.log = std::make_shared<spdlog::logger>(platform.name, std::move(sink));
  options.log->set_pattern("%n: %l: %v");
  options.log->set_level(spdlog::level::warn);
  observe::ProgressBar progress(
      err, !options.quiet && &err == &std::cerr && observe::ProgressBar::stderr_is_terminal());
  options.progress = &progress;
  const Interruption interruption;
  options.interruption = &interruption;

  observe::Results results = make_results(platform, options, keys);
  try {
    run_model(platform, own, options, keys, results);
    progress.finish();
    results.write(options.file("result.json"));
    if (!results.partial()) folder.forget_identity();
    folder.commit();
  } catch (const ConfigError&) {
    folder.discard();
    throw;
  } catch (const OutputError&) {
    throw;  // nothing new is worth the old folder
  } catch (const std::exception& failure) {
    progress.finish();
    keep_failure(folder, failure, err);
    throw;
  }
  if (!options.quiet) out << results.summary(folder.path());
  return results.partial() ? interruption.exit_status() : 0;
}

/// Before the run: hours of simulation should not end without a place for their result.
int run_into_folder(const Platform& platform, const Arguments& arguments, const OwnOption* own,
                    RunOptions& options, const config::KeyTable& keys, const std::string& resolved,
                    std::ostream& out, std::ostream& err) {
  OutputFolder folder(arguments.out_dir.empty() ? "out/" + platform.name : arguments.out_dir);
  const bool goes_on = own != nullptr && own->what->goes_on;
  folder.begin(goes_on ? run_identity(keys.json(), own->what->name) : "");
  options.out_dir = folder.staging();
  write_text(options.file("resolved.yaml"), resolved);
  return simulate(platform, own, options, keys, folder, out, err);
}

int checked_run(const Platform& platform, const Arguments& arguments, std::ostream& out, std::ostream& err) {
  RunOptions options;
  config::KeyTable keys;
  keys.add("seed", options.seed, {0, std::numeric_limits<std::uint64_t>::max()}, "",
           "seed of all random numbers");
  platform.add_keys(keys);
  if (arguments.list_keys) {
    out << keys.list_keys();
    return 0;
  }
  if (arguments.json_schema) {
    out << keys.json_schema("configuration of " + platform.name + " " + TSUJI_VERSION).dump(2) << '\n';
    return 0;
  }
  read_configuration(keys, arguments, platform);
  const std::string resolved = keys.print(platform.name + " " + TSUJI_VERSION + ", every key; " +
                                          platform.name + " THIS_FILE repeats the run");
  if (arguments.print_config) {
    out << resolved;
    return 0;
  }
  options.quiet = arguments.quiet;
  const OwnOption* own = chosen_option(arguments);
  if (own != nullptr && own->what->print) {
    int status = 0;
    keys.check([&] { status = own->what->print(own->value, options, out); });
    return status;
  }
  read_record_options(arguments, options);
  return run_into_folder(platform, arguments, own, options, keys, resolved, out, err);
}

}  // namespace

void RunOptions::check_interruption(observe::Results& results) const {
  if (interruption->signal() == 0) return;
  results.ended_by(interruption->name());
  throw Interrupted();
}

std::unique_ptr<observe::Wave> RunOptions::open_wave(const std::string& name,
                                                     observe::Results& results) const {
  if (!record_signals) return nullptr;
  results.file(name + (wave_format == observe::WaveFileFormat::fst ? ".fst" : ".vcd"), "waveform");
  results.file(name + ".gtkw", "view for GTKWave");
  return observe::open_wave_file({file(name), wave_format, record_window});
}

RunOptions::CycleWindow RunOptions::record_cycles(const ClockPeriod& period) const {
  CycleWindow window;
  window.first = (record_window.from + period.ps() - 1) / period.ps();
  if (record_window.to != observe::WaveWindow{}.to) window.last = record_window.to / period.ps();
  return window;
}

std::unique_ptr<observe::PacketRecords> RunOptions::open_packet_records(const std::vector<std::string>& parts,
                                                                        const ClockPeriod& period,
                                                                        observe::Results& results) const {
  if (!record_packets) return nullptr;
  results.file("packets.csv", "a line for every packet");
  const CycleWindow window = record_cycles(period);
  observe::PacketRecordsConfig config;
  config.path = file("packets.csv");
  config.parts = parts;
  config.first_cycle = window.first;
  config.last_cycle = window.last;
  return std::make_unique<observe::PacketRecords>(config);
}

std::string find_input(const std::string& path) {
  const std::filesystem::path below = std::filesystem::path(TSUJI_ROOT) / path;
  const bool as_it_is = std::filesystem::exists(path) || !std::filesystem::is_regular_file(below);
  return as_it_is ? path : below.string();
}

observe::WaveWindow parse_window(const std::string& text) {
  const std::size_t colon = text.find(':');
  observe::WaveWindow window;
  const bool shaped = colon != std::string::npos && text.size() > 1;
  if (shaped && colon > 0) window.from = parse_ns(text.substr(0, colon), text);
  if (shaped && colon + 1 < text.size()) window.to = parse_ns(text.substr(colon + 1), text);
  if (!shaped || window.from > window.to) {
    throw ConfigError("--trace-window", text, shaped ? "ends before it begins" : "not a window",
                      "FROM:TO in ns, FROM <= TO, e.g. 100:250.5");
  }
  return window;
}

namespace {

int parsed_run(int argc, const char* const* argv, const Platform& platform, std::ostream& out,
               std::ostream& err) {
  CLI::App app(platform.description, platform.name);
  Arguments arguments;
  add_options(app, arguments, platform);
  try {
    check_assignments(argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream said;
    const int status = app.exit(error, out, said) == 0 ? 0 : bad_input;
    err << printable_lines(said.str(), most_said_bytes);
    return status;
  } catch (const ConfigError& error) {
    err << platform.name << ": " << error.what() << '\n';
    return bad_input;
  }
  try {
    return checked_run(platform, arguments, out, err);
  } catch (const ConfigError& error) {
    err << platform.name << ": " << error.what() << '\n';
    return bad_input;
  } catch (const OutputError& error) {
    err << platform.name << ": " << error.what() << '\n';
    return model_failure;
  } catch (const std::exception& error) {
    err << platform.name << ": model failure: " << error.what() << '\n';
    return model_failure;
  }
}

}  // namespace

int run_platform(int argc, const char* const* argv, const Platform& platform, std::ostream& out,
                 std::ostream& err) {
  const int status = parsed_run(argc, argv, platform, out, err);
  out.flush();
  if (out) return status;
  // A list that is cut off must not be taken for a whole one.
  err << platform.name << ": the terminal or file that this prints to cannot be written\n";
  return status == 0 ? model_failure : status;
}

int run_platform(int argc, const char* const* argv, const Platform& platform) {
  return run_platform(argc, argv, platform, std::cout, std::cerr);
}

}  // namespace tsuji::platform
