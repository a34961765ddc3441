// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Reports congestion control: packets held back at their sources, marks, and windows.
class Congestion final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return run.config.machine.congestion.on(); }
  explicit Congestion(const WatchedRun& run)
      : loaded_(run.loaded), marks_(run.config.machine.congestion.acknowledges()) {}
  void report(const RunEnd&, observe::Results& results) override {
    const traffic::CongestionCounts counts = loaded_.accounts().congestion();
    results.metric("packets_held_back", counts.held_back, "packets");
    if (!marks_) return;
    results.metric("packets_marked", loaded_.network().counters().marks, "packets");
    results.metric("acknowledgements", counts.acks_taken, "packets");
    results.metric("marked_acknowledgements", counts.marks_taken, "packets");
    results.metric("window_halvings", counts.halvings, "");
  }
  void show(observe::Results& results) override {
    results.show("packets_held_back", "packets held back at sources");
    if (!marks_) return;
    results.show("packets_marked", "  marked by routers");
    results.show("window_halvings", "  halvings of windows");
  }

 private:
  const network::LoadedNetwork& loaded_;
  const bool marks_;
};

}  // namespace

void add_congestion(InstrumentTable& table) {
  add_instrument<Congestion>(table);
}

}  // namespace tsuji::session
