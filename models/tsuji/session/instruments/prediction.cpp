// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/prediction_metrics.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Visits to routers that predict, and what they saved.
class Prediction final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return run.config.machine.network.router.prediction.on(); }
  explicit Prediction(const WatchedRun& run) : run_(run) {}
  void report(const RunEnd&, observe::Results& results) override {
    instruments::add_prediction(results, run_.loaded.network(), run_.config.watch.links.rows);
  }
  void show(observe::Results& results) override {
    results.show("prediction_hit_rate", "visits to routers predicted right, share");
  }

 private:
  const WatchedRun& run_;
};

}  // namespace

void add_prediction(InstrumentTable& table) {
  add_instrument<Prediction>(table);
}

}  // namespace tsuji::session
