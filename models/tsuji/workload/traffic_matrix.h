// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/workload/pattern.h"

namespace tsuji::workload {

struct TrafficMatrixRules {
  unsigned nodes = 64;
  bool to_self = true;          ///< The file may name a node as its own destination.
  bool receivers_send = false;  ///< A node that receives must also send.
  /// State of each node; empty: all nodes live. Pairs with a dead node are ignored.
  std::vector<NodeState> states;
};

/// Rates for pairs of nodes from a file: a line "SOURCE DESTINATION RATE" for each pair, in any order and any
/// unit, as only ratios matter. Pairs that are not listed, or whose rate is 0, exchange no packets.
class TrafficMatrix {
 public:
  /// Throws ConfigError with file:line:column for a node that does not exist, a duplicate pair, a rate that
  /// is negative, infinite or not a number, a pair that violates the rules, and a file without traffic.
  TrafficMatrix(const std::string& path, const TrafficMatrixRules& rules);

  /// Sum of a source's rates divided by the mean of that sum over all living nodes; 0 for a node that sends
  /// nothing.
  double share(NodeId source) const { return shares_[source]; }
  /// True if at least one of the source's destinations is living.
  bool reaches(NodeId source) const { return reaches_[source]; }
  /// Destination for a random number `unit` in [0, 1). The source must send packets.
  NodeId destination(NodeId source, double unit) const;
  /// Rate of the pair divided by the sum of the source's rates.
  double probability(NodeId source, NodeId destination) const;

 private:
  struct Pair {
    NodeId source, destination;
    double rate;  ///< Rate, later the cumulative sum of the rates in its row.
    std::uint64_t line;
  };
  void read(const std::string& path, const TrafficMatrixRules& rules);
  void leave_out(const std::vector<NodeState>& states);
  void check_receivers(const std::string& path, const std::vector<NodeState>& states) const;

  std::vector<Pair> pairs_;             ///< Ordered by source, then destination.
  std::vector<std::size_t> row_begin_;  ///< Begin of each row in `pairs_`; nodes + 1 elements.
  std::vector<double> shares_;
  std::vector<bool> reaches_;
};

}  // namespace tsuji::workload
