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
  cut_off,  ///< its packets, and those for it, are born and cannot be sent
  dead      ///< it neither sends nor receives
};

/// To whom a node's packets go. One object serves all nodes; the random numbers are the asking node's.
class Pattern {
 public:
  virtual ~Pattern() = default;
  /// The destination of the next packet of `source`. Not asked of a node whose share is 0.
  virtual NodeId destination(NodeId source, CounterRandom& random) const = 0;
  /// The probability with which destination() returns `destination`. Not called for a node whose share is 0.
  virtual double probability(NodeId source, NodeId destination) const = 0;
  /// This node's load as a multiple of the configured one. 0: the node is silent.
  virtual double share(NodeId source) const {
    (void)source;
    return 1.0;
  }
  /// Some packets of `source` are for living nodes.
  virtual bool reaches(NodeId source) const {
    (void)source;
    return true;
  }
};

/// The nodes among which packets go. A pattern ignores what it has no use for. Random patterns choose among
/// living nodes; a node whose only partner is dead is silent.
struct PatternConfig {
  unsigned nodes = 64;
  /// Whether a node may send to itself. Without it, random patterns choose among the others, and a node whose
  /// only partner is itself is silent.
  bool to_self = true;
  std::vector<unsigned> radices;  ///< of a k-ary n-cube, dimension 0 fastest; empty for other networks
  unsigned nodes_per_router = 1;  ///< of the cube
  /// The network, for patterns of its structure (tsuji/graph/topology.h); outlives the pattern. Null: none.
  const graph::Topology* topology = nullptr;
  /// Closed loop: a node that receives must send, or the packets under way become fewer.
  bool receivers_send = false;
  std::uint64_t seed = 1;
  std::vector<NodeState> states;  ///< per node; empty: all live

  NodeState state(NodeId node) const { return states.empty() ? NodeState::living : states[node]; }
  unsigned living() const {
    return states.empty()
               ? nodes
               : static_cast<unsigned>(std::count(states.begin(), states.end(), NodeState::living));
  }
};

struct PatternTraits {
  static constexpr const char* selector = "traffic.pattern";
  static constexpr const char* unknown = "no such pattern";
};

/// Every pattern by its word in `traffic.pattern`, with its parameters. make() throws ConfigError (key
/// traffic.pattern or the one that is wrong) where a pattern does not fit the network.
using PatternKinds = config::Kinds<PatternTraits, std::unique_ptr<Pattern>, const PatternConfig&>;

/// The parameters of a pattern that has none: a function from the nodes to the pattern.
template <std::unique_ptr<Pattern> (*make_pattern)(const PatternConfig&)>
struct NoParameters {
  std::unique_ptr<Pattern> make(const PatternConfig& config) const { return make_pattern(config); }
};

}  // namespace tsuji::workload
