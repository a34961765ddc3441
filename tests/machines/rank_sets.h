// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "machines/machines.h"

namespace tsuji::test {

/// Ranks, ascending.
using RankSet = std::vector<std::uint32_t>;

/// Barriers of random sets of ranks.
struct BarrierPlan {
  explicit BarrierPlan(unsigned ranks);
  std::vector<RankSet> groups;
  std::vector<unsigned> rounds;  ///< which group meets, in an order that all its members keep
};

/// One machine's record of a plan.
struct BarrierLog {
  explicit BarrierLog(const BarrierPlan& plan) : entered(plan.rounds.size(), 0) {}
  std::vector<unsigned> entered;   ///< members that have come, each round
  std::vector<std::string> wrong;  ///< members that left too early
  std::map<std::pair<std::uint32_t, std::size_t>, Cycle> left;
};

/// Plays one rank's part. It enters rounds before it has left older ones of other groups, so that several
/// synchronizations of different members are in flight and cross each other. In between it sends data to any
/// rank, so that synchronizations queue after packets in the FIFOs.
void play_barriers(host::RankRuntime& runtime, const BarrierPlan& plan, BarrierLog& log);

/// Multicasts to random sets of ranks, each with one of its members as the root.
struct MulticastPlan {
  MulticastPlan(unsigned ranks, unsigned count);
  struct Round {
    std::uint32_t root;
    RankSet members;
    std::uint64_t bytes, offset;
  };
  static constexpr std::uint64_t room = 6000;
  std::vector<Round> rounds;
};

/// All roots send at once, each round into a separate area. At the end exactly the members hold the bytes,
/// else std::runtime_error.
void play_multicasts(host::RankRuntime& runtime, const MulticastPlan& plan);

}  // namespace tsuji::test
