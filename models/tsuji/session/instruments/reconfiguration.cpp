// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/reconfiguration_metrics.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Episodes in which routers change their tables, and the faults that made them.
class ReconfigurationCost final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return run.reconfiguration != nullptr; }
  explicit ReconfigurationCost(const WatchedRun& run) : reconfiguration_(*run.reconfiguration) {}
  void report(const RunEnd& end, observe::Results& results) override {
    instruments::add_reconfiguration(results, reconfiguration_, end.cycles);
  }
  void show(observe::Results& results) override {
    results.show("reconfigurations", "reconfigurations");
    results.show("unsettled_cycles", "  with suspended routers");
    results.show("suspended_share", "  share of a router's time");
  }

 private:
  const network::Reconfiguration& reconfiguration_;
};

}  // namespace

void add_reconfiguration(InstrumentTable& table) {
  add_instrument<ReconfigurationCost>(table);
}

}  // namespace tsuji::session
