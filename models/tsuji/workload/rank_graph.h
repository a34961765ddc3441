// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tsuji/workload/trace.h"

namespace tsuji::workload {

/// Operations of one rank with dependencies between them, as traces of dependency graphs hold them, and their
/// order as a sequence of a Trace.
///
/// A rank of a Trace does one thing after the other, with non-blocking messages. The order is the graph's:
/// messages begin as soon as what they depend on is over, the first in the file first; computing and
/// collective operations, which block the rank, come when no message can begin; the rank waits for the oldest
/// message that something depends on only when nothing else can begin. A graph in which several chains wait
/// for messages at once is thereby serialized: the rank takes arrivals in the order of the file. Waits for a
/// message include older ones of its peer, tag and direction.
class RankGraph {
 public:
  /// Adds a computation, a message (isend or irecv) or a collective operation, of a line of the file. Returns
  /// its number.
  std::uint32_t add(const TraceOp& op, std::uint64_t line);
  /// Operation `later` begins after operation `earlier` is over or, with `started`, has begun.
  void depend(std::uint32_t later, std::uint32_t earlier, bool started = false);
  /// Number of operations.
  std::size_t size() const { return ops_.size(); }
  /// Appends the operations as the next rank of the trace, between init and finalize, and clears the graph.
  /// Throws ConfigError with the lines if dependencies make a circle.
  void take(Trace& trace);

 private:
  class Order;
  struct Edge {
    std::uint32_t earlier, later;
    bool started;
  };
  struct Node {
    TraceOp op;
    std::uint64_t line;
  };
  std::vector<Node> ops_;
  std::vector<Edge> edges_;
};

}  // namespace tsuji::workload
