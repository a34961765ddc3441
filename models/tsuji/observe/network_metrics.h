// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/core/units.h"
#include "tsuji/observe/latency_histogram.h"
#include "tsuji/results/results.h"

namespace tsuji::observe {

/// Counters from which the metrics of all platforms are computed.
struct NetworkMetrics {
  std::uint64_t packets_sent = 0;   ///< packets that sources have sent; a multicast counts once
  std::uint64_t flits_offered = 0;  ///< flits of packets that sources have generated, sent or waiting
  std::uint64_t flit_hops = 0;      ///< passages of a flit through a router or switch
  std::uint64_t flits_in_flight_at_end = 0;  ///< flits in the network at the end of the run

  std::uint64_t flits_accepted = 0;  ///< flits that destinations have accepted, with each copy of a multicast
  std::uint64_t hops_sum = 0;        ///< sum over measured packets of the routers passed
  LatencyHistogram latency_cycles;   ///< latency of each measured packet (and copy) that was delivered
  std::uint64_t packets_not_measured = 0;  ///< delivered packets that are not part of the sample

  /// Counts a packet that has arrived at a destination with its last flit. Does not count flit_hops, because
  /// the branches of a multicast share hops, which only switches can count.
  void record_delivery(Cycle latency, std::uint64_t flits, std::uint64_t hops) {
    latency_cycles.record(latency);
    flits_accepted += flits;
    hops_sum += hops;
  }
  /// Number of delivered packets, measured or not.
  std::uint64_t packets_delivered() const { return latency_cycles.count() + packets_not_measured; }

  /// Adds the counts of another part of the network.
  void merge(const NetworkMetrics& other);
  /// Adds the shared metrics in a fixed order, except `wall_seconds`, which the command line adds. Rates
  /// refer to `rate_cycles`, the part of the run in which flits_offered and flits_accepted were counted.
  /// Means, percentiles and rates without data are null. Throws ModelError if more flits were accepted than
  /// the nodes' links can carry in these cycles: `ports` a node, one flit in a cycle each.
  void add_to(Results& results, NodeId nodes, Cycle simulated_cycles, Cycle rate_cycles,
              unsigned ports = 1) const;
};

/// Adds NAME_mean, _p50, _p95, _p99, _p999 (99.9 %) and _max of a histogram; null for an empty one.
void add_latency(Results& results, const std::string& name, const LatencyHistogram& histogram,
                 const std::string& unit);
/// Adds the table `name`, with the number of packets whose latency is in `first` .. `last`, and the
/// cumulative share up to `last`. Each value below 32 has its own row; larger values that differ by less than
/// 1/16 share a row. Empty rows are omitted.
void add_latency_table(Results& results, const std::string& name, const LatencyHistogram& histogram,
                       const std::string& unit);

}  // namespace tsuji::observe
