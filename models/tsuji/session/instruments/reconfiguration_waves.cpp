// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/reconfiguration_waves.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Phase, root and fault region of each router whose tables change.
class ReconfigurationSignals final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return run.wave != nullptr && run.reconfiguration != nullptr; }
  explicit ReconfigurationSignals(const WatchedRun& run)
      : waves_(*run.reconfiguration, run.loaded.domain(), *run.wave, run.config.watch.routers) {}
  void begin() override { waves_.begin(); }

 private:
  instruments::ReconfigurationWaves waves_;
};

}  // namespace

void add_reconfiguration_waves(InstrumentTable& table) {
  add_instrument<ReconfigurationSignals>(table);
}

}  // namespace tsuji::session
