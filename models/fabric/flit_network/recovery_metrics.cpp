#include "tsuji/fabric/flit_network/recovery_metrics.h"

namespace tsuji::fabric {
namespace {

/// Null of nothing.
observe::Value ratio(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return nullptr;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void add_recovery(observe::Results& results, const VcNetwork& network) {
  const router::RouterCounters routers = network.counters();
  results.metric("recoveries_by_timeout", routers.recoveries, "packets");
  results.metric("recoveries_by_hops", routers.recoveries_by_hops, "packets");
  const TableCounters tables = network.table_counters();
  results.metric("table_reads", tables.reads, "reads");
  results.metric("table_wait_cycles_mean", ratio(tables.wait_cycles, tables.reads), "cycles");
}

void add_recovered(observe::Results& results, const observe::LoadMeasurement& measurement) {
  results.metric("measured_packets_recovered", measurement.recovered(), "packets");
  results.metric("measured_recovered_share",
                 ratio(measurement.recovered(), measurement.metrics().latency_cycles.count()), "");
}

}  // namespace tsuji::fabric
