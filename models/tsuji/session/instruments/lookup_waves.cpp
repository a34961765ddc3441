// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/lookup_waves.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Hits and misses at each input port.
class LookupSignals final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return run.wave != nullptr && run.loaded.lookup() != nullptr; }
  explicit LookupSignals(const WatchedRun& run)
      : waves_({*run.loaded.lookup(), run.loaded.network().topology(), run.loaded.domain(), *run.wave,
                *run.followed, run.options.record_cycles(run.loaded.domain().period()).last},
               run.config.watch.routers) {}

 private:
  instruments::LookupWaves waves_;
};

}  // namespace

void add_lookup_waves(InstrumentTable& table) {
  add_instrument<LookupSignals>(table);
}

}  // namespace tsuji::session
