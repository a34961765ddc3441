// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "tsuji/observe/busiest_rows.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Writes routers.csv, for a page: what prediction, look-ups and recovery have done in each router.
class RouterCounts final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) {
    const network::VcNetworkConfig& network = run.config.machine.network;
    return run.options.report && (network.router.prediction.on() || run.loaded.lookup() != nullptr ||
                                  run.plan.routing->recovery() != nullptr || run.reconfiguration != nullptr);
  }
  explicit RouterCounts(const WatchedRun& run) : run_(run) {}
  void report(const RunEnd&, observe::Results& results) override {
    observe::RowFile file(run_.options.file("routers.csv"),
                          "router,flits,prediction_visits,prediction_hits,lookups,lookup_hits,recoveries,"
                          "timeouts,discarded_flits");
    for (graph::RouterId id = 0; id < run_.loaded.network().routers(); ++id) file.add(row(id));
    file.close();
    results.file("routers.csv", "prediction, look-ups and recovery by router");
  }

 private:
  std::vector<observe::Value> row(graph::RouterId id) const {
    const network::VcNetwork& network = run_.loaded.network();
    const router::RouterCounters counters = network.counters(id);
    router::PredictionCounters predictions;
    if (run_.config.machine.network.router.prediction.on()) predictions = network.prediction_counters(id);
    std::uint64_t visits = 0;
    for (const std::uint64_t heads : predictions.visits) visits += heads;
    lookup::CacheCounters lookups;
    if (run_.loaded.lookup() != nullptr) lookups = run_.loaded.lookup()->counters(id).cache;
    return {id,
            counters.flits,
            visits,
            predictions.visits[static_cast<std::size_t>(router::PredictionOutcome::hit)],
            lookups.lookups,
            lookups.hits,
            counters.recoveries + counters.recoveries_by_hops,
            counters.timeouts,
            counters.killed_flits};
  }

  const WatchedRun& run_;
};

}  // namespace

void add_router_counts(InstrumentTable& table) {
  add_instrument<RouterCounts>(table);
}

}  // namespace tsuji::session
