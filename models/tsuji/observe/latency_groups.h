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

/// Latencies of packets that have passed as many routers over the same distance: 15 KB for each pair of
/// numbers that occurs.
class LatencyGroups {
 public:
  explicit LatencyGroups(unsigned longest_distance = 0) : distances_(longest_distance + std::size_t{1}) {}

  /// distance <= longest_distance.
  void record(std::size_t hops, std::size_t distance, std::uint64_t latency) {
    const std::size_t at = hops * distances_ + distance;
    if (at >= groups_.size() || groups_[at] == nullptr) add_group(at);
    groups_[at]->record(latency);
  }
  /// The table `hops`: a row for each number of routers that occurs. Packets, mean and largest latency are
  /// exact, percentiles too large by less than 1/32.
  void add_by_hops(Results& results) const;
  /// The table `latency_by_distance`, alike.
  void add_by_distance(Results& results) const;

 private:
  using Histogram = LogLinearHistogram<5>;
  void add_group(std::size_t at);
  void add_rows(ResultTable& table, std::size_t numbers, bool by_distance) const;

  std::size_t distances_;
  std::vector<std::unique_ptr<Histogram>> groups_;  ///< [hops][distance], null where none has come
};

}  // namespace tsuji::observe
