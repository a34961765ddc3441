// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/measured_load.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Latencies in ns, and the counters of routers.
class Counters final : public Instrument {
 public:
  static bool watches(const WatchedRun&) { return true; }
  explicit Counters(const WatchedRun& run) : run_(run) {}
  void report(const RunEnd& end, observe::Results& results) override {
    platform::add_latency_ns(end.metrics, run_.loaded.domain().period(), results);
    const router::RouterCounters counters = run_.loaded.network().counters();
    results.metric("packets_born", run_.loaded.accounts().packets_born(), "packets");
    results.metric("flits_killed", counters.killed_flits, "flits");
    results.metric("heads_timed_out", counters.timeouts, "heads");
    if (run_.config.machine.network.router.hop_limit != 0)
      results.metric("heads_over_hop_limit", counters.over_hop_limit, "heads");
  }

 private:
  const WatchedRun& run_;
};

}  // namespace

void add_counters(InstrumentTable& table) {
  add_instrument<Counters>(table);
}

}  // namespace tsuji::session
