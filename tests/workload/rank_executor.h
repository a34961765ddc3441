// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tsuji/workload/trace.h"

namespace tsuji::workload {

/// Runs a trace without any time: messages of a source, destination and tag match in their order. A buffered
/// send completes at once; an unbuffered one when its receive has been posted, the strictest that a message
/// library may be.
class RankExecutor {
 public:
  RankExecutor(const Trace& trace, bool buffered)
      : trace_(trace), buffered_(buffered), ranks_(trace.size()) {}

  /// Returns the problem: ranks that are stuck, messages without a receive, a message longer than its
  /// receive; empty if none.
  std::string run() {
    for (bool moved = true; moved && problem_.empty();) {
      moved = false;
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        while (problem_.empty() && play(rank)) moved = true;
      }
    }
    for (std::size_t rank = 0; rank < ranks_.size() && problem_.empty(); ++rank) check_end(rank);
    for (const auto& [key, ends] : open_) {
      if (problem_.empty() && (!ends.sends.empty() || !ends.receives.empty()))
        problem_ = "a message that has one end only, from " + std::to_string(key[0]) + " to " +
                   std::to_string(key[1]) + ", tag " + std::to_string(key[2]);
    }
    return problem_;
  }

 private:
  struct Request {
    std::uint64_t bytes;
    std::uint16_t peer;
    std::int32_t tag;
    bool receives, done;
  };
  struct Ends {
    std::deque<Request*> sends, receives;
  };
  struct Rank {
    std::size_t at = 0;
    bool posted = false;  ///< the current blocking message is posted
    std::deque<Request> requests;
    std::vector<Request*> open;
    std::size_t collectives = 0;
  };

  Request* post(std::size_t rank, const TraceOp& op, bool receives) {
    ranks_[rank].requests.push_back({op.value, op.peer, op.tag, receives, !receives && buffered_});
    Request* request = &ranks_[rank].requests.back();
    const std::uint64_t self = rank, from = receives ? op.peer : self, to = receives ? self : op.peer;
    Ends& ends = open_[{from, to, static_cast<std::uint64_t>(op.tag)}];
    auto& others = receives ? ends.sends : ends.receives;
    if (others.empty()) {
      (receives ? ends.receives : ends.sends).push_back(request);
      return request;
    }
    Request* other = others.front();
    others.pop_front();
    const Request& sent = receives ? *other : *request;
    const Request& wanted = receives ? *request : *other;
    if (sent.bytes > wanted.bytes)
      problem_ = "rank " + std::to_string(rank) + ", " + text_of(op) + ": longer than its receive";
    request->done = other->done = true;
    return request;
  }

  /// Plays one operation. Returns false if it must wait.
  bool play(std::size_t rank) {
    Rank& r = ranks_[rank];
    if (r.at == trace_.ranks[rank].size()) return false;
    const TraceOp& op = trace_.ranks[rank][r.at];
    if (!done(rank, op)) return false;
    ++r.at;
    return true;
  }

  bool done(std::size_t rank, const TraceOp& op) {
    Rank& r = ranks_[rank];
    switch (op.kind) {
      case TraceOpKind::send:
      case TraceOpKind::recv:
        if (!r.posted) r.open.push_back(post(rank, op, op.kind == TraceOpKind::recv));
        r.posted = !r.open.back()->done;
        if (!r.posted) r.open.pop_back();
        return !r.posted;
      case TraceOpKind::isend:
      case TraceOpKind::irecv:
        r.open.push_back(post(rank, op, op.kind == TraceOpKind::irecv));
        return true;
      case TraceOpKind::wait:
        return take(rank, op);
      case TraceOpKind::waitall:
        if (op.value != r.open.size())
          problem_ = "rank " + std::to_string(rank) + ": waitall for another number";
        for (const Request* request : r.open) {
          if (!request->done) return false;
        }
        r.open.clear();
        return true;
      case TraceOpKind::finalize:
      case TraceOpKind::init:
      case TraceOpKind::compute:
      case TraceOpKind::roi_begin:
      case TraceOpKind::roi_end:
        return true;
      default:
        return meet(rank, op);
    }
  }

  bool take(std::size_t rank, const TraceOp& op) {
    std::vector<Request*>& open = ranks_[rank].open;
    for (auto at = open.begin(); at != open.end(); ++at) {
      const Request& request = **at;
      const bool meant = request.peer == op.peer && request.tag == op.tag &&
                         (request.receives == op.receives || op.peer == rank);
      if (!meant) continue;
      if (!request.done) return false;
      open.erase(at);
      return true;
    }
    problem_ = "rank " + std::to_string(rank) + " has no request for " + text_of(op);
    return false;
  }

  /// A collective ends when all ranks have reached it; all must call the same one.
  bool meet(std::size_t rank, const TraceOp& op) {
    Rank& r = ranks_[rank];
    if (!r.posted) {
      r.posted = true;
      const std::size_t number = r.collectives++;
      if (number == met_.size()) met_.push_back({op, 0});
      Meeting& meeting = met_[number];
      ++meeting.present;
      const bool sized = op.kind != TraceOpKind::alltoallv;
      if (meeting.first.kind != op.kind || meeting.first.peer != op.peer ||
          (sized && meeting.first.value != op.value))
        problem_ =
            "rank " + std::to_string(rank) + ", " + text_of(op) + ": others do " + text_of(meeting.first);
      if (!sized) check_counts(number, rank, op);
    }
    if (met_[r.collectives - 1].present < ranks_.size()) return false;
    r.posted = false;
    return true;
  }

  /// Compares a rank's counts with those of earlier ranks, in both directions.
  void check_counts(std::size_t number, std::size_t rank, const TraceOp& op) {
    counts_.resize(std::max(counts_.size(), number + 1));
    for (const auto& [other, theirs] : counts_[number]) {
      if (trace_.bytes_to(op)[other] != trace_.bytes_from(theirs)[rank] ||
          trace_.bytes_from(op)[other] != trace_.bytes_to(theirs)[rank])
        problem_ =
            "rank " + std::to_string(rank) + ": counts that differ from rank " + std::to_string(other) + "'s";
    }
    counts_[number].emplace_back(rank, op);
  }

  void check_end(std::size_t rank) {
    const Rank& r = ranks_[rank];
    if (r.at < trace_.ranks[rank].size()) {
      problem_ = "rank " + std::to_string(rank) + " waits forever: operation " + std::to_string(r.at) + ", " +
                 text_of(trace_.ranks[rank][r.at]);
    } else if (!r.open.empty()) {
      problem_ = "rank " + std::to_string(rank) + " has requests that it does not wait for";
    }
  }

  struct Meeting {
    TraceOp first;
    std::size_t present;
  };

  const Trace& trace_;
  const bool buffered_;
  std::vector<Rank> ranks_;
  std::map<std::array<std::uint64_t, 3>, Ends> open_;
  std::vector<Meeting> met_;
  std::vector<std::vector<std::pair<std::size_t, TraceOp>>> counts_;
  std::string problem_;
};

}  // namespace tsuji::workload
