// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/kinds.h"
#include "tsuji/core/random.h"
#include "tsuji/core/units.h"

namespace tsuji::graph {
class Topology;
}

namespace tsuji::workload {

enum class NodeState : std::uint8_t {
  living,
  cut_off,  ///< Packets from it and for it are born but cannot be sent.
  dead      ///< It neither sends nor receives.
};

/// Destinations of the packets of all nodes. One object serves all nodes; the caller passes the random
/// numbers of the source.
class Pattern {
 public:
  virtual ~Pattern() = default;
  /// Destination of the next packet of `source`, whose share must not be 0.
  virtual NodeId destination(NodeId source, CounterRandom& random) const = 0;
  /// Probability that destination() returns `destination` for `source`, whose share must not be 0.
  virtual double probability(NodeId source, NodeId destination) const = 0;
  /// Load of a node as a multiple of the configured load; 0: the node sends nothing.
  virtual double share(NodeId source) const {
    (void)source;
    return 1.0;
  }
  /// True if some packets of `source` are for living nodes.
  virtual bool reaches(NodeId source) const {
    (void)source;
    return true;
  }
};

/// Nodes among which packets are exchanged. A pattern ignores members that it does not need. Random patterns
/// choose among living nodes; a node whose only partner is dead sends nothing.
struct PatternConfig {
  unsigned nodes = 64;  ///< Number of nodes, with dead ones.
  /// Allows a node to send to itself. Otherwise random patterns choose among the other nodes, and a node
  /// whose only partner is itself sends nothing.
  bool to_self = true;
  /// Radices of a k-ary n-cube, dimension 0 fastest; empty for other networks.
  std::vector<unsigned> radices;
  unsigned nodes_per_router = 1;  ///< Nodes per router of the k-ary n-cube.
  /// Topology of the network, for patterns that use its structure (tsuji/graph/topology.h). Must outlive the
  /// pattern; null: none.
  const graph::Topology* topology = nullptr;
  /// Closed loop: every node that receives must also send, or the number of packets in flight decreases.
  bool receivers_send = false;
  /// Seed of the random choices that the pattern makes once, such as a random permutation.
  std::uint64_t seed = 1;
  std::vector<NodeState> states;  ///< State of each node; empty: all nodes live.

  /// State of a node; living if `states` is empty.
  NodeState state(NodeId node) const { return states.empty() ? NodeState::living : states[node]; }
  /// Number of nodes in state `living`.
  unsigned living() const {
    return states.empty()
               ? nodes
               : static_cast<unsigned>(std::count(states.begin(), states.end(), NodeState::living));
  }
};

/// Properties of a word of `traffic.pattern`.
struct PatternTraits {
  static constexpr const char* selector = "traffic.pattern";  ///< Key that selects the pattern.
  static constexpr const char* unknown = "no such pattern";   ///< Refusal of an unknown word.
};

/// Every pattern by its word in `traffic.pattern`, with its parameters. make() throws ConfigError, with the
/// key traffic.pattern or the key of the wrong parameter, if a pattern does not fit the network.
using PatternKinds = config::Kinds<PatternTraits, std::unique_ptr<Pattern>, const PatternConfig&>;

/// Adapter for a pattern without parameters: a function that makes the pattern from its configuration.
template <std::unique_ptr<Pattern> (*make_pattern)(const PatternConfig&)>
struct NoParameters {
  /// Makes the pattern. Throws ConfigError if it does not fit the network.
  std::unique_ptr<Pattern> make(const PatternConfig& config) const { return make_pattern(config); }
};

}  // namespace tsuji::workload
