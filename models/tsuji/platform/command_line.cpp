// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/command_line.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tsuji/config/key_search.h"
#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"
#include "tsuji/core/printable.h"
#include "tsuji/core/refusals.h"
#include "tsuji/platform/arguments.h"
#include "tsuji/platform/kept_runs.h"
#include "tsuji/platform/key_words.h"
#include "tsuji/platform/output_folder.h"
#include "tsuji/platform/report_page.h"
#include "tsuji/platform/revision.h"
#include "tsuji/platform/run_identity.h"
#include "tsuji/version.h"

namespace tsuji::platform {
namespace {

constexpr int model_failure = 1, bad_input = 2;
constexpr std::size_t most_said_bytes = 4000;  ///< of a refused command line

/// Sets the keys, and derives others from them.
void read_values(config::KeyTable& keys, const Arguments& arguments, const Platform& platform) {
  Refusals refusals;
  refusals.take([&] {
    if (!arguments.config_file.empty()) config::read_yaml_file(keys, arguments.config_file);
  });
  for (const std::string& assignment : arguments.assignments)
    refusals.take([&] { keys.set_from_command_line(assignment); });
  for (const TypedKey& option : arguments.keys)
    refusals.take([&] {
      if (option.typed)
        keys.set_from_command_line(option.what.key, option.value, option.what.name + " " + option.value);
    });
  // With invalid values, the effect of the other keys is unknown.
  refusals.refuse();
  keys.settle_defaults();
  if (platform.resolve) keys.check(platform.resolve);
}

void read_configuration(config::KeyTable& keys, const Arguments& arguments, const Platform& platform) {
  read_values(keys, arguments, platform);
  Refusals refusals;
  refusals.take([&] { keys.refuse_idle(); });
  Refusals invalid;
  invalid.take([&] {
    if (platform.validate) keys.check(platform.validate);
  });
  // The value of a key that has no effect is no further mistake.
  refusals.take_other_keys(invalid);
  refusals.refuse();
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  close_output(file, path);
}

std::string resolved_text(const Platform& platform, const config::KeyTable& keys,
                          const config::PathText& path_text) {
  return keys.print(
      platform.name + " " + version_text + ", every key; " + platform.name + " THIS_FILE repeats the run",
      path_text);
}

std::string changed_text(const Platform& platform, const config::KeyTable& keys) {
  return keys.print_changed(
      platform.name + " " + version_text + ", keys that are not the default (--print-config all: every key)",
      config::absolute);
}

observe::Results make_results(const Platform& platform, const RunOptions& options,
                              const config::KeyTable& keys, const std::string& folder) {
  observe::Results results(platform.name, version_text, options.seed, keys.json(config::seen_from(folder)));
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
    throw std::runtime_error("this configuration needs more memory than the computer has");
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  results.metric("wall_seconds", wall.count(), "s");
}

/// Relative paths in it are seen from `folder`: while the run lasts, a sweep's loads read it in staging().
void write_resolved(const Platform& platform, const config::KeyTable& keys, const RunOptions& options,
                    const std::string& folder) {
  write_text(options.file("resolved.yaml"), resolved_text(platform, keys, config::seen_from(folder)));
}

/// Keeps the message and the partial output of a failed run, and removes an older result from the folder. An
/// error of the folder is ignored in favour of the failure.
void keep_failure(OutputFolder& folder, const std::exception& failure, const std::function<void()>& commit,
                  std::ostream& err) {
  try {
    write_text(folder.staging() + "/failure.txt", std::string(failure.what()) + "\n");
    commit();
  } catch (const std::exception& error) {
    err << error.what() << '\n';
  }
}

int simulate(const Platform& platform, const OwnOption* own, RunOptions& options,
             const config::KeyTable& keys, OutputFolder& folder, std::ostream& out, std::ostream& err) {
  options.log = std::make_shared<const Log>(platform.name, err);
  observe::ProgressBar progress(
      err, !options.quiet && &err == &std::cerr && observe::ProgressBar::stderr_is_terminal());
  options.progress = &progress;
  const Interruption interruption(options.ranks);
  options.interruption = &interruption;

  const auto commit = [&] {
    write_resolved(platform, keys, options, folder.path());
    folder.commit();
  };
  write_resolved(platform, keys, options, folder.staging());
  observe::Results results = make_results(platform, options, keys, folder.path());
  try {
    run_model(platform, own, options, keys, results);
    progress.finish();
    results.write(options.file("result.json"));
    if (!results.partial()) folder.forget_identity();
    const std::string problem =
        options.report ? write_report(options.out_dir, changed_text(platform, keys), results) : "";
    commit();
    if (!problem.empty()) throw OutputError(report_page, problem);  // the results are kept without the page
  } catch (const ConfigError&) {
    folder.discard();
    throw;
  } catch (const OutputError&) {
    throw;  // nothing new is worth the old folder
  } catch (const mpi::RankLeft& left) {
    progress.finish();
    if (left.exit_status() == model_failure)
      keep_failure(folder, left, commit, err);
    else
      folder.discard();
    throw;
  } catch (const std::exception& failure) {
    progress.finish();
    keep_failure(folder, failure, commit, err);
    throw;
  }
  if (!options.quiet) out << results.summary(folder.path());
  return results.partial() ? interruption.exit_status() : 0;
}

/// The part of a rank that writes no files.
int take_part(const Platform& platform, RunOptions& options, const config::KeyTable& keys,
              std::ostream& err) {
  options.writes_no_files = true;
  options.log = std::make_shared<const Log>(platform.name, err);
  observe::ProgressBar silent(err, false);
  options.progress = &silent;
  const Interruption interruption(options.ranks);
  options.interruption = &interruption;
  observe::Results results = make_results(platform, options, keys, ".");
  run_model(platform, nullptr, options, keys, results);
  return results.partial() ? interruption.exit_status() : 0;
}

/// Names of kept runs.
class KeptNames {
 public:
  explicit KeptNames(std::string platform) : platform_(std::move(platform)) {}
  std::string of(const nlohmann::ordered_json& config, const std::string& words) {
    return platform_ + "-" + identity_.of(config, words);
  }
  /// With other numbers than those of the keys.
  std::string with(nlohmann::ordered_json config, const KeyValues& keys) {
    for (const auto& [key, value] : keys) {
      nlohmann::ordered_json* place = &config;
      std::istringstream names(key);
      for (std::string name; std::getline(names, name, '.');) place = &place->at(name);
      *place = value.json();
    }
    return of(config, "");
  }

 private:
  std::string platform_;
  RunIdentity identity_;
};

/// Before the run: hours of simulation should not end without a place for their result.
int run_into_folder(const Platform& platform, OutputFolder& folder, const OwnOption* own, RunOptions& options,
                    const config::KeyTable& keys, std::ostream& out, std::ostream& err) {
  const bool goes_on = own != nullptr && own->what->goes_on;
  folder.begin(goes_on ? RunIdentity().of(keys.json(), own->what->name) : "");
  options.out_dir = folder.staging();
  if (options.report) check_report(options.out_dir);
  return simulate(platform, own, options, keys, folder, out, err);
}

/// The end of a run that has ended before.
int end_of_kept_run(KeptState state, const Platform& platform, const std::string& place, bool quiet,
                    std::ostream& out, std::ostream& err) {
  if (state == KeptState::failed) {
    std::ifstream file(place + "/failure.txt", std::ios::binary);
    err << platform.name << ": model failure: " << file.rdbuf();
    return model_failure;
  }
  if (!quiet) out << "has run before: " << place << "/result.json\n";
  return 0;
}

/// Refuses a machine that does not fit into memory, and says what a large one takes, before it is built.
void check_size(const Platform& platform, const RunOptions& options, const config::KeyTable& keys,
                std::ostream& err) {
  if (!platform.estimate || (platform.estimates_runs && !platform.estimates_runs())) return;
  keys.check([&] {
    const MachineEstimate estimate = platform.estimate();
    const SystemMemory memory = system_memory();
    options.memory.check(estimate, memory);
    const std::string large = large_machine_text(estimate, memory);
    if (!large.empty() && !options.quiet) err << platform.name << ": " << large << '\n';
  });
}

int run_kept(const Platform& platform, const Arguments& arguments, const OwnOption* own, RunOptions& options,
             const config::KeyTable& keys, std::ostream& out, std::ostream& err) {
  if (!arguments.out_dir.empty())
    throw ConfigError("--out", arguments.out_dir, "does not go together with --runs", "one of them");
  KeptNames names(platform.name);
  const std::string below = arguments.runs_dir + "/";
  const std::string place = below + names.of(keys.json(), identity_words(arguments, own));
  options.kept_folder = [&](const KeyValues& values) { return below + names.with(keys.json(), values); };
  if (const KeptState state = kept_state(place); state != KeptState::unfinished)
    return end_of_kept_run(state, platform, place, options.quiet, out, err);
  check_size(platform, options, keys, err);
  OutputFolder folder(place, OutputFolder::IfTaken::waits);
  if (const KeptState state = kept_state(place); state != KeptState::unfinished)  // meanwhile
    return end_of_kept_run(state, platform, place, options.quiet, out, err);
  return run_into_folder(platform, folder, own, options, keys, out, err);
}

int run_checked(const Platform& platform, const Arguments& arguments, const OwnOption* own,
                RunOptions& options, const config::KeyTable& keys, std::ostream& out, std::ostream& err) {
  if (options.ranks != nullptr && own != nullptr)
    throw ConfigError(own->what->name, own->value, "makes further runs, each of one process",
                      "one process, without mpirun");
  if (options.ranks != nullptr && !options.ranks->writes()) return take_part(platform, options, keys, err);
  if (!arguments.runs_dir.empty()) return run_kept(platform, arguments, own, options, keys, out, err);
  check_size(platform, options, keys, err);
  OutputFolder folder(arguments.out_dir.empty() ? "out/" + platform.name : arguments.out_dir);
  return run_into_folder(platform, folder, own, options, keys, out, err);
}

std::vector<config::Rename> renames_of(const Platform& platform) {
  std::vector<config::Rename> all = config::library_renames();
  all.insert(all.end(), platform.renames.begin(), platform.renames.end());
  return all;
}

void add_keys(const Platform& platform, RunOptions& options, config::KeyTable& keys) {
  keys.add("seed", options.seed, {0, std::numeric_limits<std::uint64_t>::max()}, "",
           "seed of all random numbers");
  platform.add_keys(keys);
  if (platform.estimate) options.memory.add_keys(keys);
  keys.searched_as(key_words());
  keys.renamed(renames_of(platform));
}

std::string listed_keys(const Platform& platform, const Arguments& arguments, config::KeyTable& keys) {
  if (arguments.wanted_keys.empty()) return keys.list_keys();
  read_values(keys, arguments, platform);
  return config::find_keys(keys, arguments.wanted_keys, platform.leading_keys);
}

/// ConfigError for options of a run.
void check_prints_alone(const Arguments& arguments, const OwnOption& own) {
  const auto refuse = [&](const char* name, const std::string& value) {
    throw ConfigError(name, value, "does not go together with " + own.what->name, "one of them");
  };
  if (arguments.waves) refuse("--waves", "");
  if (arguments.records) refuse("--records", "");
  if (arguments.report) refuse("--report", "");
  if (arguments.log_given) refuse("--log", arguments.log);
  if (!arguments.runs_dir.empty()) refuse("--runs", arguments.runs_dir);
}

int print_own(const Platform& platform, const Arguments& arguments, const OwnOption& own, RunOptions& options,
              const config::KeyTable& keys, std::ostream& out, std::ostream& err) {
  check_prints_alone(arguments, own);
  observe::ProgressBar silent(err, false);
  options.progress = &silent;
  options.log = std::make_shared<const Log>(platform.name, err);
  if (own.what->builds) check_size(platform, options, keys, err);
  int status = 0;
  keys.check([&] { status = own.what->print(own.value, options, out); });
  return status;
}

int checked_run(const Platform& platform, const Arguments& arguments, mpi::Ranks* ranks, std::ostream& out,
                std::ostream& err) {
  RunOptions options;
  options.ranks = ranks;
  config::KeyTable keys;
  add_keys(platform, options, keys);
  if (arguments.list_keys) {
    out << listed_keys(platform, arguments, keys);
    return 0;
  }
  if (arguments.json_schema) {
    out << keys.json_schema("configuration of " + platform.name + " " + version_text).dump(2) << '\n';
    return 0;
  }
  read_configuration(keys, arguments, platform);
  if (arguments.print_config) {
    out << (arguments.printed_keys == "all" ? resolved_text(platform, keys, config::absolute)
                                            : changed_text(platform, keys));
    return 0;
  }
  if (arguments.estimate) {
    keys.check([&] { out << estimate_text(platform.estimate(), system_memory()); });
    return 0;
  }
  options.quiet = arguments.quiet;
  options.threads = arguments.threads;
  const OwnOption* own = chosen_option(arguments);
  options.with = options_with(arguments);
  if (own != nullptr && own->what->print)
    return print_own(platform, arguments, *own, options, keys, out, err);
  read_record_options(arguments, options);
  return run_checked(platform, arguments, own, options, keys, out, err);
}

}  // namespace

void RunOptions::check_interruption(observe::Results& results) const {
  if (interruption->signal() == 0) return;
  results.ended_by(interruption->name());
  throw Interrupted();
}

std::function<void(double)> RunOptions::building() const {
  progress->begin("building");
  return [bar = progress](double share) {
    if (share < 1)
      bar->update(share);
    else
      bar->begin("");
  };
}

std::unique_ptr<observe::Wave> RunOptions::open_wave(const std::string& name,
                                                     observe::Results& results) const {
  if (!record_waves) return nullptr;
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

std::unique_ptr<observe::PacketRecords> RunOptions::open_packet_records(
    const std::vector<std::string>& parts, const ClockPeriod& period, observe::Results& results,
    const std::vector<std::string>& classes) const {
  if (!record_packets) return nullptr;
  results.file("packets.csv", "a line for every packet");
  const CycleWindow window = record_cycles(period);
  observe::PacketRecordsConfig config;
  config.path = file("packets.csv");
  config.parts = parts;
  config.classes = classes;
  config.first_cycle = window.first;
  config.last_cycle = window.last;
  return std::make_unique<observe::PacketRecords>(config);
}

std::unique_ptr<observe::RunLog> RunOptions::open_run_log(const std::vector<observe::LogModules>& modules,
                                                          const ClockPeriod& period,
                                                          observe::Results& results) const {
  if (!log_selection) return nullptr;
  const std::string name = log_format == observe::LogFormat::json ? "log.jsonl" : "log.txt";
  results.file(name, "events of the run, a line each");
  const CycleWindow window = record_cycles(period);
  return std::make_unique<observe::RunLog>(
      observe::RunLogConfig{*log_selection, log_format, window.first, window.last, modules},
      std::make_unique<LogFile>(file(name)));
}

namespace {

/// Output of --check-runs for a command line, with identity_words() instead of the identity. Sets the
/// configuration.
nlohmann::ordered_json answer(const Platform& platform, const std::vector<std::string>& words) {
  std::vector<const char*> argv = {platform.name.c_str()};
  for (const std::string& word : words) argv.push_back(word.c_str());
  Arguments arguments;
  RunOptions options;
  config::KeyTable keys;
  try {
    if (const auto end = read_arguments(static_cast<int>(argv.size()), argv.data(), arguments, platform))
      return {{"refused", printable_lines(end->problem, most_said_bytes)}, {"key", ""}};
    add_keys(platform, options, keys);
    read_configuration(keys, arguments, platform);
    read_record_options(arguments, options);
    const OwnOption* const own = chosen_option(arguments);
    nlohmann::ordered_json answer = {{"identity", identity_words(arguments, own)}, {"config", keys.json()}};
    if (own != nullptr && own->what->prints_json) {
      std::ostringstream printed, said;
      options.resolved_keys = &answer["config"];
      print_own(platform, arguments, *own, options, keys, printed, said);
      answer["printed"] = nlohmann::ordered_json::parse(printed.str());
    }
    return answer;
  } catch (const ConfigError& error) {
    return {{"refused", error.what()}, {"key", error.key()}};
  }
}

int check_runs(const Platform& platform, const std::string& path, std::ostream& out) {
  KeptNames names(platform.name);
  const auto answer_words = [&](const std::vector<std::string>& words) {
    return platform.another ? answer(platform.another(), words) : answer(platform, words);
  };
  const auto name = [&](nlohmann::ordered_json& answer) {
    if (answer.contains("identity")) answer["identity"] = names.of(answer["config"], answer["identity"]);
  };
  std::ifstream file;
  if (path != "-") file.open(path);
  if (path != "-" && !file.is_open())
    throw ConfigError("--check-runs", path, std::string("cannot be read: ") + std::strerror(errno),
                      "a file of command lines, or - for stdin");
  answer_command_lines(path == "-" ? std::cin : file, out, answer_words, name,
                       platform.another ? CallsOfAnswer::in_this_process : CallsOfAnswer::in_copies);
  return 0;
}

/// The word after `option` on the command line, which may have been taken for the configuration file.
std::string word_after(const std::string& option, int argc, const char* const* argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string next = argv[i + 1];
    if (argv[i] == option && next.rfind("--", 0) != 0) return next;
  }
  return "VALUE";
}

/// For --rtl where the executable has no such option.
ConfigError no_rtl(const std::string& option) {
  if (TSUJI_VERILATED)
    return ConfigError(
        option, "", "no RTL is linked into this executable",
        "use the option with testbenches/network_bench, testbenches/cenju4_bench or an executable built "
        "by scripts/attach_rtl");
  return ConfigError(option, "", "no RTL is linked into this executable, and this build has no Verilator",
                     "use the option with testbenches/network_bench or testbenches/cenju4_bench of a build "
                     "with Verilator or "
                     "an executable built by scripts/attach_rtl");
}

/// Words of the command line that no option takes, with what to write.
ConfigError unexpected(const Platform& platform, const std::vector<std::string>& words, int argc,
                       const char* const* argv) {
  const std::string first = words.empty() ? "" : words.front();
  if (first.rfind("--", 0) != 0)
    return ConfigError("", first, "not expected",
                       "one configuration file, options of --help, --set KEY=VALUE");
  const std::size_t equals = first.find('=');
  const std::vector<config::Rename> renames = renames_of(platform);
  const std::string with_value =
      equals != std::string::npos ? first : first + "=" + word_after(first, argc, argv);
  for (const std::string& typed : {with_value, first.substr(0, equals)}) {
    const config::Rename* const rename = config::find_rename(renames, config::Rename::Kind::option, typed);
    if (rename != nullptr)
      return ConfigError(typed == with_value ? typed : first, "", rename->problem(), rename->now);
  }
  if (first.substr(0, equals) == "--rtl") return no_rtl(first);
  RunOptions options;
  config::KeyTable keys;
  add_keys(platform, options, keys);
  const std::string key =
      keys.probable_key(first.substr(2, equals == std::string::npos ? equals : equals - 2));
  const std::string value =
      equals != std::string::npos ? first.substr(equals + 1) : word_after(first, argc, argv);
  return ConfigError(
      first, "", "no such option",
      (keys.has_key(key) ? "--set " + key + "=" + value + ", or " : "") + "the options of --help");
}

int parsed_run(int argc, const char* const* argv, const Platform& platform, mpi::Ranks* ranks,
               std::ostream& out, std::ostream& err) {
  try {
    Arguments arguments;
    if (const auto end = read_arguments(argc, argv, arguments, platform)) {
      if (!end->no_words.empty()) throw unexpected(platform, end->no_words, argc, argv);
      out << end->out;
      err << printable_lines(end->err, most_said_bytes);
      return end->is_refusal ? bad_input : 0;
    }
    if (!arguments.check_runs.empty()) return check_runs(platform, arguments.check_runs, out);
    return checked_run(platform, arguments, ranks, out, err);
  } catch (const ConfigError& error) {
    err << platform.name << ": " << error.what() << '\n';
    return bad_input;
  } catch (const OutputError& error) {
    err << platform.name << ": " << error.what() << '\n';
    return model_failure;
  } catch (const mpi::RankLeft&) {
    throw;
  } catch (const std::exception& error) {
    err << platform.name << ": model failure: " << error.what() << '\n';
    return model_failure;
  }
}

/// The ranks of the launcher; null: one process. ConfigError for a platform that runs in one process.
std::unique_ptr<mpi::Ranks> join_ranks(const Platform& platform) {
  if (platform.ranks || !mpi::Ranks::launched()) return mpi::Ranks::join();
  throw ConfigError("mpirun", "", "this machine is not divided among ranks", "one process, without mpirun");
}

/// A run of this rank; the texts of all ranks but one are kept for the case that they fail.
mpi::Ranks::End run_rank(int argc, const char* const* argv, const Platform& platform, mpi::Ranks& ranks,
                         std::ostream& out, std::ostream& err) {
  std::ostringstream unread, said;
  mpi::Ranks::End end;
  try {
    end.exit_status = ranks.writes() ? parsed_run(argc, argv, platform, &ranks, out, err)
                                     : parsed_run(argc, argv, platform, &ranks, unread, said);
  } catch (const mpi::RankLeft& left) {
    end.exit_status = left.exit_status();
    end.for_another = true;
  }
  end.text = said.str();
  return end;
}

/// A run on all ranks. The failure of another rank is reported where this one has none of its own.
int run_ranks(int argc, const char* const* argv, const Platform& platform, mpi::Ranks& ranks,
              std::ostream& out, std::ostream& err) {
  const std::vector<mpi::Ranks::End> ends = ranks.leave(run_rank(argc, argv, platform, ranks, out, err));
  int status = 0;
  for (const mpi::Ranks::End& end : ends) status = std::max(status, end.exit_status);
  const mpi::Ranks::End& own = ends[ranks.own()];
  if (!ranks.writes() || (own.exit_status != 0 && !own.for_another)) return status;
  for (unsigned rank = 0; rank < ranks.count(); ++rank) {
    if (ends[rank].exit_status != bad_input && ends[rank].exit_status != model_failure) continue;
    if (ends[rank].for_another) continue;
    err << "rank " << rank << ": " << ends[rank].text;
    break;
  }
  return status;
}

int run_here(int argc, const char* const* argv, const Platform& platform, std::ostream& out,
             std::ostream& err) {
  try {
    const std::unique_ptr<mpi::Ranks> ranks = join_ranks(platform);
    if (ranks == nullptr) return parsed_run(argc, argv, platform, nullptr, out, err);
    return run_ranks(argc, argv, platform, *ranks, out, err);
  } catch (const ConfigError& error) {
    if (mpi::Ranks::launched_as() == 0) err << platform.name << ": " << error.what() << '\n';
    return bad_input;
  }
}

}  // namespace

int run_platform(int argc, const char* const* argv, const Platform& platform, std::ostream& out,
                 std::ostream& err) {
  const int status = run_here(argc, argv, platform, out, err);
  errno = 0;
  out.flush();
  if (out) return status;
  // A list that is cut off must not be taken for a whole one.
  err << platform.name << ": standard output " << write_problem(errno) << '\n';
  return status == 0 ? model_failure : status;
}

std::string executable_name(int argc, const char* const* argv, const std::string& otherwise) {
  const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "";
  return name.empty() ? otherwise : name;
}

int run_platform(int argc, const char* const* argv, const Platform& platform) {
  return run_platform(argc, argv, platform, std::cout, std::cerr);
}

}  // namespace tsuji::platform
