// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tsuji::routing {

/// Directed graph that accepts paths as long as it remains acyclic. It maintains a topological order, so most
/// edges cost a single comparison; for others it searches from both ends within that order, until the
/// searches meet (Haeupler, Kavitha, Mathew, Sen and Tarjan 2012).
class AcyclicGraph {
 public:
  explicit AcyclicGraph(std::size_t vertices);
  /// Adds the edges between consecutive vertices of a path. Returns false, and changes nothing, if that would
  /// close a cycle.
  bool add_path(const std::vector<std::uint32_t>& path);

 private:
  using Vertex = std::uint32_t;
  /// State of a search from one end.
  struct Front {
    std::vector<Vertex> open;  ///< heap by labels, the next vertex on top
    std::vector<Vertex> done;
  };
  bool has(Vertex from, Vertex to) const;
  bool make_room(Vertex from, Vertex to);
  bool search();
  void reorder(Vertex from);
  void move_before(Vertex vertex, const std::vector<Vertex>& run);
  void spread_labels();

  std::vector<std::vector<Vertex>> after_, before_;
  /// The order as a ring of the vertices and an end mark, with ascending labels.
  std::vector<Vertex> next_, previous_;
  std::vector<std::uint64_t> label_;
  std::vector<std::uint8_t> seen_;  ///< [vertex]: the front that has reached it
  Front ahead_, behind_;
};

}  // namespace tsuji::routing
