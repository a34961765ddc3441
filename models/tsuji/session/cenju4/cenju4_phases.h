// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/instruments/crosspoint_log.h"
#include "tsuji/instruments/crosspoint_use.h"
#include "tsuji/instruments/crosspoint_waves.h"
#include "tsuji/machines/cenju4/cenju4_log.h"
#include "tsuji/machines/cenju4/cenju4_machine.h"
#include "tsuji/observe/wave.h"
#include "tsuji/platform/cenju4_job.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/results/results.h"
#include "tsuji/session/cenju4/cenju4_run.h"

namespace tsuji::session {

/// One run of a machine: a sequence of phases, in each of which every rank runs a program, with their
/// waveforms and counters.
///
/// Contract: play() once. The workload then calls run(), run_programs() or run_boot() for each phase, and
/// record_from_here() or add_phase() between phases.
class Cenju4Phases {
 public:
  /// Builds the machine and its first job. The arguments must outlive the object.
  Cenju4Phases(const machines::Cenju4Config& config, const Cenju4WatchConfig& watch,
               const platform::RunOptions& options, observe::Results& results);

  /// Modules of such a machine that write to a log.
  static std::vector<observe::LogModules> log_modules(const machines::Cenju4Config& machine);

  /// Runs the workload. After a signal the results contain the completed phases and the machine's counters up
  /// to then.
  void play(Cenju4Workload& workload);

  /// Runs phase `name`. `make` makes the program of each rank; share() returns the completed share of the
  /// phase, 0..1.
  void run(
      const std::string& name, const platform::Cenju4Job::MakeProgram& make,
      const std::function<double()>& share = [] { return 0.0; });
  /// Runs a phase in which each rank runs a Program, constructed from the rank's runtime and `arguments`.
  template <class Program, class... Arguments>
  void run_programs(const std::string& name, const Arguments&... arguments) {
    run(name, [&](host::RankRuntime& runtime) { return std::make_unique<Program>(runtime, arguments...); });
  }
  /// Runs a phase without programs, in which the machine starts.
  void run_boot();
  /// Starts the waveform `name` now, unless the whole run is recorded. The machine must be empty.
  void record_from_here(const std::string& name);
  /// Appends to the run's headline.
  void add_to_headline(const std::string& text) { headline_ += text; }

  /// The machine that runs.
  machines::Cenju4Machine& machine() { return machine_; }
  /// The machine's configuration.
  const machines::Cenju4Config& config() const { return machine_.config(); }
  platform::Cenju4Job& job() { return job_; }  ///< the machine's first job
  /// Program of a rank in the current phase; `Program` must be its class.
  template <class Program>
  const Program& program(unsigned rank) const {
    return job_.program<Program>(rank);
  }
  /// Results to which phases and measurements are added.
  observe::Results& results() { return results_; }
  /// Converts cycles of the machine's clock into microseconds.
  double us(Cycle cycles) const { return config().period().ns(cycles) / 1000.0; }
  /// Converts a mean number of cycles into microseconds.
  double us_of(double cycles) const { return cycles * config().period().ns(1) / 1000.0; }
  /// Adds a row to the table `phases`.
  void add_phase(const std::string& name, Cycle begin, Cycle end);

 private:
  bool records() const { return options_.record_waves || options_.record_packets; }
  void prepare();
  void open_log();
  /// Writes the log up to now, and closes it.
  void close_log();
  void open_wave(const std::string& name, observe::WaveWindow window);
  void close_and_report();
  void explain_failure() const;
  void report_nodes(const observe::NetworkMetrics& metrics);
  std::string headline() const;

  const Cenju4WatchConfig& watch_;
  const platform::RunOptions& options_;
  observe::Results& results_;
  machines::Cenju4Machine machine_;
  platform::Cenju4Job job_;
  observe::ResultTable& phases_;
  std::unique_ptr<observe::Wave> wave_;
  std::unique_ptr<instruments::CrosspointUse> use_;
  std::unique_ptr<instruments::CrosspointWaves> network_waves_;
  observe::SignalId phase_signal_ = 0;
  std::unique_ptr<observe::RunLog> log_;
  std::optional<instruments::CrosspointLog> network_log_;
  std::optional<machines::Cenju4Log> node_log_;
  std::string headline_;
};

}  // namespace tsuji::session
