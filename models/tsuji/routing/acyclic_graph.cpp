// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/acyclic_graph.h"

#include <algorithm>

namespace tsuji::routing {
namespace {

constexpr std::uint8_t from_ahead = 1, from_behind = 2;

}  // namespace

AcyclicGraph::AcyclicGraph(std::size_t vertices)
    : after_(vertices),
      before_(vertices),
      next_(vertices + 1),
      previous_(vertices + 1),
      label_(vertices + 1),
      seen_(vertices, 0) {
  const auto end = static_cast<Vertex>(vertices);
  for (Vertex v = 0; v <= end; ++v) {
    next_[v] = v == end ? 0 : v + 1;
    previous_[v] = v == 0 ? end : v - 1;
  }
  spread_labels();
}

void AcyclicGraph::spread_labels() {
  const std::size_t end = after_.size();
  const std::uint64_t apart = ~std::uint64_t{0} / (end + 1);
  std::uint64_t label = 0;
  for (Vertex v = next_[end]; v != end; v = next_[v]) label_[v] = label += apart;
  label_[end] = ~std::uint64_t{0};
}

bool AcyclicGraph::has(Vertex from, Vertex to) const {
  return std::find(after_[from].begin(), after_[from].end(), to) != after_[from].end();
}

bool AcyclicGraph::add_path(const std::vector<std::uint32_t>& path) {
  std::vector<std::size_t> added;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (has(path[i], path[i + 1])) continue;
    if (!make_room(path[i], path[i + 1])) {
      // The new edges are the last of their lists. The order remains valid without them.
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

/// Moves `from` before `to` in the order; returns false if there is a path from `to` to `from`.
bool AcyclicGraph::make_room(Vertex from, Vertex to) {
  if (from == to) return false;
  if (label_[from] < label_[to]) return true;
  for (Front* front : {&ahead_, &behind_}) {
    front->open.clear();
    front->done.clear();
  }
  ahead_.open.push_back(to);
  behind_.open.push_back(from);
  seen_[to] = from_ahead;
  seen_[from] = from_behind;
  const bool meet = search();
  for (const Front* front : {&ahead_, &behind_}) {
    for (Vertex v : front->open) seen_[v] = 0;
    for (Vertex v : front->done) seen_[v] = 0;
  }
  if (!meet) reorder(from);
  return !meet;
}

/// Expands the lowest open vertex ahead and the highest open vertex backwards in turn. Returns true if the
/// fronts meet.
bool AcyclicGraph::search() {
  const auto lower = [this](Vertex a, Vertex b) { return label_[a] < label_[b]; };
  const auto higher = [this](Vertex a, Vertex b) { return label_[a] > label_[b]; };
  const auto look = [this](Front& front, const std::vector<std::vector<Vertex>>& neighbours, std::uint8_t own,
                           const auto& order) {
    const Vertex here = front.open.front();
    std::pop_heap(front.open.begin(), front.open.end(), order);
    front.open.pop_back();
    front.done.push_back(here);
    for (Vertex v : neighbours[here]) {
      if (seen_[v] == own) continue;
      if (seen_[v] != 0) return true;
      seen_[v] = own;
      front.open.push_back(v);
      std::push_heap(front.open.begin(), front.open.end(), order);
    }
    return false;
  };
  while (!ahead_.open.empty() && !behind_.open.empty() &&
         label_[ahead_.open.front()] < label_[behind_.open.front()]) {
    if (look(ahead_, after_, from_ahead, higher) || look(behind_, before_, from_behind, lower)) return true;
  }
  return false;
}

/// Reorders the vertices that were reached, so that predecessors of `from` come before successors of `to`.
void AcyclicGraph::reorder(Vertex from) {
  const bool open = !ahead_.open.empty() && label_[ahead_.open.front()] < label_[from];
  if (!open) return move_before(next_[from], ahead_.done);
  const Vertex border = ahead_.open.front();
  std::vector<Vertex> run;
  for (Vertex v : behind_.done)
    if (label_[v] > label_[border]) run.push_back(v);
  std::reverse(run.begin(), run.end());
  run.insert(run.end(), ahead_.done.begin(), ahead_.done.end());
  move_before(border, run);
}

void AcyclicGraph::move_before(Vertex vertex, const std::vector<Vertex>& run) {
  const auto end = static_cast<Vertex>(after_.size());
  for (Vertex v : run) {
    next_[previous_[v]] = next_[v];
    previous_[next_[v]] = previous_[v];
  }
  const Vertex before = previous_[vertex];
  const std::uint64_t low = before == end ? 0 : label_[before];
  const std::uint64_t apart = (label_[vertex] - low) / (run.size() + 1);
  std::uint64_t label = low;
  Vertex last = before;
  for (Vertex v : run) {
    label_[v] = label += apart;
    next_[last] = v;
    previous_[v] = last;
    last = v;
  }
  next_[last] = vertex;
  previous_[vertex] = last;
  if (apart == 0) spread_labels();
}

}  // namespace tsuji::routing
