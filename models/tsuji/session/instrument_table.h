// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"
#include "tsuji/session/instrument.h"

namespace tsuji::session {

/// An instrument of the table, with its keys.
class InstrumentKind {
 public:
  virtual ~InstrumentKind() = default;
  virtual void add_keys(config::KeyTable&) {}
  /// ConfigError for keys that do not fit the topology.
  virtual void validate_with(const graph::Topology&) const {}
  /// Modules that the instrument writes lines about where there is a log.
  virtual std::vector<observe::LogModules> log_modules(const NetworkRunConfig&,
                                                       const graph::Topology&) const {
    return {};
  }
  /// Metrics of the instrument that are columns in the table of a sweep, with their units.
  virtual std::vector<observe::ResultTable::Column> sweep_columns() const { return {}; }
  /// The instrument is called for each delivery: such a run keeps the order of deliveries, which costs time.
  virtual bool sees_deliveries(const platform::RunOptions&) const { return false; }
  /// Null where there is nothing to watch.
  virtual std::unique_ptr<Instrument> make(const WatchedRun& run) const = 0;
};

/// All instruments of a run, in the order in which they add signals and report.
using InstrumentTable = std::vector<std::unique_ptr<InstrumentKind>>;

/// The instruments of CMakeLists.txt.
InstrumentTable instrument_table();

/// An instrument without keys that is made from the run in every run of which `I::watches(run)` is true.
template <class I>
class PlainInstrument final : public InstrumentKind {
  std::unique_ptr<Instrument> make(const WatchedRun& run) const override {
    if (!I::watches(run)) return nullptr;
    return std::make_unique<I>(run);
  }
};

/// Adds an instrument without keys.
template <class I>
void add_instrument(InstrumentTable& table) {
  table.push_back(std::make_unique<PlainInstrument<I>>());
}

}  // namespace tsuji::session
