// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/routing/capacity/candidate_graphs.h"
#include "tsuji/routing/capacity/port_numbers.h"

namespace tsuji::routing {

/// Search for the load that no split over the candidates exceeds.
///
/// A flit occupies output port p for `flit_cycles[p]` cycles: it adds that number to the use of the channel,
/// and a channel's length counts that many times in a distance.
class SplitBound {
 public:
  SplitBound(const CandidateGraphs& graphs, const graph::Topology& topology,
             const std::vector<double>& flit_cycles);

  /// Searches until the bound is within 0.5 % of what the split carries, the split carries `enough` flits per
  /// cycle (with a use of 1 per channel), or `most_steps` are over.
  void search(double enough, std::uint64_t most_steps);

  /// Returns true if all packets reach their destination.
  bool reaches() const { return bound_ > 0; }
  double bound() const { return bound_; }
  /// Lengths of the links that give the bound, as shares of their sum; 0: not part of the bound.
  const std::vector<double>& lengths() const { return best_; }
  /// Flits per cycle on each output port under the most even split of uses.
  std::vector<double> flits() const;

 private:
  /// Bound given by these lengths; with `uses` also adds up the demand on the shortest paths.
  double measure(const std::vector<double>& lengths, std::vector<double>* uses);
  void distances(const CandidateGraphs::Graph& graph, const std::vector<double>& lengths);
  void push(const CandidateGraphs::Graph& graph, const std::vector<double>& lengths,
            std::vector<double>& uses);
  double distance_by(const CandidateGraphs::Edge& edge, const std::vector<double>& lengths) const {
    return lengths[edge.port] * flit_cycles_[edge.port] + distance_[edge.to];
  }
  void try_lengths(const std::vector<double>& lengths);
  void try_cuts();
  void try_mean();

  const CandidateGraphs& graphs_;
  const graph::Topology& topology_;
  const PortNumbers numbers_;
  const std::vector<double> flit_cycles_;
  double bound_;
  std::vector<double> best_;
  std::vector<double> uses_;
  std::vector<double> mean_;  ///< mean lengths of all rounds, with higher weights for later ones
  std::uint64_t steps_ = 0;
  std::vector<double> distance_;  ///< [router of a graph]
  std::vector<double> flow_;
  std::vector<std::uint32_t> by_distance_;
};

}  // namespace tsuji::routing
