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
  bool to_self = true;            ///< whether the file may name a node as its own destination
  bool receivers_send = false;    ///< whether a node that receives must send, too
  std::vector<NodeState> states;  ///< per node; empty: all live. Pairs with a dead end do not talk.
};

/// Rates for pairs of nodes from a file: a line "SOURCE DESTINATION RATE" for each pair that talks, in any
/// order, in any unit: only the proportions matter. Pairs that are not there, or whose rate is 0, do not
/// talk.
class TrafficMatrix {
 public:
  /// ConfigError with file:line:column for a node that does not exist, a pair twice, a rate that is negative,
  /// infinite or no number, a pair that breaks the rules, and a file without any traffic.
  TrafficMatrix(const std::string& path, const TrafficMatrixRules& rules);

  /// The source's sum of rates over the mean of all living nodes' sums; 0 for a silent node.
  double share(NodeId source) const { return shares_[source]; }
  /// Some of its destinations live.
  bool reaches(NodeId source) const { return reaches_[source]; }
  /// The destination for a random number in [0, 1); the source must not be silent.
  NodeId destination(NodeId source, double unit) const;
  /// The pair's part of the source's rates.
  double probability(NodeId source, NodeId destination) const;

 private:
  struct Pair {
    NodeId source, destination;
    double rate;  ///< then: the sum of this and all before in its row
    std::uint64_t line;
  };
  void read(const std::string& path, const TrafficMatrixRules& rules);
  void leave_out(const std::vector<NodeState>& states);
  void check_receivers(const std::string& path, const std::vector<NodeState>& states) const;

  std::vector<Pair> pairs_;             ///< by source, then destination
  std::vector<std::size_t> row_begin_;  ///< nodes + 1
  std::vector<double> shares_;
  std::vector<bool> reaches_;
};

}  // namespace tsuji::workload
