#pragma once

#include <cstdint>
#include <vector>

namespace tsuji::routing {

/// A directed graph that takes paths only as long as it stays free of cycles. It keeps a topological order up
/// to date (Pearce and Kelly), so that most edges cost nothing but a look.
class AcyclicGraph {
 public:
  explicit AcyclicGraph(std::size_t vertices);
  /// Adds the edges between consecutive vertices of a path. False, and nothing is changed, if that would
  /// close a cycle.
  bool add_path(const std::vector<std::uint32_t>& path);

 private:
  using Vertex = std::uint32_t;
  bool has(Vertex from, Vertex to) const;
  bool make_room(Vertex from, Vertex to);

  std::vector<std::vector<Vertex>> after_, before_;
  std::vector<std::uint32_t> place_;  ///< per vertex, in the topological order
  std::vector<std::uint8_t> seen_;
};

}  // namespace tsuji::routing
