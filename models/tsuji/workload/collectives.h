// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tsuji::workload {

/// A message of one rank within a collective operation; a rank performs its steps in order.
struct MessageStep {
  enum class Kind : std::uint8_t {
    send,
    receive,
    exchange,  ///< Sends to `peer` and receives from `source` concurrently.
  };
  Kind kind = Kind::send;
  std::uint32_t peer = 0;    ///< destination of a send, source of a receive
  std::uint32_t source = 0;  ///< exchange only
  bool operator==(const MessageStep& other) const {
    return kind == other.kind && peer == other.peer && source == other.source;
  }
};

using MessageSteps = std::vector<MessageStep>;

/// Binomial tree from `root` in ceil(log2 ranks) rounds: at most one receive, then sends to subtrees of
/// decreasing size.
MessageSteps binomial_broadcast(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);

/// Binomial tree towards `root`: receives from subtrees of increasing size and combines their values with the
/// rank's own, then at most one send.
MessageSteps binomial_reduce(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);

/// Exchanges with all other ranks such that no two ranks send to one rank in a round: in round k the rank
/// sends to rank + k and receives from rank - k, modulo ranks. Round 0, the rank itself, is omitted.
MessageSteps staggered_all_to_all(std::uint32_t rank, std::uint32_t ranks);

/// Dissemination barrier: in round k the rank sends to rank + 2^k and receives from rank - 2^k, modulo ranks.
MessageSteps dissemination_barrier(std::uint32_t rank, std::uint32_t ranks);

/// Tree barrier: an empty binomial reduce to rank 0, then an empty binomial broadcast.
MessageSteps tree_barrier(std::uint32_t rank, std::uint32_t ranks);

/// A rank's position in a tree in which groups of `fan_in` ranks of a level are joined at their first rank,
/// which also belongs to the next level. Rank 0 is the root.
struct FanIn {
  std::uint32_t parent = 0;    ///< Parent of any rank but the root.
  std::uint32_t children = 0;  ///< Number of children on all levels.
};
FanIn fan_in(std::uint32_t rank, std::uint32_t ranks, std::uint32_t fan_in);

/// Linear broadcast: the root sends to all other ranks, by rising distance; the others receive.
MessageSteps linear_broadcast(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);

/// Linear reduction: the root receives from all other ranks, by rising distance; the others send.
MessageSteps linear_reduce(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);

/// All-reduce by recursive doubling: exchanges with the partners at distance 1, 2, 4, ... If the number of
/// ranks is not a power of two, every odd rank among the first ones also represents its left neighbour: it
/// receives from that neighbour before the exchanges and sends to it afterwards.
MessageSteps recursive_doubling(std::uint32_t rank, std::uint32_t ranks);

/// A named algorithm of a collective operation. Within one operation it sends at most one message from one
/// rank to another.
struct CollectiveAlgorithm {
  const char* name;
  MessageSteps (*steps)(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);
  bool at_once = false;  ///< All steps are started before the first one is waited for.
};
const std::vector<CollectiveAlgorithm>& barrier_algorithms();
const std::vector<CollectiveAlgorithm>& broadcast_algorithms();
const std::vector<CollectiveAlgorithm>& reduce_algorithms();
const std::vector<CollectiveAlgorithm>& all_reduce_algorithms();
const std::vector<CollectiveAlgorithm>& all_to_all_algorithms();

/// Finds an algorithm. Throws ConfigError with `key` for a name that is not in the table.
const CollectiveAlgorithm& find_algorithm(const std::vector<CollectiveAlgorithm>& table,
                                          const std::string& name, const std::string& key);

}  // namespace tsuji::workload
