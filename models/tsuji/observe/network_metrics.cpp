// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/network_metrics.h"

#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::observe {

void NetworkMetrics::merge(const NetworkMetrics& other) {
  packets_sent += other.packets_sent;
  flits_offered += other.flits_offered;
  flit_hops += other.flit_hops;
  flits_in_flight_at_end += other.flits_in_flight_at_end;
  flits_accepted += other.flits_accepted;
  hops_sum += other.hops_sum;
  latency_cycles.merge(other.latency_cycles);
  packets_not_measured += other.packets_not_measured;
}

void add_latency(Results& results, const std::string& name, const LatencyHistogram& histogram,
                 const std::string& unit) {
  const bool any = histogram.count() > 0;
  results.metric(name + "_mean", any ? Value(histogram.mean()) : Value(nullptr), unit);
  constexpr std::pair<const char*, unsigned> percentiles[] = {
      {"_p50", 500}, {"_p95", 950}, {"_p99", 990}, {"_p999", 999}};
  for (const auto& [suffix, per_mille] : percentiles)
    results.metric(name + suffix, any ? Value(histogram.percentile(per_mille)) : Value(nullptr), unit);
  results.metric(name + "_max", any ? Value(histogram.max()) : Value(nullptr), unit);
}

void add_latency_table(Results& results, const std::string& name, const LatencyHistogram& histogram,
                       const std::string& unit) {
  constexpr unsigned bits = 4;
  ResultTable& table =
      results.table(name, {{"first", unit}, {"last", unit}, {"packets", "packets"}, {"share_within", ""}});
  std::uint64_t within = 0;
  for (const LatencyHistogram::Bucket& bucket : histogram.coarse_buckets(bits)) {
    within += bucket.count;
    table.row({bucket.first, bucket.last, bucket.count,
               static_cast<double>(within) / static_cast<double>(histogram.count())});
  }
}

void NetworkMetrics::add_to(Results& results, NodeId nodes, Cycle simulated_cycles, Cycle rate_cycles,
                            unsigned ports) const {
  if (nodes == 0) throw ModelError("metrics", "rates need at least one node");
  const std::uint64_t measured = latency_cycles.count();
  results.metric("simulated_cycles", simulated_cycles, "cycles");
  results.metric("flit_hops", flit_hops, "flits");
  results.metric("packets_sent", packets_sent, "packets");
  results.metric("packets_delivered", packets_delivered(), "packets");
  results.metric("flits_in_flight_at_end", flits_in_flight_at_end, "flits");
  const auto rate = [](std::uint64_t count, double whole) {
    return whole > 0 ? Value(static_cast<double>(count) / whole) : Value(nullptr);
  };
  results.metric("hops_mean", rate(hops_sum, static_cast<double>(measured)), "routers");
  add_latency(results, "latency_cycles", latency_cycles, "cycles");
  add_latency_table(results, "latency_histogram", latency_cycles, "cycles");
  const std::uint64_t capacity = std::uint64_t{nodes} * rate_cycles;
  if (rate_cycles > 0 && flits_accepted > capacity * ports) {
    throw ModelError("metrics", simulated_cycles, "",
                     std::to_string(flits_accepted) + " flits are reported as accepted in " +
                         std::to_string(rate_cycles) + " cycles by " + std::to_string(nodes) +
                         " nodes, whose links carry one flit per cycle");
  }
  const auto node_cycles = static_cast<double>(capacity);
  results.metric("accepted_flits_per_node_cycle", rate(flits_accepted, node_cycles), "flits/node/cycle");
  results.metric("offered_flits_per_node_cycle", rate(flits_offered, node_cycles), "flits/node/cycle");
}

}  // namespace tsuji::observe
