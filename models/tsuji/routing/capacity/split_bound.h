// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/routing/capacity/candidate_graphs.h"
#include "tsuji/routing/capacity/port_numbers.h"

namespace tsuji::routing {

/// Search for the load that no split over the candidates exceeds.
class SplitBound {
 public:
  SplitBound(const CandidateGraphs& graphs, const graph::Topology& topology);

  /// Searches until the bound is within 0.5 % of what the split carries, the split carries `enough` flits per
  /// cycle (with 1 per channel), or `most_steps` are over.
  void search(double enough, std::uint64_t most_steps);

  /// Returns true if all packets reach their destination.
  bool reaches() const { return bound_ > 0; }
  double bound() const { return bound_; }
  /// Lengths of the links that give the bound, as shares of their sum; 0: not part of the bound.
  const std::vector<double>& lengths() const { return best_; }
  /// Flits per cycle on each output port under the most even split.
  const std::vector<double>& flits() const { return flits_; }

 private:
  /// Bound given by these lengths; with `flits` also adds up the demand on the shortest paths.
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
  std::vector<double> mean_;  ///< mean lengths of all rounds, with higher weights for later ones
  std::uint64_t steps_ = 0;
  std::vector<double> distance_;  ///< [router of a graph]
  std::vector<double> flow_;
  std::vector<std::uint32_t> by_distance_;
};

}  // namespace tsuji::routing
