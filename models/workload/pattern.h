#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/random.h"
#include "tsuji/core/units.h"

namespace tsuji::workload {

/// To whom a node's packets go. One object serves all nodes; the random numbers are the asking node's.
class Pattern {
 public:
  virtual ~Pattern() = default;
  /// The destination of the next packet of `source`. Not asked of a node whose share is 0.
  virtual NodeId destination(NodeId source, CounterRandom& random) const = 0;
  /// This node's load as a multiple of the configured one. 0: the node is silent.
  virtual double share(NodeId source) const {
    (void)source;
    return 1.0;
  }
};

/// What patterns are made of. A pattern ignores what it has no use for.
struct PatternConfig {
  unsigned nodes = 64;
  /// Whether a node may send to itself. Without it, random patterns choose among the others, and a node whose
  /// only partner is itself is silent.
  bool to_self = true;
  std::vector<unsigned> radices;  ///< of a k-ary n-cube, dimension 0 fastest; empty for other networks
  unsigned nodes_per_router = 1;  ///< of the cube
  std::vector<unsigned> hotspots;
  double hotspot_share = 0.1;  ///< of every node's packets, [0, 1]
  std::string matrix;          ///< file, see traffic_matrix.h
  /// Closed loop: a node that receives must send, or the packets under way become fewer.
  bool receivers_send = false;
  std::uint64_t seed = 1;
};

/// A pattern by name.
struct PatternKind {
  const char* name;
  /// Throws ConfigError (key traffic.pattern or the one that is wrong) where it does not fit the network.
  std::unique_ptr<Pattern> (*make)(const PatternConfig&);
  /// Of traffic.*, keys that no other pattern reads, with spaces between them.
  const char* keys = "";
};
const std::vector<PatternKind>& pattern_kinds();

/// ConfigError for a name that is not in the table.
std::unique_ptr<Pattern> make_pattern(const std::string& name, const PatternConfig& config);

}  // namespace tsuji::workload
