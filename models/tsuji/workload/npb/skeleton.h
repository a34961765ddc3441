// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tsuji/workload/trace.h"

namespace tsuji::workload::npb {

/// Writes the operations of one rank: point-to-point messages, whose requests it counts; collectives over all
/// ranks, rooted ones at rank 0.
class RankWriter {
 public:
  RankWriter(RankOps& ops, unsigned rank, double flops_per_unit)
      : ops_(ops), rank_(rank), flops_per_unit_(flops_per_unit) {}

  unsigned rank() const { return rank_; }

  /// Writes computing of `flops` operations of the benchmark; omitted if it rounds to 0 units.
  void compute(double flops);
  void send(unsigned to, std::int32_t tag, std::uint64_t bytes) {
    message(TraceOpKind::send, to, tag, bytes);
  }
  void recv(unsigned from, std::int32_t tag, std::uint64_t bytes) {
    message(TraceOpKind::recv, from, tag, bytes);
  }
  void isend(unsigned to, std::int32_t tag, std::uint64_t bytes);
  void irecv(unsigned from, std::int32_t tag, std::uint64_t bytes);
  void wait_sent(unsigned to, std::int32_t tag) { wait(to, tag, false); }
  void wait_received(unsigned from, std::int32_t tag) { wait(from, tag, true); }
  /// Waits for all open requests.
  void wait_all();

  void init() { add(TraceOpKind::init, 0); }
  void finalize() { add(TraceOpKind::finalize, 0); }
  void barrier() { add(TraceOpKind::barrier, 0); }
  void bcast(std::uint64_t bytes) { add(TraceOpKind::bcast, bytes); }
  void reduce(std::uint64_t bytes) { add(TraceOpKind::reduce, bytes); }
  void allreduce(std::uint64_t bytes) { add(TraceOpKind::allreduce, bytes); }
  void alltoall(std::uint64_t bytes_a_peer) { add(TraceOpKind::alltoall, bytes_a_peer); }
  /// `counts` is the index that Skeleton::add_counts() returned.
  void alltoallv(std::uint64_t counts) { add(TraceOpKind::alltoallv, counts); }
  void roi_begin() { add(TraceOpKind::roi_begin, 0); }
  void roi_end() { add(TraceOpKind::roi_end, 0); }

  /// Writes the operations of `body` once, repeated `times` times. `body` may repeat parts of them.
  void repeat(std::uint64_t times, const std::function<void()>& body);

 private:
  void add(TraceOpKind kind, std::uint64_t value);
  void message(TraceOpKind kind, unsigned peer, std::int32_t tag, std::uint64_t bytes);
  void wait(unsigned peer, std::int32_t tag, bool receives);

  RankOps& ops_;
  const unsigned rank_;
  const double flops_per_unit_;
  std::uint64_t requests_ = 0;
};

/// A benchmark's trace under construction.
class Skeleton {
 public:
  /// `flops_per_unit` is the number of the benchmark's operations in one unit of the trace's compute
  /// operations.
  Skeleton(unsigned ranks, double flops_per_unit) : flops_per_unit_(flops_per_unit) {
    trace_.ranks.resize(ranks);
  }

  /// Calls `write` for every rank, between its `init` and its `finalize`.
  void each_rank(const std::function<void(RankWriter&)>& write);
  /// Stores the bytes that one rank's alltoallv sends to and receives from every rank. Returns the index for
  /// alltoallv().
  std::uint64_t add_counts(const std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from);

  Trace take() { return std::move(trace_); }

 private:
  Trace trace_;
  const double flops_per_unit_;
};

}  // namespace tsuji::workload::npb
