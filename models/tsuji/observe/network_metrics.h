// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/core/units.h"
#include "tsuji/observe/latency_histogram.h"
#include "tsuji/results/results.h"

namespace tsuji::observe {

/// The counters behind the metrics that all platforms share. Integers, added to where things happen.
struct NetworkMetrics {
  std::uint64_t packets_sent = 0;            ///< by the sources, a multicast counted once
  std::uint64_t flits_offered = 0;           ///< of packets that the sources generated, sent or still waiting
  std::uint64_t flit_hops = 0;               ///< a flit through a router or switch
  std::uint64_t flits_in_flight_at_end = 0;  ///< set at the end of the run

  std::uint64_t flits_accepted = 0;  ///< taken by the destinations, each copy of a multicast
  std::uint64_t hops_sum = 0;
  LatencyHistogram latency_cycles;  ///< one record for each delivered packet (and copy) that is measured
  std::uint64_t packets_not_measured = 0;  ///< delivered outside of what is measured

  /// A packet has reached a destination as a whole. Does not touch flit_hops: the branches of a multicast
  /// share hops, which only the switches can count.
  void record_delivery(Cycle latency, std::uint64_t flits, std::uint64_t hops) {
    latency_cycles.record(latency);
    flits_accepted += flits;
    hops_sum += hops;
  }
  std::uint64_t packets_delivered() const { return latency_cycles.count() + packets_not_measured; }

  void merge(const NetworkMetrics& other);
  /// Adds the shared metrics in their order, except `wall_seconds`, which the command line adds to every run.
  /// The rates are over `rate_cycles`, the part of the run in which flits_offered and flits_accepted counted.
  /// Means, percentiles and rates of nothing are null. ModelError where more flits were accepted than the
  /// nodes' links carry in these cycles: one a cycle each.
  void add_to(Results& results, NodeId nodes, Cycle simulated_cycles, Cycle rate_cycles) const;
};

/// NAME_mean, _p50, _p95, _p99, _p999 (99.9 %) and _max of a histogram, null where it is empty.
void add_latency(Results& results, const std::string& name, const LatencyHistogram& histogram,
                 const std::string& unit);
/// The table `name`: packets with a latency of `first` to `last` and the share of all within `last`. Values
/// below 32 each have a row, larger ones share one with those that differ by less than 1/16; empty rows are
/// left out.
void add_latency_table(Results& results, const std::string& name, const LatencyHistogram& histogram,
                       const std::string& unit);

}  // namespace tsuji::observe
