// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/observe/packet_records.h"
#include "tsuji/observe/progress_bar.h"
#include "tsuji/observe/run_log.h"
#include "tsuji/observe/wave_file.h"
#include "tsuji/platform/interruption.h"
#include "tsuji/platform/log.h"
#include "tsuji/platform/machine_estimate.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {

/// Keys of a configuration with numbers.
using KeyValues = std::vector<std::pair<std::string, observe::Value>>;

/// Options of the command line beside the configuration.
struct RunOptions {
  std::uint64_t seed = 1;
  MemoryLimit memory;
  std::string out_dir;  ///< exists and can be written; becomes the output folder when the run has ended
  bool record_waves = false;
  bool record_packets = false;
  observe::WaveFileFormat wave_format = observe::default_wave_format();
  observe::WaveWindow record_window;                   ///< of the waveform, of packet records and of the log
  std::optional<observe::LogSelection> log_selection;  ///< none: no log of the run
  observe::LogFormat log_format = observe::LogFormat::text;
  bool quiet = false;
  std::shared_ptr<const Log> log;            ///< warnings, to stderr
  observe::ProgressBar* progress = nullptr;  ///< never null in a run; silent where nobody watches

  const Interruption* interruption = nullptr;  ///< never null in a run

  /// With --runs the folder of a run of this configuration with other values of keys, empty without.
  std::function<std::string(const KeyValues&)> kept_folder;

  /// Values of options that go with the platform's own one (PlatformOption::goes_with), by name.
  std::map<std::string, std::string> with;
  /// Value of one of them; empty where it was not given.
  std::string of_option(const std::string& name) const {
    const auto found = with.find(name);
    return found == with.end() ? "" : found->second;
  }

  /// Shows the building of a machine: a function of the share that is built. At 1 the run begins.
  std::function<void(double share)> building() const;

  std::string file(const std::string& name) const { return out_dir + "/" + name; }
  /// Between two slices of a run, so that it ends soon after a signal: throws Interrupted, and the results
  /// are partial. A platform that catches it adds what it has to the results, closes its files and throws it
  /// on.
  void check_interruption(observe::Results& results) const;
  /// The waveform out_dir/`name`.{fst,vcd} with its .gtkw, or null without --waves; lists both in the
  /// results.
  std::unique_ptr<observe::Wave> open_wave(const std::string& name, observe::Results& results) const;
  /// OUT/packets.csv, listed in the results, or null without --records. `parts`: of every latency.
  std::unique_ptr<observe::PacketRecords> open_packet_records(const std::vector<std::string>& parts,
                                                              const ClockPeriod& period,
                                                              observe::Results& results) const;
  /// OUT/log.txt or OUT/log.jsonl, listed in the results, or null without --log. Its modules are checked
  /// before (LogSelection::check).
  std::unique_ptr<observe::RunLog> open_run_log(const std::vector<observe::LogModules>& modules,
                                                const ClockPeriod& period, observe::Results& results) const;
  /// The cycles of a clock from time 0 that begin within record_window.
  struct CycleWindow {
    Cycle first = 0, last = never;
  };
  CycleWindow record_cycles(const ClockPeriod& period) const;
};

/// An option of a platform's own that says what to do in the place of a run, of which at most one is given,
/// or one that goes with such an option.
struct PlatformOption {
  std::string name;        ///< with its dashes
  std::string value_name;  ///< for --help; empty: the option takes no value; in brackets: it may be left out
  std::string meaning;     ///< one line for --help
  /// Prints and stops, like --list-keys: nothing is written. Returns the exit status.
  std::function<int(const std::string& value, const RunOptions&, std::ostream& out)> print;
  /// print() builds the machine, which is refused where a run would be for its memory.
  bool builds = false;
  /// Or runs where Platform::run would, with its output folder, results and errors.
  std::function<void(const std::string& value, const RunOptions&, observe::Results&)> run;
  /// The run goes on with folders that one of the same configuration, killed before its end, has left in
  /// out_dir.
  bool goes_on = false;
  std::string goes_with;        ///< name of the option that this one changes; empty: it stands alone
  bool decides_results = true;  ///< of an option that goes with another: two values have different results
};

/// An option that sets a key, as --seed does.
struct KeyOption {
  std::string name;        ///< with its dashes
  std::string key;         ///< without a value on the command line it has the file's or its default
  std::string value_name;  ///< for --help
  std::string meaning;     ///< one line for --help
};

/// Description of a machine's executable. All members refer to one configuration struct of the caller's.
struct Platform {
  std::string name;         ///< of the executable and its default output folder
  std::string description;  ///< one line for --help
  std::function<void(config::KeyTable&)> add_keys;
  std::function<void()> resolve;   ///< derives keys from others, before all checks; may be empty
  std::function<void()> validate;  ///< checks across fields; throws ConfigError with the key
  /// What the machine takes, computed before it is built; may be empty. Runs that are refused for it, and the
  /// key limits.memory_gib, follow from it.
  std::function<MachineEstimate()> estimate;
  /// False where a run is not estimated first, as that reads what can be read once; empty: never.
  std::function<bool()> estimates_runs;
  /// Elaborates, runs, and fills in the results. Throws ConfigError for bad input, anything else for a model
  /// failure.
  std::function<void(const RunOptions&, observe::Results&)> run;
  std::vector<PlatformOption> options;
  std::vector<KeyOption> key_options;
  /// It takes --log: `run` checks the modules, and opens RunOptions::open_run_log().
  bool logs = false;
  /// The ten keys that most configurations set; `--list-keys WORD` lists those of them that it finds first.
  std::vector<std::string> leading_keys;
  /// Names of before of the platform's own keys, values and options; the library's are known without.
  std::vector<config::Rename> renames;
};

/// The whole of a platform's main: parses, reads the configuration, runs, writes OUT/resolved.yaml and
/// OUT/result.json and prints the table. Adds the key `seed` and the metric `wall_seconds` to the platform's
/// own.
///
/// With --runs DIR the output folder is DIR/NAME-IDENTITY (RunIdentity). A run that has ended there is not
/// run again: its end is this run's, a model failure too. One that is under way is waited for.
///
/// With --check-runs FILE ("-": stdin) it answers command lines and runs nothing: a JSON array of words a
/// line, to which the answer is {"identity", "config"}, or {"refused"} with what the run would say, and
/// {"key"}.
///
/// Returns the exit status: 0, 1 for a model failure or output that cannot be written, 2 for bad input,
/// 130 and 143 for a run that SIGINT or SIGTERM has ended.
int run_platform(int argc, const char* const* argv, const Platform& platform);
/// run_platform() with streams in the place of stdout and stderr.
int run_platform(int argc, const char* const* argv, const Platform& platform, std::ostream& out,
                 std::ostream& err);

/// The name by which the shell found the executable, without its folder.
std::string executable_name(int argc, const char* const* argv, const std::string& otherwise);

/// "FROM:TO" in ns with at most three decimals; an end left out is the run's. ConfigError for anything else.
observe::WaveWindow parse_window(const std::string& text);

}  // namespace tsuji::platform
