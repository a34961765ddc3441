#pragma once

#include <cstdint>
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

/// The same tree towards `root`: receives from the smallest subtree on, whose values are combined into one's
/// own, then at most one send.
MessageSteps binomial_reduce(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);

/// Exchanges in the order in which no two ranks send to the same one in a round: in round k to rank + k, from
/// rank - k. The rank itself (round 0) is left out.
MessageSteps staggered_all_to_all(std::uint32_t rank, std::uint32_t ranks);

/// Dissemination barrier: in round k an exchange with the ranks at distance 2^k.
MessageSteps dissemination_barrier(std::uint32_t rank, std::uint32_t ranks);

/// Tree barrier: an empty binomial reduce to rank 0, then an empty binomial broadcast.
MessageSteps tree_barrier(std::uint32_t rank, std::uint32_t ranks);

}  // namespace tsuji::workload
