// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/instruments/crosspoint_use.h"
#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/platform/machine_estimate.h"
#include "tsuji/results/results.h"
#include "tsuji/session/cenju4/cenju4_workloads.h"
#include "tsuji/session/cenju4/network_alone.h"

namespace tsuji::session {

/// Counters and waveforms of a run of a Cenju-4 machine.
struct Cenju4WatchConfig {
  instruments::CrosspointUseConfig use;  ///< Settings of the counters and waveforms of crosspoints.
  std::vector<unsigned> wave_lines = {0, 1, 4, 16, 63};  ///< lines shown in a waveform; empty: all

  /// Settings of a run, whose page draws all links (--report).
  instruments::CrosspointUseConfig use_of(const platform::RunOptions& options) const {
    instruments::CrosspointUseConfig settings = use;
    settings.links.csv = settings.links.csv || options.report;
    return settings;
  }
};

/// Configuration of a run of a Cenju-4 machine, or of its network alone, with the tables of kinds that its
/// keys select from.
struct Cenju4RunConfig {
  static constexpr const char* synthetic = "synthetic";  ///< the workload without nodes: the network alone

  machines::Cenju4Config machine;                  ///< The machine.
  Cenju4Workloads workloads = cenju4_workloads();  ///< Workloads by their value of workload.kind.
  std::string kind = "demo";                       ///< a value of `workloads`, or `synthetic`
  NetworkAlone load;                               ///< the network without nodes (workload.kind synthetic)
  Cenju4WatchConfig watch;                         ///< Counters and waveforms.

  /// Adds the keys of all members.
  void add_keys(config::KeyTable& keys);
  void resolve_and_validate();  ///< throws ConfigError
  /// ConfigError if there is no load to sweep.
  void check_sweep(std::uint64_t seed) const;
  /// Estimates the memory and time that the machine needs.
  platform::MachineEstimate estimate() const;

 private:
  void add_workload_keys(config::KeyTable& keys);
  void add_uses(config::KeyTable& keys) const;
};

/// Constructs the machine and calls look() before elaboration ends, without a run. ConfigError for bad input.
void build_cenju4(const Cenju4RunConfig& config, const platform::RunOptions& options,
                  const std::function<void()>& look);

/// Constructs the machine, runs it, and writes the results to `results`. ConfigError for bad input; any other
/// exception is a model failure.
void run_cenju4(const Cenju4RunConfig& config, const platform::RunOptions& options,
                observe::Results& results);

}  // namespace tsuji::session
