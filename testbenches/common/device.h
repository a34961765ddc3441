// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/pins.h"
#include "common/scoreboard.h"
#include "common/stimulus.h"

namespace tsuji::bench {

/// A module with signals at its pins.
struct Dut {
  PinList pins;
  std::unique_ptr<sc_core::sc_module> module;  // destroyed first: it is bound to the signals
};

using MakeDut = std::function<std::unique_ptr<Dut>(sc_core::sc_signal<bool>& clock)>;

/// A Module (a model with pins, or a Verilated twin) made of `arguments`, its ports bound as the pin table
/// `pins` lists them.
template <class Module, class Pins, class... Arguments>
MakeDut make_dut(const char* side, Pins pins, Arguments... arguments) {
  return [=](sc_core::sc_signal<bool>& clock) {
    auto dut = std::make_unique<Dut>(Dut{PinList(side, clock), nullptr});
    auto module = std::make_unique<Module>(side, arguments...);
    pins.list(*module, dut->pins);
    dut->module = std::move(module);
    return dut;
  };
}

/// A named device of the bench: one row of an executable's table.
struct Device {
  std::string name, what;
  MakeDut model, twin;  ///< no twin: an empty function
  std::function<std::unique_ptr<Stimulus>(const Drive&, std::uint64_t seed)> stimulus;
  std::vector<std::string> constant = {};  ///< outputs that must not change
  /// Makes a scoreboard from pin handles, for each side; empty: sides are compared without a scoreboard.
  std::function<std::unique_ptr<Scoreboard>(const Drive&)> scoreboard = {};
};

/// Replaces a Twin that does not exist yet.
struct NoTwin {};

/// A row of the table. Model and Twin are modules with ports of the names that the pin table has; the
/// stimulus is made of pin handles, seed and the same arguments as the model.
template <class Model, class Twin, class Driver, class Pins, class... Arguments>
Device device(const char* name, const char* what, Pins pins, Arguments... arguments) {
  MakeDut twin;
  if constexpr (!std::is_same_v<Twin, NoTwin>) twin = make_dut<Twin>("twin", pins);
  return {name,
          what,
          make_dut<Model>("model", pins, arguments...),
          std::move(twin),
          [=](const Drive& drive, std::uint64_t seed) -> std::unique_ptr<Stimulus> {
            return std::make_unique<Driver>(drive, seed, arguments...);
          },
          {},
          {}};
}

/// A row whose sides are judged by a Judge, made of pin handles and the same arguments as the model.
template <class Judge, class... Arguments>
Device judged(Device row, Arguments... arguments) {
  row.scoreboard = [=](const Drive& drive) -> std::unique_ptr<Scoreboard> {
    return std::make_unique<Judge>(drive, arguments...);
  };
  return row;
}

/// A row whose twin has a bug.
inline Device planted(Device row, const char* name, const char* bug) {
  row.name = name;
  row.what = bug;
  return row;
}

/// Alters a row of inputs or outputs.
using AlterPins = std::function<void(const Drive& pins, std::vector<std::uint64_t>& row)>;

/// A row whose model has errors at its inputs or outputs, which a scoreboard names. An empty function alters
/// nothing.
inline Device with_errors(Device row, const char* name, const char* bug, const AlterPins& inputs,
                          const AlterPins& outputs) {
  row.model = [make = std::move(row.model), inputs, outputs](sc_core::sc_signal<bool>& clock) {
    std::unique_ptr<Dut> dut = make(clock);
    const Drive pins(dut->pins);
    const auto at = [&pins](const AlterPins& alter) {
      using Row = std::vector<std::uint64_t>;
      return alter ? PinList::Alter([alter, pins](Row& values) { alter(pins, values); }) : PinList::Alter();
    };
    dut->pins.plant(at(inputs), at(outputs));
    return dut;
  };
  return planted(std::move(row), name, bug);
}

}  // namespace tsuji::bench
