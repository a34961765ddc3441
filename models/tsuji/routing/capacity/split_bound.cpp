// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/capacity/split_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace tsuji::routing {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double equal_lengths = 1e-9;  // relative difference below which shortest paths share the demand

double largest(const std::vector<double>& values) {
  return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

}  // namespace

SplitBound::SplitBound(const CandidateGraphs& graphs, const graph::Topology& topology,
                       const std::vector<double>& flit_cycles)
    : graphs_(graphs),
      topology_(topology),
      numbers_(topology),
      flit_cycles_(flit_cycles),
      bound_(infinite),
      best_(numbers_.size(), 0.0),
      uses_(numbers_.size(), 0.0),
      mean_(numbers_.size(), 0.0),
      distance_(topology.routers()),
      flow_(topology.routers()) {}

/// Frank-Wolfe method on the soft maximum of the links' uses: each step moves part of the demand to the
/// shortest paths under the gradient of the soft maximum; these lengths also give a bound.
void SplitBound::search(double enough, std::uint64_t most_steps) {
  constexpr double gap = 1.005;
  constexpr unsigned most_rounds = 2000;
  constexpr double shortest = 1e-9;  // every link increases a distance by at least this
  if (graphs_.edges() == 0) return;
  const std::size_t ports = numbers_.size();
  std::vector<double> lengths(ports), uses(ports);
  for (std::size_t port = 0; port < ports; ++port) lengths[port] = graphs_.used()[port] ? 1.0 : 0.0;
  for (unsigned round = 0; round < most_rounds; ++round) {
    std::fill(uses.begin(), uses.end(), 0.0);
    const double bound = measure(lengths, &uses);
    if (bound < bound_) {
      bound_ = bound;
      best_ = lengths;
    }
    const double step = 2.0 / (round + 2);
    for (std::size_t port = 0; port < ports; ++port) uses_[port] += step * (uses[port] - uses_[port]);
    const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
    for (std::size_t port = 0; port < ports; ++port)
      mean_[port] += step * (lengths[port] / sum - mean_[port]);
    if (round == 0) try_cuts();
    const double full = largest(uses_);
    if (full == 0 || steps_ > most_steps) break;
    if (1 / full >= enough || bound_ * full <= gap) break;
    if (round >= 8 && (round & (round - 1)) == 0) try_mean();
    const double sharpness = std::min(100.0, 10.0 + 2.0 * round);
    for (std::size_t port = 0; port < ports; ++port)
      lengths[port] =
          graphs_.used()[port] ? std::max(shortest, std::exp(sharpness * (uses_[port] / full - 1))) : 0.0;
  }
  try_mean();
}

double SplitBound::measure(const std::vector<double>& lengths, std::vector<double>* uses) {
  double paths = 0;
  for (const CandidateGraphs::Graph& graph : graphs_.graphs()) {
    distances(graph, lengths);
    for (std::uint32_t router = 0; router < graph.routers; ++router) {
      if (graphs_.demand(graph, router) != 0) paths += graphs_.demand(graph, router) * distance_[router];
    }
    if (uses != nullptr) push(graph, lengths, *uses);
  }
  steps_ += graphs_.edges() * (uses == nullptr ? 1 : 3);
  return paths > 0 ? std::accumulate(lengths.begin(), lengths.end(), 0.0) / paths : infinite;
}

void SplitBound::distances(const CandidateGraphs::Graph& graph, const std::vector<double>& lengths) {
  distance_[0] = 0;
  std::fill(distance_.begin() + 1, distance_.begin() + graph.routers, infinite);
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t router = 1; router < graph.routers; ++router) {
      double shortest = infinite;
      for (auto edge = graphs_.begin(graph, router); edge != graphs_.end(graph, router); ++edge)
        shortest = std::min(shortest, distance_by(*edge, lengths));
      more |= graph.has_circle && shortest < distance_[router];
      distance_[router] = shortest;
    }
  }
}

/// Routers at equal distance (links of length 0) are processed in the order of the graph.
void SplitBound::push(const CandidateGraphs::Graph& graph, const std::vector<double>& lengths,
                      std::vector<double>& uses) {
  by_distance_.resize(graph.routers);
  std::iota(by_distance_.rbegin(), by_distance_.rend(), 0U);
  if (graph.has_circle)
    std::stable_sort(by_distance_.begin(), by_distance_.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return distance_[a] > distance_[b]; });
  for (std::uint32_t router = 0; router < graph.routers; ++router)
    flow_[router] = graphs_.demand(graph, router);
  for (const std::uint32_t router : by_distance_) {
    if (router == 0 || flow_[router] == 0) continue;
    const auto is_shortest = [&](const CandidateGraphs::Edge& edge) {
      return distance_by(edge, lengths) <= distance_[router] * (1 + equal_lengths) &&
             (!graph.has_circle || distance_[edge.to] < distance_[router]);
    };
    const auto begin = graphs_.begin(graph, router), end = graphs_.end(graph, router);
    const double part = flow_[router] / static_cast<double>(std::count_if(begin, end, is_shortest));
    for (auto edge = begin; edge != end; ++edge) {
      if (!is_shortest(*edge)) continue;
      uses[edge->port] += part * flit_cycles_[edge->port];
      flow_[edge->to] += part;
    }
  }
}

std::vector<double> SplitBound::flits() const {
  std::vector<double> flits = uses_;
  for (std::size_t port = 0; port < flits.size(); ++port) flits[port] /= flit_cycles_[port];
  return flits;
}

void SplitBound::try_lengths(const std::vector<double>& lengths) {
  const double bound = measure(lengths, nullptr);
  if (bound > bound_ * (1 + 1e-12)) return;
  bound_ = std::min(bound, bound_);
  best_ = lengths;
}

/// Tries cuts: parallel links in one direction, such as those across the middle of a mesh, with the highest
/// mean use.
void SplitBound::try_cuts() {
  using Key = std::tuple<std::size_t, unsigned, unsigned>;  // axis, from, to
  struct Cut {
    std::vector<std::uint32_t> ports;
    double use = 0;
    double mean() const { return use / static_cast<double>(ports.size()); }
  };
  std::map<Key, Cut> cuts;
  for (graph::RouterId router = 0; router < topology_.routers(); ++router) {
    for (unsigned port = 0; port < topology_.ports(router); ++port) {
      const std::uint32_t number = numbers_({router, port});
      if (!graphs_.used()[number]) continue;
      const auto& from = topology_.coordinates(router);
      const auto& to = topology_.coordinates(topology_.far(router, port).at.router);
      std::size_t axis = 0;
      while (axis < from.size() && from[axis] == to[axis]) ++axis;
      if (axis == from.size()) continue;
      Cut& cut = cuts[{axis, from[axis], to[axis]}];
      cut.ports.push_back(number);
      cut.use += uses_[number];
    }
  }
  std::vector<const Cut*> order;
  for (const auto& [key, cut] : cuts) order.push_back(&cut);
  std::stable_sort(order.begin(), order.end(),
                   [](const Cut* a, const Cut* b) { return a->mean() > b->mean(); });
  constexpr std::size_t most_cuts = 3;
  if (order.size() > most_cuts) order.resize(most_cuts);
  for (const Cut* cut : order) {
    std::vector<double> lengths(numbers_.size(), 0.0);
    for (const std::uint32_t port : cut->ports) lengths[port] = 1.0 / flit_cycles_[port];
    try_lengths(lengths);
  }
}

/// Tries mean lengths: those of single rounds oscillate around the best ones. A cut has equal lengths, all
/// others are 0.
void SplitBound::try_mean() {
  try_lengths(mean_);
  for (const double threshold : {0.05, 0.2, 0.5}) {
    std::vector<double> lengths = mean_;
    const double least = threshold * largest(lengths);
    for (double& length : lengths) length = length >= least ? 1.0 : 0.0;
    try_lengths(lengths);
  }
}

}  // namespace tsuji::routing
