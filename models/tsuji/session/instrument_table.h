// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"
#include "tsuji/session/instrument.h"

namespace tsuji::session {

/// Row of the table of instruments: the instrument's keys, and a factory.
class InstrumentKind {
 public:
  virtual ~InstrumentKind() = default;
  /// Adds the keys of the instrument.
  virtual void add_keys(config::KeyTable&) {}
  /// ConfigError for keys that do not fit the topology.
  virtual void validate_with(const graph::Topology&) const {}
  /// Modules about which the instrument writes lines in a log.
  virtual std::vector<observe::LogModules> log_modules(const NetworkRunConfig&,
                                                       const graph::Topology&) const {
    return {};
  }
  /// Metrics of the instrument that are columns in the table of a sweep, with their units.
  virtual std::vector<observe::ResultTable::Column> sweep_columns() const { return {}; }
  /// Returns true if the instrument is called for each delivery; deliveries must then be in order, which
  /// costs time.
  virtual bool sees_deliveries(const platform::RunOptions&) const { return false; }
  /// Returns true if the instrument sees single flits, or counts of them before the end of a packet, or uses
  /// modules or channels of the network: routers must then handle flits (LoadedParts::flits_are_observed),
  /// each in a module.
  virtual bool sees_flits(const platform::RunOptions&) const { return false; }
  /// Returns true if routers must count waits (LoadedParts::counts_waits).
  virtual bool counts_waits(const platform::RunOptions&) const { return false; }
  /// Returns true if no other instrument that sees flits or deliveries is made: the run is part of a larger
  /// one, which has them.
  virtual bool alone(const platform::RunOptions&) const { return false; }
  /// Makes the instrument for a run; null if there is nothing to watch in this run.
  virtual std::unique_ptr<Instrument> make(const WatchedRun& run) const = 0;
};

/// All instruments of a run, in the order in which they add signals and report.
using InstrumentTable = std::vector<std::unique_ptr<InstrumentKind>>;

/// Returns the instruments that CMakeLists.txt lists.
InstrumentTable instrument_table();

/// Row of an instrument without keys, which is made in every run with I::watches(run).
template <class I>
class KeylessInstrument final : public InstrumentKind {
  std::unique_ptr<Instrument> make(const WatchedRun& run) const override {
    if (!I::watches(run)) return nullptr;
    return std::make_unique<I>(run);
  }
};

/// Adds an instrument without keys to the table.
template <class I>
void add_instrument(InstrumentTable& table) {
  table.push_back(std::make_unique<KeylessInstrument<I>>());
}

}  // namespace tsuji::session
