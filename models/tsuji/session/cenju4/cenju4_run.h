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
  instruments::CrosspointUseConfig use;
  std::vector<unsigned> wave_lines = {0, 1, 4, 16, 63};  ///< in a waveform; none: all
};

/// Configuration of a run of a Cenju-4 machine or of its network alone, with the tables of kinds that its
/// keys choose from.
struct Cenju4RunConfig {
  static constexpr const char* synthetic = "synthetic";  ///< the workload that has no nodes

  machines::Cenju4Config machine;
  Cenju4Workloads workloads = cenju4_workloads();
  std::string kind = "demo";  ///< a word of `workloads`, or `synthetic`
  NetworkAlone load;          ///< of synthetic
  Cenju4WatchConfig watch;

  /// Binds the keys of all members.
  void add_keys(config::KeyTable& keys);
  void resolve_and_validate();  ///< throws ConfigError
  /// ConfigError where there is no load to sweep.
  void check_sweep(std::uint64_t seed) const;
  platform::MachineEstimate estimate() const;

 private:
  void add_workload_keys(config::KeyTable& keys);
  void add_uses(config::KeyTable& keys) const;
};

/// Makes the machine and calls `look` while it is there, without a run; elaboration has not ended.
void build_cenju4(const Cenju4RunConfig& config, const platform::RunOptions& options,
                  const std::function<void()>& look);

/// Makes the machine, runs it, and fills in the results. Throws ConfigError for bad input, anything else for
/// a model failure.
void run_cenju4(const Cenju4RunConfig& config, const platform::RunOptions& options,
                observe::Results& results);

}  // namespace tsuji::session
