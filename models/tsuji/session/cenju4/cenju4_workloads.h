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

/// Programs that the nodes of a Cenju-4 machine run one after the other. Its members are its parameters.
///
/// Contract: place() and play() once each, in this order.
class Cenju4Workload {
 public:
  virtual ~Cenju4Workload() = default;
  /// Binds workload.*.
  virtual void add_keys(config::KeyTable&) {}
  /// ConfigError for parameters that do not fit the machine.
  virtual void validate_with(const machines::Cenju4Config&) const {}
  /// Reads its files and gives its jobs nodes, before the machine is made. ConfigError.
  virtual void place(machines::Cenju4Config&) {}
  /// Runs its phases, and adds what they measured to the results.
  virtual void play(Cenju4Phases& phases) = 0;
};

struct Cenju4WorkloadTraits {
  static constexpr const char* selector = "workload.kind";
  static constexpr const char* unknown = "no such workload";
  std::string text = "a workload of this project";  ///< for --list-keys
  /// Keys of the machine that decide nothing unless a workload reads them: those that some row names.
  std::vector<std::string> reads;
};

/// Every workload of a machine by its word in `workload.kind`.
using Cenju4Workloads = config::Kinds<Cenju4WorkloadTraits, std::unique_ptr<Cenju4Workload>>;

/// The workloads of CMakeLists.txt.
Cenju4Workloads cenju4_workloads();

/// A workload as a row of the table.
template <class W>
struct Cenju4WorkloadRow {
  W workload;
  void add_keys(config::KeyTable& keys) { static_cast<Cenju4Workload&>(workload).add_keys(keys); }
  std::unique_ptr<Cenju4Workload> make() const { return std::make_unique<W>(workload); }
};

/// Adds a workload: a copyable W with its defaults.
template <class W>
void add_workload(Cenju4Workloads& kinds, const std::string& word, const Cenju4WorkloadTraits& traits = {}) {
  kinds.add<Cenju4WorkloadRow<W>>(word, traits);
}

}  // namespace tsuji::session
