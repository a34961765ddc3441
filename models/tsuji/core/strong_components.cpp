// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/strong_components.h"

#include <algorithm>

namespace tsuji {
namespace {

constexpr std::uint32_t unknown = ~std::uint32_t{0};

/// Tarjan's algorithm with an explicit stack instead of recursion.
class Search {
 public:
  Search(std::size_t vertices, const VisitEdges& visit)
      : next_edge_(vertices), number_(vertices, unknown), lowest_(vertices) {
    result_.component.assign(vertices, unknown);
    first_edge_.push_back(0);
    for (Vertex v = 0; v < vertices; ++v) {
      visit(v, [this](Vertex to) { edges_.push_back(to); });
      first_edge_.push_back(edges_.size());
      next_edge_[v] = first_edge_[v];
    }
  }

  StrongComponents run() {
    for (Vertex v = 0; v < number_.size(); ++v) {
      if (number_[v] != unknown) continue;
      enter(v);
      while (!path_.empty()) step();
    }
    return std::move(result_);
  }

 private:
  void enter(Vertex v) {
    number_[v] = lowest_[v] = count_++;
    path_.push_back(v);
    open_.push_back(v);
  }

  void step() {
    const Vertex v = path_.back();
    if (next_edge_[v] < first_edge_[v + 1]) {
      const Vertex to = edges_[next_edge_[v]++];
      if (number_[to] == unknown)
        enter(to);
      else if (result_.component[to] == unknown)
        lowest_[v] = std::min(lowest_[v], number_[to]);
      return;
    }
    path_.pop_back();
    if (!path_.empty()) lowest_[path_.back()] = std::min(lowest_[path_.back()], lowest_[v]);
    if (lowest_[v] == number_[v]) close(v);
  }

  void close(Vertex root) {
    const auto component = static_cast<std::uint32_t>(result_.sizes.size());
    result_.sizes.push_back(0);
    Vertex v = 0;
    do {
      v = open_.back();
      open_.pop_back();
      result_.component[v] = component;
      ++result_.sizes.back();
    } while (v != root);
  }

  std::vector<std::size_t> first_edge_, next_edge_;
  std::vector<Vertex> edges_;
  std::vector<std::uint32_t> number_;  ///< order in which vertices are reached
  std::vector<std::uint32_t> lowest_;  ///< lowest number reachable from here over open vertices
  std::uint32_t count_ = 0;
  std::vector<Vertex> path_, open_;  ///< open: reached, not yet in a component
  StrongComponents result_;
};

}  // namespace

StrongComponents strong_components(std::size_t vertices, const VisitEdges& visit) {
  return Search(vertices, visit).run();
}

std::vector<std::vector<Vertex>> find_knots(std::size_t vertices, const VisitEdges& visit) {
  const StrongComponents parts = strong_components(vertices, visit);
  std::vector<bool> waits(parts.sizes.size(), false), leads_out(parts.sizes.size(), false);
  for (Vertex v = 0; v < vertices; ++v) {
    visit(v, [&](Vertex to) {
      waits[parts.component[v]] = true;
      if (parts.component[to] != parts.component[v]) leads_out[parts.component[v]] = true;
    });
  }
  std::vector<std::vector<Vertex>> knots;
  std::vector<std::size_t> knot_of(parts.sizes.size(), vertices);
  for (Vertex v = 0; v < vertices; ++v) {
    const std::uint32_t part = parts.component[v];
    if (!waits[part] || leads_out[part]) continue;
    if (knot_of[part] == vertices) {
      knot_of[part] = knots.size();
      knots.emplace_back();
    }
    knots[knot_of[part]].push_back(v);
  }
  return knots;
}

}  // namespace tsuji
