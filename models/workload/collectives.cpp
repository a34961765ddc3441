#include "workload/collectives.h"

#include <algorithm>

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

}  // namespace tsuji::workload
