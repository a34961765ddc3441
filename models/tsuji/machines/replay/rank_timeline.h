// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tsuji/workload/rank_replay.h"

namespace tsuji::machines {

/// Timeline of the ranks' computing and waits, the messages between ranks, and the critical path through
/// both.
///
/// Contract: an observer of every rank of a replay; the results once all ranks have finished.
class RankTimeline final : public workload::RankWatch {
 public:
  /// Cycles of a rank with one operation.
  struct Span {
    workload::TraceOpKind operation = workload::TraceOpKind::compute;
    Cycle first = 0, end = 0;
    bool waits = false;
    workload::MessageKey ended_by;  ///< of a wait
  };
  /// Part of the critical path: computing, or a message that a rank waited for.
  struct Step {
    std::uint16_t rank = 0,  ///< that computes, or that waits for the message
        from = 0;            ///< the sender; the rank itself when it computes
    workload::TraceOpKind operation = workload::TraceOpKind::compute;
    Cycle first = 0, end = 0;
    bool message = false;
  };
  struct Count {
    std::uint64_t messages = 0, bytes = 0;
  };

  explicit RankTimeline(std::size_t ranks) : ranks_(ranks) {}

  const std::vector<Span>& spans(std::size_t rank) const { return ranks_[rank].spans; }
  std::size_t ranks() const { return ranks_.size(); }
  /// Messages by (sender, receiver); those of collective operations, too.
  std::map<std::pair<std::uint16_t, std::uint16_t>, Count> matrix() const;
  /// From cycle 1 to the end of the last rank, in the order of time; each step begins where the one before
  /// ends. A step leads back over the message that has ended a wait: to the sender if the message, or its
  /// announcement, was sent last, and to the receiver's own operations if its receive was.
  std::vector<Step> critical_path() const;
  /// Rank that finishes last; the lowest of several.
  std::uint16_t last_rank() const;

  void spent(std::uint16_t rank, workload::TraceOpKind operation, Cycle first, Cycle end,
             const workload::MessageKey* ended_by) override;
  void sent(std::uint16_t rank, const workload::RankMessage& message, Cycle now) override;
  void came(std::uint16_t rank, const workload::RankMessage& message, Cycle now) override;

 private:
  using Part = workload::RankMessage::Part;
  /// A part of a message.
  using Name = std::pair<std::uint64_t, std::uint64_t>;
  struct Hash {
    std::size_t operator()(const Name& name) const {
      return std::hash<std::uint64_t>()(name.first * 0x9E3779B97F4A7C15ULL ^ name.second);
    }
  };
  using Cycles = std::unordered_map<Name, Cycle, Hash>;
  /// Written by the rank's own thread.
  struct Rank {
    std::vector<Span> spans;
    Cycles sent, came;
    std::map<std::uint16_t, Count> to;
  };
  static Name name(const workload::MessageKey& key, Part part);
  static Cycle cycle_of(const Cycles& cycles, const workload::MessageKey& key, Part part);
  Cycle end_of(std::size_t rank) const {
    return ranks_[rank].spans.empty() ? 1 : ranks_[rank].spans.back().end;
  }
  Step before(std::uint16_t rank, Cycle at) const;

  std::vector<Rank> ranks_;
};

}  // namespace tsuji::machines
