// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/routing/capacity/candidate_graphs.h"
#include "tsuji/routing/capacity/port_numbers.h"

namespace tsuji::routing {

/// The search for the load that no split over the candidates exceeds.
class SplitBound {
 public:
  SplitBound(const CandidateGraphs& graphs, const graph::Topology& topology);

  /// Searches until the bound is within 0.5 % of what the split carries, or the split carries `enough`
  /// (flits a cycle, a channel at 1), or after `most_steps`.
  void search(double enough, std::uint64_t most_steps);

  /// Every source's packets come to their destination.
  bool reaches() const { return bound_ > 0; }
  double bound() const { return bound_; }
  /// Links of the bound: whose lengths are not 0, with their part of the sum.
  const std::vector<double>& lengths() const { return best_; }
  /// Flits a cycle of each output port under the most even split.
  const std::vector<double>& flits() const { return flits_; }

 private:
  /// The bound by these lengths; with `flits` the demand on shortest paths, too.
  double measure(const std::vector<double>& lengths, std::vector<double>* flits);
  void distances(const CandidateGraphs::Graph& graph, const std::vector<double>& lengths);
  void push(const CandidateGraphs::Graph& graph, const std::vector<double>& lengths,
            std::vector<double>& flits);
  void try_lengths(const std::vector<double>& lengths);
  void try_cuts();
  void try_mean();

  const CandidateGraphs& graphs_;
  const graph::Topology& topology_;
  const PortNumbers numbers_;
  double bound_;
  std::vector<double> best_;
  std::vector<double> flits_;
  std::vector<double> mean_;  ///< lengths of all rounds, later ones more
  std::uint64_t steps_ = 0;
  std::vector<double> distance_;  ///< per router of a graph
  std::vector<double> flow_;
  std::vector<std::uint32_t> by_distance_;
};

}  // namespace tsuji::routing
