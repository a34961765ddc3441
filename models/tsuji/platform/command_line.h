// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/mpi/ranks.h"
#include "tsuji/observe/packet_records.h"
#include "tsuji/observe/progress_bar.h"
#include "tsuji/observe/run_log.h"
#include "tsuji/observe/wave_file.h"
#include "tsuji/platform/interruption.h"
#include "tsuji/platform/log.h"
#include "tsuji/platform/machine_estimate.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {

/// Keys and their values.
using KeyValues = std::vector<std::pair<std::string, observe::Value>>;

/// Options of a run that are not keys of the configuration.
struct RunOptions {
  std::uint64_t seed = 1;  ///< Seed of all random numbers of the run (`--seed`).
  MemoryLimit memory;      ///< Memory that the machine may take (`limits.memory_gib`).
  std::string out_dir;     ///< Folder for output files; exists and is writable. It replaces the output folder
                           ///< when the run ends.
  /// Another rank writes the files: file() has no effect here.
  bool writes_no_files = false;
  bool record_waves = false;                                             ///< `--waves` was given.
  bool record_packets = false;                                           ///< `--records` was given.
  bool report = false;                                                   ///< `--report` was given.
  observe::WaveFileFormat wave_format = observe::default_wave_format();  ///< Format of waveforms, fst or vcd.
  observe::WaveWindow record_window;  ///< Time window of the waveform, of packet records and of the log.
  /// Modules and levels of the log; empty: no log is written.
  std::optional<observe::LogSelection> log_selection;
  observe::LogFormat log_format = observe::LogFormat::text;  ///< Format of the log, text or JSON lines.
  unsigned threads = 1;            ///< Threads that simulate the machine; no result depends on their number.
  mpi::Ranks* ranks = nullptr;     ///< Ranks that simulate the machine together; null: one process.
  bool quiet = false;              ///< `--quiet` was given.
  std::shared_ptr<const Log> log;  ///< Receives warnings and writes them to stderr.
  /// Never null during a run; prints nothing if stderr is no terminal.
  observe::ProgressBar* progress = nullptr;

  const Interruption* interruption = nullptr;  ///< Never null during a run.

  /// All keys with their values while --check-runs answers a command line; else null.
  const nlohmann::ordered_json* resolved_keys = nullptr;

  /// With --runs: returns the folder of the run of this configuration with the given values of keys. Empty
  /// without --runs.
  std::function<std::string(const KeyValues&)> kept_folder;

  /// During a run: returns the next cycle at which a slice of the run must end; empty: slices end anywhere.
  std::function<Cycle()> next_stop;

  /// Values of the options that modify the platform's chosen option (PlatformOption::goes_with), by name.
  std::map<std::string, std::string> with;
  /// Value of an option in `with`; empty if the option was not given.
  std::string of_option(const std::string& name) const {
    const auto found = with.find(name);
    return found == with.end() ? "" : found->second;
  }

  /// Returns a function that shows the progress of building a machine; `share` is the part built, and 1
  /// starts the run.
  std::function<void(double share)> building() const;

  /// Path of file `name` in the output folder.
  std::string file(const std::string& name) const {
    return writes_no_files ? "/dev/null" : out_dir + "/" + name;
  }
  /// Throws Interrupted if a signal has been received, and marks the results as partial. Call it between two
  /// slices of a run, so that the run ends soon after the signal. A platform that catches Interrupted adds
  /// the results so far, closes its files and rethrows.
  void check_interruption(observe::Results& results) const;
  /// Opens the waveform out_dir/`name`.{fst,vcd} with its .gtkw and lists both in the results. Returns null
  /// without --waves.
  std::unique_ptr<observe::Wave> open_wave(const std::string& name, observe::Results& results) const;
  /// Opens OUT/packets.csv and lists it in the results. Returns null without --records.
  /// `parts` names the components of a latency.
  std::unique_ptr<observe::PacketRecords> open_packet_records(
      const std::vector<std::string>& parts, const ClockPeriod& period, observe::Results& results,
      const std::vector<std::string>& classes = {}) const;
  /// Opens OUT/log.txt or OUT/log.jsonl and lists it in the results. Returns null without --log. The
  /// selection has been checked against the modules before (LogSelection::check()).
  std::unique_ptr<observe::RunLog> open_run_log(const std::vector<observe::LogModules>& modules,
                                                const ClockPeriod& period, observe::Results& results) const;
  /// Cycles of a clock, counted from time 0, that begin within record_window.
  struct CycleWindow {
    Cycle first = 0,   ///< First cycle.
        last = never;  ///< Last cycle, within the window.
  };
  /// Returns the cycles of a clock of this period that begin within record_window.
  CycleWindow record_cycles(const ClockPeriod& period) const;
};

/// An option that a platform adds. It either selects an action instead of a run, of which a command line
/// names at most one, or modifies such an option.
struct PlatformOption {
  std::string name;        ///< Name with its dashes.
  std::string value_name;  ///< Name of the value for --help; empty: the option takes no value; in brackets:
                           ///< the value is optional.
  std::string meaning;     ///< one line for --help
  /// Action that prints and stops, like --list-keys, and writes no file. Returns the exit status.
  std::function<int(const std::string& value, const RunOptions&, std::ostream& out)> print;
  /// print() prints a JSON document; an answer of --check-runs contains it as `printed`.
  bool prints_json = false;
  /// print() builds the machine; it is refused if the machine exceeds the memory limit of a run.
  bool builds = false;
  /// Action that replaces Platform::run, with the output folder, results and errors of a run.
  std::function<void(const std::string& value, const RunOptions&, observe::Results&)> run;
  /// The action reuses subfolders of out_dir that a killed run of this configuration has left.
  bool goes_on = false;
  /// Name of the option that this one modifies; empty: the option can be given alone.
  std::string goes_with;
  bool decides_results = true;  ///< Modifiers only: results depend on the value of this option.
};

/// An option that sets a key, as --seed does.
struct KeyOption {
  std::string name;  ///< Name with its dashes.
  std::string key;   ///< The key that is set. If the option is not given, the key keeps the value of the file
                     ///< or its default.
  std::string value_name;  ///< Name of the value for --help.
  std::string meaning;     ///< One line for --help.
};

/// Description of a machine's executable. All functions refer to one configuration struct that the caller
/// owns.
struct Platform {
  std::string name;         ///< Name of the executable and of its default output folder.
  std::string description;  ///< one line for --help
  /// Adds the machine's keys.
  std::function<void(config::KeyTable&)> add_keys;
  std::function<void()> resolve;   ///< Derives keys from other keys before all checks; may be empty.
  std::function<void()> validate;  ///< Checks across fields; throws ConfigError with the key.
  /// Estimates the machine's memory and time before it is built; may be empty. The memory limit (key
  /// limits.memory_gib) needs it.
  std::function<MachineEstimate()> estimate;
  /// Returns false if no estimate precedes a run because the estimate would consume an input that can be read
  /// only once. An empty function counts as true.
  std::function<bool()> estimates_runs;
  /// Elaborates and simulates the machine and fills in the results. Throws ConfigError for bad input, any
  /// other exception for a failure of a model.
  std::function<void(const RunOptions&, observe::Results&)> run;
  std::vector<PlatformOption> options;  ///< Options besides those of all platforms.
  std::vector<KeyOption> key_options;   ///< Options that set a key.
  /// The platform accepts --log: `run` checks the selection against its modules and opens
  /// RunOptions::open_run_log().
  bool logs = false;
  /// The platform accepts --threads: `run` simulates the machine on RunOptions::threads threads.
  bool threads = false;
  /// The platform runs on several ranks: `run` simulates the machine together with RunOptions::ranks. Others
  /// refuse a launcher.
  bool ranks = false;
  /// The ten keys that most configurations set; `--list-keys WORD` lists them first among its matches.
  std::vector<std::string> leading_keys;
  /// Old names of the platform's own keys, values and options. Renames of the library apply in addition.
  std::vector<config::Rename> renames;
  std::shared_ptr<const void> owned;  ///< configuration struct of a platform that another() made
  /// Makes this platform with a new configuration struct, for one command line of --check-runs. Empty: each
  /// command line is answered in a forked copy of the process, which takes several times as long.
  std::function<Platform()> another;
};

/// Implements main() of a platform: parses the command line, reads the configuration, runs, writes
/// OUT/resolved.yaml and OUT/result.json and prints the table. Adds the key `seed` and the metric
/// `wall_seconds` to those of the platform.
///
/// With --runs DIR the output folder is DIR/NAME-IDENTITY (RunIdentity). A run that has ended there is not
/// repeated: its outcome, including a model failure, is the outcome of this run. A run in progress there is
/// waited for.
///
/// With --check-runs FILE ("-": stdin) it checks command lines and runs nothing. Each line of FILE is a JSON
/// array of words. The answer is {"identity", "config"}, or {"refused"} with the message of the refused run,
/// and {"key"}.
///
/// Returns the exit status: 0, 1 for a model failure or output that cannot be written, 2 for bad input, 130
/// or 143 for a run that SIGINT or SIGTERM has ended.
int run_platform(int argc, const char* const* argv, const Platform& platform);
/// run_platform() with streams instead of stdout and stderr.
int run_platform(int argc, const char* const* argv, const Platform& platform, std::ostream& out,
                 std::ostream& err);

/// Base name of the executable as the shell called it; `otherwise` if argv is empty.
std::string executable_name(int argc, const char* const* argv, const std::string& otherwise);

/// Parses "FROM:TO" in ns with at most three decimals; an omitted end is that of the run. Throws ConfigError
/// for anything else.
observe::WaveWindow parse_window(const std::string& text);

}  // namespace tsuji::platform
