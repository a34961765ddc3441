#include "observe/network_metrics.h"

#include "core/error.h"

namespace tsuji::observe {

void NetworkMetrics::merge(const NetworkMetrics& other) {
  packets_sent += other.packets_sent;
  flits_offered += other.flits_offered;
  flit_hops += other.flit_hops;
  flits_in_flight_at_end += other.flits_in_flight_at_end;
  flits_accepted += other.flits_accepted;
  hops_sum += other.hops_sum;
  latency_cycles.merge(other.latency_cycles);
}

void NetworkMetrics::add_to(Results& results, NodeId nodes, Cycle simulated_cycles, Cycle rate_cycles) const {
  if (nodes == 0 || rate_cycles == 0)
    throw ModelError("metrics", "rates need at least one node and one cycle");
  const std::uint64_t delivered = packets_delivered();
  results.metric("simulated_cycles", simulated_cycles, "cycles");
  results.metric("flit_hops", flit_hops, "flits");
  results.metric("packets_sent", packets_sent, "packets");
  results.metric("packets_delivered", delivered, "packets");
  results.metric("flits_in_flight_at_end", flits_in_flight_at_end, "flits");
  if (delivered == 0) {
    results.metric("hops_mean", nullptr, "routers");
    for (const char* name : {"_mean", "_p50", "_p99", "_max"}) {
      results.metric(std::string("latency_cycles") + name, nullptr, "cycles");
    }
  } else {
    results.metric("hops_mean", static_cast<double>(hops_sum) / static_cast<double>(delivered), "routers");
    results.metric("latency_cycles_mean", latency_cycles.mean(), "cycles");
    results.metric("latency_cycles_p50", latency_cycles.percentile(500), "cycles");
    results.metric("latency_cycles_p99", latency_cycles.percentile(990), "cycles");
    results.metric("latency_cycles_max", latency_cycles.max(), "cycles");
  }
  const double node_cycles = static_cast<double>(nodes) * static_cast<double>(rate_cycles);
  results.metric("accepted_flits_per_node_cycle", static_cast<double>(flits_accepted) / node_cycles,
                 "flits/node/cycle");
  results.metric("offered_flits_per_node_cycle", static_cast<double>(flits_offered) / node_cycles,
                 "flits/node/cycle");
}

}  // namespace tsuji::observe
