// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/traffic_matrix.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tsuji/core/error.h"
#include "tsuji/workload/field_reader.h"

namespace tsuji::workload {
namespace {

[[noreturn]] void refuse(const std::string& path, std::uint64_t line, const std::string& value,
                         const std::string& problem, const std::string& accepted) {
  throw ConfigError("traffic.matrix", value, problem, accepted).at(path + ":" + std::to_string(line));
}

}  // namespace

TrafficMatrix::TrafficMatrix(const std::string& path, const TrafficMatrixRules& rules)
    : row_begin_(rules.nodes + 1, 0), shares_(rules.nodes, 0.0), reaches_(rules.nodes, false) {
  read(path, rules);
  leave_out(rules.states);
  const auto lives = [&](NodeId node) {
    return rules.states.empty() || rules.states[node] == NodeState::living;
  };
  unsigned living = 0;
  double whole = 0;
  for (NodeId node = 0, at = 0; node < rules.nodes; ++node) {
    double sum = 0;
    for (; at < pairs_.size() && pairs_[at].source == node; ++at) {
      sum += pairs_[at].rate;
      pairs_[at].rate = sum;
      if (lives(pairs_[at].destination)) reaches_[node] = true;
    }
    row_begin_[node + 1] = at;
    shares_[node] = sum;
    if (!lives(node)) continue;
    ++living;
    whole += sum;
  }
  if (whole <= 0) throw ConfigError("traffic.matrix", path, "no pair has any traffic", "one rate above 0");
  if (!std::isfinite(whole)) throw ConfigError("traffic.matrix", path, "rates too large", "a finite sum");
  const double mean = whole / living;
  for (double& share : shares_) share /= mean;
  if (rules.receivers_send) check_receivers(path, rules.states);
}

void TrafficMatrix::read(const std::string& path, const TrafficMatrixRules& rules) {
  FieldReader fields(path, "traffic.matrix");
  constexpr std::size_t most_pairs = std::size_t{1} << 26;
  while (fields.next(3, "SOURCE DESTINATION RATE")) {
    if (pairs_.size() == most_pairs)
      fields.refuse(0, "the matrix is too long", "at most " + std::to_string(most_pairs) + " pairs");
    Pair pair{};
    pair.source = static_cast<NodeId>(fields.integer(0, 0, rules.nodes - 1, "a node"));
    pair.destination = static_cast<NodeId>(fields.integer(1, 0, rules.nodes - 1, "a node"));
    pair.rate = fields.rate(2);
    pair.line = fields.line_number();
    if (pair.rate > 0 && pair.source == pair.destination && !rules.to_self) {
      fields.refuse(1, "a node that sends to itself, while traffic.to_self is false", "another node");
    }
    pairs_.push_back(pair);
  }
  std::sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) {
    return std::tie(a.source, a.destination, a.line) < std::tie(b.source, b.destination, b.line);
  });
  for (std::size_t i = 1; i < pairs_.size(); ++i) {
    const Pair &first = pairs_[i - 1], &again = pairs_[i];
    if (first.source != again.source || first.destination != again.destination) continue;
    refuse(path, again.line, std::to_string(again.source) + " " + std::to_string(again.destination),
           "a pair that line " + std::to_string(first.line) + " has already", "every pair once");
  }
  pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(), [](const Pair& pair) { return pair.rate <= 0; }),
               pairs_.end());
}

void TrafficMatrix::leave_out(const std::vector<NodeState>& states) {
  if (states.empty()) return;
  const auto is_dead = [&](const Pair& pair) {
    return states[pair.source] == NodeState::dead || states[pair.destination] == NodeState::dead;
  };
  pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(), is_dead), pairs_.end());
}

void TrafficMatrix::check_receivers(const std::string& path, const std::vector<NodeState>& states) const {
  for (const Pair& pair : pairs_) {
    if (!states.empty() && states[pair.destination] == NodeState::cut_off)
      refuse(path, pair.line, std::to_string(pair.destination),
             "this node is cut off by dead links and routers", "in a closed loop, nodes that send back");
    if (shares_[pair.destination] > 0) continue;
    refuse(path, pair.line, std::to_string(pair.destination), "this node receives and never sends",
           "in a closed loop, a rate from every node that receives");
  }
}

NodeId TrafficMatrix::destination(NodeId source, double unit) const {
  const auto begin = pairs_.begin() + static_cast<std::ptrdiff_t>(row_begin_[source]);
  const auto end = pairs_.begin() + static_cast<std::ptrdiff_t>(row_begin_[source + 1]);
  const double at = unit * (end - 1)->rate;
  const auto found =
      std::upper_bound(begin, end - 1, at, [](double value, const Pair& pair) { return value < pair.rate; });
  return found->destination;
}

double TrafficMatrix::probability(NodeId source, NodeId destination) const {
  const auto begin = pairs_.begin() + static_cast<std::ptrdiff_t>(row_begin_[source]);
  const auto end = pairs_.begin() + static_cast<std::ptrdiff_t>(row_begin_[source + 1]);
  const auto found = std::lower_bound(begin, end, destination,
                                      [](const Pair& pair, NodeId node) { return pair.destination < node; });
  if (found == end || found->destination != destination) return 0.0;
  const double before = found == begin ? 0.0 : (found - 1)->rate;
  return (found->rate - before) / (end - 1)->rate;
}

}  // namespace tsuji::workload
