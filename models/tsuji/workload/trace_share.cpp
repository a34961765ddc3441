// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/trace_share.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::workload {
namespace {

/// Ends of the ranks' parts. Each only ever moves on, so that what one rank needs of another is met once.
class Cut {
 public:
  Cut(const Trace& trace, double share) : trace_(trace), ranks_(trace.size()) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(body(rank))));
      while (ranks_[rank].end < wanted) advance(rank);
    }
    while (meet_collectives() || meet_message()) {
    }
  }

  std::size_t end(std::size_t rank) const { return ranks_[rank].end; }
  bool is_finalized(std::size_t rank) const { return body(rank) < trace_.ranks[rank].size(); }

 private:
  struct Part {
    std::size_t end = 0;  ///< number of operations
    std::uint64_t open = 0, collectives = 0;
  };
  using Channel = std::tuple<std::size_t, std::size_t, std::int32_t>;  ///< source, destination, tag
  struct Messages {
    std::uint64_t sent = 0, received = 0;
  };

  /// Number of operations without a finalize at the end.
  std::size_t body(std::size_t rank) const {
    const RankOps& ops = trace_.ranks[rank];
    const bool finalized = !ops.empty() && ops[ops.size() - 1].kind == TraceOpKind::finalize;
    return ops.size() - (finalized ? 1 : 0);
  }

  void advance(std::size_t rank) {
    Part& part = ranks_[rank];
    const TraceOp& op = trace_.ranks[rank][part.end++];
    switch (op.kind) {
      case TraceOpKind::send:
      case TraceOpKind::isend:
        count({rank, op.peer, op.tag}, &Messages::sent);
        break;
      case TraceOpKind::recv:
      case TraceOpKind::irecv:
        count({op.peer, rank, op.tag}, &Messages::received);
        break;
      case TraceOpKind::wait:
        --part.open;
        break;
      case TraceOpKind::waitall:
        part.open = 0;
        break;
      default:
        if (is_collective(op.kind)) collectives_ = std::max(collectives_, ++part.collectives);
    }
    if (op.kind == TraceOpKind::isend || op.kind == TraceOpKind::irecv) ++part.open;
  }

  void count(const Channel& channel, std::uint64_t Messages::*end) {
    ++(messages_[channel].*end);
    changed_.push_back(channel);
  }

  void end_requests(std::size_t rank) {
    while (ranks_[rank].open > 0) advance(rank);
  }

  /// All ranks take part in the collectives of any. False: they do already.
  bool meet_collectives() {
    if (met_ == collectives_) return false;
    met_ = collectives_;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      while (ranks_[rank].collectives < met_) advance(rank);
    }
    return true;
  }

  /// Gives the messages of a channel that has changed both ends, and ends open requests, each of which has
  /// changed a channel. False: none has changed.
  bool meet_message() {
    if (changed_.empty()) return false;
    const Channel channel = changed_.back();
    changed_.pop_back();
    const auto& [source, destination, tag] = channel;
    const Messages& both = messages_[channel];
    while (both.sent < both.received) advance(source);
    while (both.received < both.sent) advance(destination);
    end_requests(source);
    end_requests(destination);
    return true;
  }

  const Trace& trace_;
  std::vector<Part> ranks_;
  std::map<Channel, Messages> messages_;
  std::vector<Channel> changed_;  ///< channels that may have messages with one end
  std::uint64_t collectives_ = 0, met_ = 0;
};

/// Operations 0 .. end - 1 of a rank, and its last one if it is `finalized`.
void cut_rank(Trace& trace, std::size_t rank, std::size_t end, bool finalized) {
  const RankOps& whole = trace.ranks[rank];
  RankOps part;
  OperationLines lines;
  const auto take = [&](std::size_t at) {
    if (rank < trace.lines.size()) lines.add(part.size(), trace.lines[rank].of(at));
    part.push_back(whole[at]);
  };
  for (std::size_t at = 0; at < end; ++at) take(at);
  if (finalized) take(whole.size() - 1);
  part.shrink_to_fit();
  trace.ranks[rank] = std::move(part);
  if (rank < trace.lines.size()) trace.lines[rank] = std::move(lines);
}

}  // namespace

Trace first_share(Trace trace, double share) {
  if (share >= 1) return trace;
  double all = 0;
  for (const RankOps& ops : trace.ranks) all += static_cast<double>(ops.size());
  if (share * all > static_cast<double>(most_operations))
    throw ConfigError("workload.trace_share", std::to_string(share),
                      "of the trace's " + std::to_string(static_cast<std::uint64_t>(all)) + " operations",
                      "up to " + std::to_string(static_cast<double>(most_operations) / all) + ", or 1");
  const Cut cut(trace, share);
  std::vector<std::pair<std::size_t, bool>> ends;
  for (std::size_t rank = 0; rank < trace.size(); ++rank)
    ends.emplace_back(cut.end(rank), cut.is_finalized(rank));
  for (std::size_t rank = 0; rank < trace.size(); ++rank)
    cut_rank(trace, rank, ends[rank].first, ends[rank].second);
  return trace;
}

}  // namespace tsuji::workload
