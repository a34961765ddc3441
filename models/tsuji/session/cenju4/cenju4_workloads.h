// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/config/kinds.h"
#include "tsuji/machines/cenju4/cenju4_config.h"

namespace tsuji::session {

class Cenju4Phases;

/// Programs that the nodes of a Cenju-4 machine run one after the other. The members of a derived class are
/// its parameters.
///
/// Contract: add_keys() before the configuration is read, validate_with() after it; then place(), before the
/// machine is made, and play(), once each.
class Cenju4Workload {
 public:
  virtual ~Cenju4Workload() = default;
  /// Adds the keys workload.*.
  virtual void add_keys(config::KeyTable&) {}
  /// ConfigError for parameters that do not fit the machine.
  virtual void validate_with(const machines::Cenju4Config&) const {}
  /// Reads the workload's files, and places its jobs on nodes. ConfigError.
  virtual void place(machines::Cenju4Config&) {}
  /// Runs the phases, and adds their measurements to the results.
  virtual void play(Cenju4Phases& phases) = 0;
};

/// Properties of a value of `workload.kind`.
struct Cenju4WorkloadTraits {
  static constexpr const char* selector = "workload.kind";    ///< Key that selects the workload.
  static constexpr const char* unknown = "no such workload";  ///< Refusal of an unknown value.
  std::string text = "a workload of this project";            ///< meaning of the word in --list-keys
  /// Keys of the machine that have no effect unless a workload reads them; those that any row lists.
  std::vector<std::string> reads;
};

/// All workloads of a machine by their value of `workload.kind`.
using Cenju4Workloads = config::Kinds<Cenju4WorkloadTraits, std::unique_ptr<Cenju4Workload>>;

/// Returns the workloads that CMakeLists.txt lists.
Cenju4Workloads cenju4_workloads();

/// Row of the table for workload W.
template <class W>
struct Cenju4WorkloadRow {
  W workload;  ///< The workload with its parameters; make() copies it.
  /// Adds the keys of the workload.
  void add_keys(config::KeyTable& keys) { static_cast<Cenju4Workload&>(workload).add_keys(keys); }
  /// Makes a copy of the workload with the configured parameters.
  std::unique_ptr<Cenju4Workload> make() const { return std::make_unique<W>(workload); }
};

/// Adds workload W, which is copyable and holds its defaults.
template <class W>
void add_workload(Cenju4Workloads& kinds, const std::string& word, const Cenju4WorkloadTraits& traits = {}) {
  kinds.add<Cenju4WorkloadRow<W>>(word, traits);
}

}  // namespace tsuji::session
