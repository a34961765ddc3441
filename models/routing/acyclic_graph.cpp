#include "tsuji/routing/acyclic_graph.h"

#include <algorithm>
#include <numeric>

namespace tsuji::routing {

AcyclicGraph::AcyclicGraph(std::size_t vertices)
    : after_(vertices), before_(vertices), place_(vertices), seen_(vertices, 0) {
  std::iota(place_.begin(), place_.end(), 0U);
}

bool AcyclicGraph::has(Vertex from, Vertex to) const {
  return std::find(after_[from].begin(), after_[from].end(), to) != after_[from].end();
}

bool AcyclicGraph::add_path(const std::vector<std::uint32_t>& path) {
  std::vector<std::size_t> added;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (has(path[i], path[i + 1])) continue;
    if (!make_room(path[i], path[i + 1])) {
      // The new edges are still the last of their lists; an order that fitted them fits without them.
      for (auto edge = added.rbegin(); edge != added.rend(); ++edge) {
        after_[path[*edge]].pop_back();
        before_[path[*edge + 1]].pop_back();
      }
      return false;
    }
    after_[path[i]].push_back(path[i + 1]);
    before_[path[i + 1]].push_back(path[i]);
    added.push_back(i);
  }
  return true;
}

/// Brings `from` before `to` in the order; false if there is a path from `to` to `from`.
bool AcyclicGraph::make_room(Vertex from, Vertex to) {
  if (from == to) return false;
  const std::uint32_t low = place_[to], high = place_[from];
  if (high < low) return true;
  // Vertices in between that must stay behind `to`, and those that must stay before `from`.
  const auto collect = [&](Vertex start, const std::vector<std::vector<Vertex>>& next,
                           std::vector<Vertex>& list) {
    list.assign(1, start);
    seen_[start] = 1;
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (Vertex v : next[list[i]]) {
        if (seen_[v] != 0 || place_[v] < low || place_[v] > high) continue;
        seen_[v] = 1;
        list.push_back(v);
      }
    }
    for (Vertex v : list) seen_[v] = 0;
  };
  std::vector<Vertex> behind, ahead;
  collect(to, after_, behind);
  if (std::find(behind.begin(), behind.end(), from) != behind.end()) return false;
  collect(from, before_, ahead);

  const auto by_place = [&](Vertex a, Vertex b) { return place_[a] < place_[b]; };
  std::sort(behind.begin(), behind.end(), by_place);
  std::sort(ahead.begin(), ahead.end(), by_place);
  ahead.insert(ahead.end(), behind.begin(), behind.end());
  std::vector<std::uint32_t> places;
  for (Vertex v : ahead) places.push_back(place_[v]);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < ahead.size(); ++i) place_[ahead[i]] = places[i];
  return true;
}

}  // namespace tsuji::routing
