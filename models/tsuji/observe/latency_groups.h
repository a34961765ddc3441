// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/observe/latency_histogram.h"
#include "tsuji/results/results.h"

namespace tsuji::observe {

/// Latency histograms by number of routers passed and distance. Memory: 15 KB for each pair that occurs.
class LatencyGroups {
 public:
  explicit LatencyGroups(unsigned longest_distance = 0) : distances_(longest_distance + std::size_t{1}) {}

  /// Counts a packet; `distance` is at most longest_distance.
  void record(std::size_t hops, std::size_t distance, std::uint64_t latency) {
    const std::size_t at = hops * distances_ + distance;
    if (at >= groups_.size() || groups_[at] == nullptr) add_group(at);
    groups_[at]->record(latency);
  }
  /// Adds the table `hops`, with one row for each number of routers that occurs. Numbers of packets, means
  /// and largest latencies are exact; percentiles are too large by less than 1/32.
  void add_by_hops(Results& results) const;
  /// Adds the table `latency_by_distance`, with the columns of `hops` for each distance that occurs.
  void add_by_distance(Results& results) const;

 private:
  using Histogram = LogLinearHistogram<5>;
  void add_group(std::size_t at);
  void add_rows(ResultTable& table, std::size_t numbers, bool by_distance) const;

  std::size_t distances_;
  std::vector<std::unique_ptr<Histogram>> groups_;  ///< [hops][distance]; null: no packet
};

}  // namespace tsuji::observe
