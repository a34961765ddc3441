// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tsuji::workload {

/// One message of one rank within a collective operation; a rank does its steps in order.
struct MessageStep {
  enum class Kind : std::uint8_t {
    send,
    receive,
    exchange,  ///< sends to `peer` and receives from `source` at once
  };
  Kind kind = Kind::send;
  std::uint32_t peer = 0;    ///< destination of a send, source of a receive
  std::uint32_t source = 0;  ///< exchange only
  bool operator==(const MessageStep& other) const {
    return kind == other.kind && peer == other.peer && source == other.source;
  }
};

using MessageSteps = std::vector<MessageStep>;

/// Binomial tree from `root`: at most one receive, then sends to ever smaller subtrees. ceil(log2 ranks)
/// rounds.
MessageSteps binomial_broadcast(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);

/// The binomial tree towards `root`: receives from the smallest subtree on, whose values are combined into
/// one's own, then at most one send.
MessageSteps binomial_reduce(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);

/// Exchanges in the order in which no two ranks send to the same one in a round: in round k to rank + k, from
/// rank - k. The rank itself (round 0) is left out.
MessageSteps staggered_all_to_all(std::uint32_t rank, std::uint32_t ranks);

/// Dissemination barrier: in round k an exchange with the ranks at distance 2^k.
MessageSteps dissemination_barrier(std::uint32_t rank, std::uint32_t ranks);

/// Tree barrier: an empty binomial reduce to rank 0, then an empty binomial broadcast.
MessageSteps tree_barrier(std::uint32_t rank, std::uint32_t ranks);

/// A rank's place in a tree in which `fan_in` ranks of a level meet at the first of them, which is in the
/// next level, too. Rank 0 is the root.
struct FanIn {
  std::uint32_t parent = 0;    ///< of the others
  std::uint32_t children = 0;  ///< on all levels
};
FanIn fan_in(std::uint32_t rank, std::uint32_t ranks, std::uint32_t fan_in);

/// The root sends to all others, by rising distance; the others receive.
MessageSteps linear_broadcast(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);

/// The root receives from all others, by rising distance; the others send.
MessageSteps linear_reduce(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);

/// Everybody's sum by exchanges with the partners at distance 1, 2, 4, ... Of a number of ranks that is no
/// power of two, every odd one of the first ranks stands for its left neighbour, too: receives from it before
/// and sends to it after.
MessageSteps recursive_doubling(std::uint32_t rank, std::uint32_t ranks);

/// An algorithm of a collective operation by name. Within one operation it sends at most one message from one
/// rank to another.
struct CollectiveAlgorithm {
  const char* name;
  MessageSteps (*steps)(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);
  bool at_once = false;  ///< all steps begin before the first is waited for
};
const std::vector<CollectiveAlgorithm>& barrier_algorithms();
const std::vector<CollectiveAlgorithm>& broadcast_algorithms();
const std::vector<CollectiveAlgorithm>& reduce_algorithms();
const std::vector<CollectiveAlgorithm>& all_reduce_algorithms();
const std::vector<CollectiveAlgorithm>& all_to_all_algorithms();

/// ConfigError with `key` for a name that is not in the table.
const CollectiveAlgorithm& find_algorithm(const std::vector<CollectiveAlgorithm>& table,
                                          const std::string& name, const std::string& key);

}  // namespace tsuji::workload
