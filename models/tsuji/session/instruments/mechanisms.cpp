// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/mechanism_ledger.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Events of each mechanism, and the cycles that they cost or saved.
class Mechanisms final : public Instrument {
 public:
  static bool watches(const WatchedRun&) { return true; }
  explicit Mechanisms(const WatchedRun& run) : run_(run) {}
  void report(const RunEnd&, observe::Results& results) override {
    instruments::add_mechanisms(results, run_.loaded, run_.config.machine);
  }

 private:
  const WatchedRun& run_;
};

}  // namespace

void add_mechanisms(InstrumentTable& table) {
  add_instrument<Mechanisms>(table);
}

}  // namespace tsuji::session
