// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/recovery_metrics.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Heads in recovery, reads of tables, and classes of timeouts.
class Recovery final : public Instrument {
 public:
  static bool watches(const WatchedRun&) { return true; }
  explicit Recovery(const WatchedRun& run) : run_(run) {}
  void report(const RunEnd&, observe::Results& results) override {
    if (run_.loaded.changes().routing_view(0).routing->recovery() != nullptr)
      instruments::add_recovery(results, run_.loaded.network());
    instruments::add_timeout_classes(results, run_.loaded);
  }

 private:
  const WatchedRun& run_;
};

}  // namespace

void add_recovery(InstrumentTable& table) {
  add_instrument<Recovery>(table);
}

}  // namespace tsuji::session
