// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tsuji::routing {

/// A directed graph that takes paths only as long as it stays free of cycles. It keeps a topological order up
/// to date, so that most edges cost nothing but a look; for others it searches from both ends in that order,
/// no further than where the searches meet (Haeupler, Kavitha, Mathew, Sen and Tarjan 2012).
class AcyclicGraph {
 public:
  explicit AcyclicGraph(std::size_t vertices);
  /// Adds the edges between consecutive vertices of a path. False, and nothing is changed, if that would
  /// close a cycle.
  bool add_path(const std::vector<std::uint32_t>& path);

 private:
  using Vertex = std::uint32_t;
  /// One end's part of a search.
  struct Front {
    std::vector<Vertex> open;  ///< a heap by labels, the next one to be looked at on top
    std::vector<Vertex> done;
  };
  bool has(Vertex from, Vertex to) const;
  bool make_room(Vertex from, Vertex to);
  bool search();
  void reorder(Vertex from);
  void move_before(Vertex vertex, const std::vector<Vertex>& run);
  void spread_labels();

  std::vector<std::vector<Vertex>> after_, before_;
  /// The order as a ring of vertices and an end, with labels that rise along it.
  std::vector<Vertex> next_, previous_;
  std::vector<std::uint64_t> label_;
  std::vector<std::uint8_t> seen_;  ///< per vertex, by which front
  Front ahead_, behind_;
};

}  // namespace tsuji::routing
