// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/measured_load.h"

#include <algorithm>
#include <string>

#include "tsuji/core/run_time.h"
#include "tsuji/platform/network_slices.h"

namespace tsuji::platform {
namespace {

constexpr Cycle slice_cycles = 1000;

/// A slice ends with the interval that is measured, with the longest drain, and where the warm-up is looked
/// at.
Cycle slice_end(Cycle now, const observe::LoadMeasurement& measurement) {
  const Cycle end = std::min({now + slice_cycles, measurement.next_warmup_check(), measurement.latest_end()});
  const Cycle interval_end = measurement.ejection_to();
  return now < interval_end && end > interval_end ? interval_end : end;
}

void play(const MeasuredLoad& load, const RunOptions& options, observe::Results& results) {
  ClockedRun& network = load.network;
  observe::LoadMeasurement& measurement = load.measurement;
  NetworkSlices slices(network, options, results, load.advance);
  while (!measurement.finished(network.now())) {
    slices.run_to(slice_end(network.now(), measurement));
    if (measurement.begins(network.now()))
      load.set_window(measurement.ejection_from(), measurement.ejection_to());
    options.progress->update(measurement.progress(network.now()));
    const Cycle next = network.next_activity();
    if (next == never || measurement.finished(network.now())) break;
    if (next > network.now() + slice_cycles)
      slices.run_to(std::min({next, measurement.next_warmup_check(), measurement.latest_end()}));
  }
}

}  // namespace

void play_load(const MeasuredLoad& load, const RunOptions& options, observe::Results& results) {
  try {
    play(load, options, results);
  } catch (const Interrupted&) {
    // The rest measures the results up to now, which are marked as partial.
    load.measurement.cut(load.network.now());
  }
}

void validate_measured_times(const observe::MeasureConfig& measure, ClockPeriod period) {
  if (measure.mode == observe::MeasureMode::arrivals)
    return require_in_run("measure.most_cycles", measure.most_cycles, period);
  const bool automatic = !measure.warmup_cycles;
  const Cycle warmup = automatic ? measure.longest_warmup_cycles : *measure.warmup_cycles;
  require_in_run(automatic ? "measure.longest_warmup_cycles" : "measure.warmup_cycles", warmup, period);
  require_in_run("measure.cycles", measure.cycles, period, warmup);
  require_in_run("measure.drain_cycles", measure.drain_cycles, period, warmup + measure.cycles);
}

void add_latency_ns(const observe::NetworkMetrics& metrics, ClockPeriod period, observe::Results& results) {
  const double ns = static_cast<double>(period.ps()) / 1000.0;
  const observe::LatencyHistogram& latency = metrics.latency_cycles;
  const bool any = latency.count() > 0;
  results.metric("latency_ns_mean", any ? observe::Value(latency.mean() * ns) : observe::Value(nullptr),
                 "ns");
  results.metric(
      "latency_ns_p99",
      any ? observe::Value(static_cast<double>(latency.percentile(990)) * ns) : observe::Value(nullptr),
      "ns");
}

void mark_lower_bounds_ns(const observe::LoadMeasurement& measurement, observe::Results& results) {
  if (!measurement.misses_packets()) return;
  for (const char* metric : {"latency_ns_mean", "latency_ns_p99"}) results.lower_bound(metric);
}

void show_load(observe::Results& results, const observe::LoadMeasurement& measurement) {
  results.show("offered_flits_per_node_cycle", "offered load");
  results.show("accepted_flits_per_node_cycle", "accepted load");
  results.show("stability", "load carried without end");
  results.show("accepted_share_worst_source", "  accepted of the worst source, share");
  results.show("worst_source", "  that source");
  results.show("capacity_bound_flits_per_node_cycle", "load that fills a link or a node's port");
  if (results.value("capacity_bound_flits_per_node_cycle").is_null())
    results.show("capacity_bound_at", "  not known, for");
  results.show("latency_cycles_mean", "packet latency, mean");
  results.show("latency_cycles_mean_confidence95", "  +- (95 %)");
  results.show("latency_confidence", "  interval, or why none");
  results.show("latency_cycles_p50", "  50 % within");
  results.show("latency_cycles_p95", "  95 % within");
  results.show("latency_cycles_p99", "  99 % within");
  results.show("latency_cycles_p999", "  99.9 % within");
  results.show("latency_ns_mean", "packet latency, mean");
  results.show("hops_mean", "routers visited, mean");
  results.show("measured_packets", "packets measured");
  if (measurement.undelivered() != 0)
    results.show("measured_packets_undelivered", "  missing: under way at the end");
  results.show("packets_dropped", "packets dropped");
  results.show("warmup_cycles", "warm-up");
  results.show("simulated_cycles", "simulated");
}

std::string verdict_text(const observe::LoadMeasurement& measurement, const std::string& silence) {
  if (!silence.empty()) return ": no packets, as " + silence;
  const observe::Stability stability = measurement.stability();
  std::string said;
  if (stability.verdict != observe::Stability::Verdict::stable) {
    said = std::string(": ") + stability.word() + ", " + stability.reason;
    if (stability.needs_cycles != 0)
      said += " (about " + std::to_string(stability.needs_cycles) + " measured cycles would decide)";
  }
  return measurement.never_stationary() ? said + ": never stationary in its warm-up" : said;
}

}  // namespace tsuji::platform
