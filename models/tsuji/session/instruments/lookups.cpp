// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Accesses, hits, misses and energy of the switches' look-up hardware.
class Lookups final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return run.loaded.lookup() != nullptr; }
  explicit Lookups(const WatchedRun& run) : run_(run) {}
  void report(const RunEnd& end, observe::Results& results) override {
    run_.loaded.lookup()->add_to(results, end.cycles, run_.loaded.domain().period());
  }
  void show(observe::Results& results) override {
    const lookup::LookupConfig& lookup = run_.config.machine.lookup;
    if (lookup.has_caches() && lookup.kind != "ideal")
      results.show("lookup_hit_rate", "look-ups that hit, share");
    results.show("lookup_power_mw_per_switch", "power of look-ups, a switch");
  }

 private:
  const WatchedRun& run_;
};

}  // namespace

void add_lookups(InstrumentTable& table) {
  add_instrument<Lookups>(table);
}

}  // namespace tsuji::session
