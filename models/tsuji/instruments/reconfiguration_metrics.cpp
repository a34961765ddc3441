// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/reconfiguration_metrics.h"

namespace tsuji::instruments {
namespace {

void add_faults(observe::Results& results, const faults::FaultSchedule& schedule, Cycle end) {
  observe::ResultTable& table =
      results.table("faults", {{"cycle", "cycles"}, {"kind", ""}, {"number", ""}, {"event", ""}});
  for (const faults::FaultEvent& event : schedule.events()) {
    if (event.cycle >= end) break;
    table.row(
        {event.cycle, event.of_router ? "router" : "link", event.number, event.returns ? "returns" : "dies"});
  }
}

}  // namespace

void add_reconfiguration(observe::Results& results, const network::Reconfiguration& reconfiguration,
                         Cycle end) {
  const network::ReconfigurationCounters sum = reconfiguration.counters(end);
  const auto& episodes = reconfiguration.episodes();
  const double router_cycles =
      static_cast<double>(reconfiguration.topology().routers()) * static_cast<double>(end);
  results.metric("reconfigurations", episodes.size(), "");
  results.metric("unsettled_cycles", sum.unsettled_cycles, "cycles");
  results.metric("longest_unsettled_cycles", sum.longest_unsettled_cycles, "cycles");
  results.metric("suspended_share", static_cast<double>(sum.suspended_cycles) / router_cycles, "");
  results.metric("table_updates", sum.updates, "tables");
  results.metric("control_messages", sum.control_messages, "messages");
  add_faults(results, reconfiguration.schedule(), end);
  observe::ResultTable& table = results.table(
      "reconfigurations",
      {{"from_cycle", "cycles"}, {"to_cycle", "cycles"}, {"table_updates", "tables"}, {"root", ""}});
  for (const network::ReconfigurationEpisode& episode : episodes)
    table.row({episode.from, episode.to, episode.updates, episode.root});
}

}  // namespace tsuji::instruments
