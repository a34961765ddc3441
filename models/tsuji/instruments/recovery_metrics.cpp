// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/recovery_metrics.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::instruments {
namespace {

/// part / whole; null if `whole` is 0.
observe::Value ratio(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return nullptr;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void add_recovery(observe::Results& results, const network::VcNetwork& network) {
  const router::RouterCounters routers = network.counters();
  results.metric("recoveries_by_timeout", routers.recoveries, "packets");
  results.metric("recoveries_by_hops", routers.recoveries_by_hops, "packets");
  if (!network.has_tables()) return;         // look-up hardware reports its reads
  if (network.router_kind().hides_stages) {  // nobody counts the reads inside such a router
    results.metric("table_reads", nullptr, "reads");
    results.metric("table_wait_cycles_mean", nullptr, "cycles");
    return;
  }
  const network::TableCounters tables = network.table_counters();
  results.metric("table_reads", tables.reads, "reads");
  results.metric("table_wait_cycles_mean", ratio(tables.wait_cycles, tables.reads), "cycles");
}

void add_recovered(observe::Results& results, const observe::LoadMeasurement& measurement) {
  results.metric("measured_packets_recovered", measurement.recovered(), "packets");
  results.metric("measured_recovered_share",
                 ratio(measurement.recovered(), measurement.metrics().latency_cycles.count()), "");
}

void add_timeout_classes(observe::Results& results, const network::LoadedNetwork& loaded) {
  const network::TimeoutClasses* const classes = loaded.timeout_classes();
  if (classes == nullptr) return;
  const router::RouterCounters routers = loaded.network().counters();
  if (classes->heads() != routers.recoveries + routers.timeouts)
    throw ModelError("network", loaded.now(), "",
                     std::to_string(classes->heads()) +
                         " timeouts are classified, and routers have counted " +
                         std::to_string(routers.recoveries + routers.timeouts));
  const observe::Value none = nullptr;
  const bool knots = classes->in_knot != 0;
  results.metric("timeouts_classified", classes->heads(), "heads");
  results.metric("timeouts_in_knots", classes->in_knot, "heads");
  results.metric("timeouts_behind_knots", classes->behind_knot, "heads");
  results.metric("timeouts_false", classes->false_ones, "heads");
  results.metric("timeouts_false_share", ratio(classes->false_ones, classes->heads()), "");
  results.metric("knot_packets_mean", ratio(classes->knot_packets, classes->in_knot), "packets");
  results.metric("knot_packets_max", knots ? observe::Value(classes->most_knot_packets) : none, "packets");
  results.metric("knot_age_cycles_mean", ratio(classes->knot_age_cycles, classes->in_knot), "cycles");
  results.metric("knot_age_cycles_max", knots ? observe::Value(classes->longest_knot_age_cycles) : none,
                 "cycles");
}

}  // namespace tsuji::instruments
