// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/collectives.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::workload {
namespace {

using Kind = MessageStep::Kind;

}  // namespace

MessageSteps binomial_broadcast(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  const std::uint32_t relative = (rank + ranks - root) % ranks;
  const auto absolute = [&](std::uint32_t place) { return (place + root) % ranks; };
  MessageSteps steps;
  std::uint32_t mask = 1;
  // The lowest set bit of the place in the tree is the edge to the parent; below it lie the children.
  while (mask < ranks && (relative & mask) == 0) mask <<= 1;
  if (relative != 0) steps.push_back({Kind::receive, absolute(relative - mask), 0});
  for (mask >>= 1; mask > 0; mask >>= 1) {
    if (relative + mask < ranks) steps.push_back({Kind::send, absolute(relative + mask), 0});
  }
  return steps;
}

MessageSteps binomial_reduce(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  MessageSteps steps = binomial_broadcast(rank, ranks, root);
  std::reverse(steps.begin(), steps.end());
  for (MessageStep& step : steps) step.kind = step.kind == Kind::send ? Kind::receive : Kind::send;
  return steps;
}

MessageSteps staggered_all_to_all(std::uint32_t rank, std::uint32_t ranks) {
  MessageSteps steps;
  steps.reserve(ranks);
  for (std::uint32_t round = 1; round < ranks; ++round) {
    steps.push_back({Kind::exchange, (rank + round) % ranks, (rank + ranks - round) % ranks});
  }
  return steps;
}

MessageSteps dissemination_barrier(std::uint32_t rank, std::uint32_t ranks) {
  MessageSteps steps;
  for (std::uint32_t distance = 1; distance < ranks; distance <<= 1) {
    steps.push_back({Kind::exchange, (rank + distance) % ranks, (rank + ranks - distance) % ranks});
  }
  return steps;
}

MessageSteps tree_barrier(std::uint32_t rank, std::uint32_t ranks) {
  MessageSteps steps = binomial_reduce(rank, ranks, 0);
  const MessageSteps release = binomial_broadcast(rank, ranks, 0);
  steps.insert(steps.end(), release.begin(), release.end());
  return steps;
}

FanIn fan_in(std::uint32_t rank, std::uint32_t ranks, std::uint32_t fan_in) {
  FanIn place;
  std::uint64_t apart = 1;  // of a level's ranks
  for (; apart < ranks && rank % (apart * fan_in) == 0; apart *= fan_in)
    for (std::uint32_t k = 1; k < fan_in && rank + k * apart < ranks; ++k) ++place.children;
  place.parent = static_cast<std::uint32_t>(rank - rank % (apart * fan_in));
  return place;
}

MessageSteps linear_broadcast(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  if (rank != root) return {{Kind::receive, root, 0}};
  MessageSteps steps;
  for (std::uint32_t distance = 1; distance < ranks; ++distance) {
    steps.push_back({Kind::send, (root + distance) % ranks, 0});
  }
  return steps;
}

MessageSteps linear_reduce(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  MessageSteps steps = linear_broadcast(rank, ranks, root);
  for (MessageStep& step : steps) step.kind = step.kind == Kind::send ? Kind::receive : Kind::send;
  return steps;
}

MessageSteps recursive_doubling(std::uint32_t rank, std::uint32_t ranks) {
  std::uint32_t places = 1;
  while (places * 2 <= ranks) places *= 2;
  const std::uint32_t doubled = ranks - places;  // pairs of the first ranks that share a place
  if (rank < 2 * doubled && rank % 2 == 0) return {{Kind::send, rank + 1, 0}, {Kind::receive, rank + 1, 0}};
  const bool stands_for_two = rank < 2 * doubled;
  const std::uint32_t place = stands_for_two ? rank / 2 : rank - doubled;
  MessageSteps steps;
  if (stands_for_two) steps.push_back({Kind::receive, rank - 1, 0});
  for (std::uint32_t distance = 1; distance < places; distance *= 2) {
    const std::uint32_t other = place ^ distance;
    const std::uint32_t partner = other < doubled ? 2 * other + 1 : other + doubled;
    steps.push_back({Kind::exchange, partner, partner});
  }
  if (stands_for_two) steps.push_back({Kind::send, rank - 1, 0});
  return steps;
}

const std::vector<CollectiveAlgorithm>& barrier_algorithms() {
  static const std::vector<CollectiveAlgorithm> table = {
      {"dissemination", [](auto rank, auto ranks, auto) { return dissemination_barrier(rank, ranks); }},
      {"tree", [](auto rank, auto ranks, auto) { return tree_barrier(rank, ranks); }}};
  return table;
}

const std::vector<CollectiveAlgorithm>& broadcast_algorithms() {
  static const std::vector<CollectiveAlgorithm> table = {{"binomial", binomial_broadcast},
                                                         {"linear", linear_broadcast, true}};
  return table;
}

const std::vector<CollectiveAlgorithm>& reduce_algorithms() {
  static const std::vector<CollectiveAlgorithm> table = {{"binomial", binomial_reduce},
                                                         {"linear", linear_reduce, true}};
  return table;
}

const std::vector<CollectiveAlgorithm>& all_reduce_algorithms() {
  static const std::vector<CollectiveAlgorithm> table = {
      {"recursive_doubling", [](auto rank, auto ranks, auto) { return recursive_doubling(rank, ranks); }},
      // A tree barrier with values in its messages.
      {"reduce_broadcast", [](auto rank, auto ranks, auto) { return tree_barrier(rank, ranks); }}};
  return table;
}

const std::vector<CollectiveAlgorithm>& all_to_all_algorithms() {
  static const std::vector<CollectiveAlgorithm> table = {
      {"staggered", [](auto rank, auto ranks, auto) { return staggered_all_to_all(rank, ranks); }},
      {"linear", [](auto rank, auto ranks, auto) { return staggered_all_to_all(rank, ranks); }, true}};
  return table;
}

const CollectiveAlgorithm& find_algorithm(const std::vector<CollectiveAlgorithm>& table,
                                          const std::string& name, const std::string& key) {
  std::string accepted;
  for (const CollectiveAlgorithm& algorithm : table) {
    if (algorithm.name == name) return algorithm;
    accepted += (accepted.empty() ? "" : ", ") + std::string(algorithm.name);
  }
  throw ConfigError(key, name, "unknown algorithm", accepted);
}

}  // namespace tsuji::workload
