// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/mechanism_ledger.h"

#include <string>
#include <vector>

namespace tsuji::instruments {
namespace {

struct Line {
  const char *mechanism, *event;
  std::uint64_t events;
  std::int64_t cycles;
};

std::int64_t times(std::uint64_t events, Cycle cycles) {
  return static_cast<std::int64_t>(events * cycles);
}

/// Hits and misses of caches, accesses of a memory without caches, searches, or reads of the routers' tables.
void add_lookups(std::vector<Line>& lines, const network::LoadedNetwork& loaded,
                 const network::NetworkConfig& config) {
  if (loaded.lookup() == nullptr) {
    const network::TableCounters tables = loaded.network().table_counters();
    if (loaded.network().has_tables() && !loaded.network().router_kind().hides_stages)
      lines.push_back(
          {"routing tables", "read", tables.reads,
           times(tables.reads, config.network.table_cycles) + static_cast<std::int64_t>(tables.wait_cycles)});
    return;
  }
  const lookup::LookupCounters counters = loaded.lookup()->counters();
  const lookup::LookupTiming& timing = config.lookup.timing;
  const auto behind = static_cast<std::int64_t>(counters.search_busy_cycles + counters.search_wait_sum +
                                                counters.cam_wait_sum) +
                      times(counters.cam_accesses - counters.cam_writes, timing.cam_cycles);
  if (!config.lookup.has_caches()) {
    lines.push_back({"look-up", config.lookup.searches() ? "search" : "access of the CAM",
                     counters.cache.lookups, behind});
    return;
  }
  const Cycle cached = timing.hash_cycles + timing.cache_cycles;
  lines.push_back({"look-up", "hit", counters.cache.hits, times(counters.cache.hits, cached)});
  lines.push_back({"look-up", "miss", counters.cache.misses, times(counters.cache.misses, cached) + behind});
}

void add_predictions(std::vector<Line>& lines, const network::LoadedNetwork& loaded) {
  using Outcome = router::PredictionOutcome;
  const router::PredictionCounters counters = loaded.network().prediction_counters();
  const auto visits = [&](Outcome outcome) { return counters.visits[static_cast<std::size_t>(outcome)]; };
  lines.push_back(
      {"prediction", "hit", visits(Outcome::hit), -static_cast<std::int64_t>(counters.saved_cycles)});
  lines.push_back({"prediction", "wrong", visits(Outcome::wrong), 0});
}

/// A head that recovers by timeout has waited that long before; one over the hop limit has not.
void add_recoveries(std::vector<Line>& lines, const network::LoadedNetwork& loaded,
                    const network::NetworkConfig& config) {
  const router::RouterCounters counters = loaded.network().counters();
  lines.push_back({"recovery", "timeout", counters.recoveries,
                   times(counters.recoveries, config.network.router.block_timeout_cycles)});
  lines.push_back({"recovery", "hop limit", counters.recoveries_by_hops, 0});
}

}  // namespace

void add_mechanisms(observe::Results& results, const network::LoadedNetwork& loaded,
                    const network::NetworkConfig& config) {
  std::vector<Line> lines;
  add_lookups(lines, loaded, config);
  if (config.network.router.prediction.on()) add_predictions(lines, loaded);
  if (loaded.changes().routing_view(0).routing->recovery() != nullptr) add_recoveries(lines, loaded, config);
  if (lines.empty()) return;
  observe::ResultTable& table = results.table(
      "mechanisms", {{"mechanism", ""}, {"event", ""}, {"events", "heads"}, {"cost", "cycles"}});
  for (const Line& line : lines) table.row({line.mechanism, line.event, line.events, line.cycles});
  results.show_rows("mechanisms", lines.size(), "cycles of heads that each mechanism cost (-: saved)");
}

}  // namespace tsuji::instruments
