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

/// One run of a machine: phases in which each rank runs a program, one after the other, with their waveforms
/// and counters.
class Cenju4Phases {
 public:
  Cenju4Phases(const machines::Cenju4Config& config, const Cenju4WatchConfig& watch,
               const platform::RunOptions& options, observe::Results& results);

  /// Modules of such a machine's log.
  static std::vector<observe::LogModules> log_modules(const machines::Cenju4Config& machine);

  /// The whole run. After a signal the phases that have ended are in the results, and the machine's counters
  /// up to then.
  void play(Cenju4Workload& workload);

  /// For workloads: `make` makes each rank's program of the phase `name`; `share` is the share of it that is
  /// done.
  void run(
      const std::string& name, const platform::Cenju4Job::MakeProgram& make,
      const std::function<double()>& share = [] { return 0.0; });
  /// A phase in which each rank runs a Program, made from the rank's runtime and `arguments`.
  template <class Program, class... Arguments>
  void run_programs(const std::string& name, const Arguments&... arguments) {
    run(name, [&](host::RankRuntime& runtime) { return std::make_unique<Program>(runtime, arguments...); });
  }
  /// A phase without programs: the machine starts.
  void run_boot();
  /// The waveform `name` from now on, unless all of the run is recorded. The machine is empty.
  void record_from_here(const std::string& name);
  /// Appends to the run's headline.
  void add_to_headline(const std::string& text) { headline_ += text; }

  machines::Cenju4Machine& machine() { return machine_; }
  const machines::Cenju4Config& config() const { return machine_.config(); }
  platform::Cenju4Job& job() { return job_; }  ///< of the machine's first placement
  template <class Program>
  const Program& program(unsigned rank) const {
    return job_.program<Program>(rank);
  }
  observe::Results& results() { return results_; }
  double us(Cycle cycles) const { return config().period().ns(cycles) / 1000.0; }
  double us_of(double cycles) const { return cycles * config().period().ns(1) / 1000.0; }
  /// A row of the table `phases`.
  void add_phase(const std::string& name, Cycle begin, Cycle end);

 private:
  bool records() const { return options_.record_waves || options_.record_packets; }
  void prepare();
  void open_log();
  /// Writes it up to now.
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
