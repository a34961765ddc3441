// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/npb/skeleton.h"

namespace tsuji::workload::npb {

void RankWriter::compute(double flops) {
  const auto units = static_cast<std::uint64_t>(flops / flops_per_unit_ + 0.5);
  if (units > 0) add(TraceOpKind::compute, units);
}

void RankWriter::isend(unsigned to, std::int32_t tag, std::uint64_t bytes) {
  message(TraceOpKind::isend, to, tag, bytes);
  ++requests_;
}

void RankWriter::irecv(unsigned from, std::int32_t tag, std::uint64_t bytes) {
  message(TraceOpKind::irecv, from, tag, bytes);
  ++requests_;
}

void RankWriter::wait_all() {
  add(TraceOpKind::waitall, requests_);
  requests_ = 0;
}

void RankWriter::repeat(std::uint64_t times, const std::function<void()>& body) {
  if (times == 0) return;
  const std::size_t first = ops_.stored().size();
  body();
  ops_.repeat_from(first, times);
}

void RankWriter::add(TraceOpKind kind, std::uint64_t value) {
  TraceOp op;
  op.kind = kind;
  op.value = value;
  ops_.push_back(op);
}

void RankWriter::message(TraceOpKind kind, unsigned peer, std::int32_t tag, std::uint64_t bytes) {
  TraceOp op;
  op.kind = kind;
  op.value = bytes;
  op.tag = tag;
  op.peer = static_cast<std::uint16_t>(peer);
  ops_.push_back(op);
}

void RankWriter::wait(unsigned peer, std::int32_t tag, bool receives) {
  TraceOp op;
  op.kind = TraceOpKind::wait;
  op.tag = tag;
  op.peer = static_cast<std::uint16_t>(peer);
  // A message to itself is either end's; the reader of traces sees the destination.
  op.receives = receives || peer == rank_;
  ops_.push_back(op);
  --requests_;
}

void Skeleton::each_rank(const std::function<void(RankWriter&)>& write) {
  for (unsigned rank = 0; rank < trace_.ranks.size(); ++rank) {
    RankWriter writer(trace_.ranks[rank], rank, flops_per_unit_);
    writer.init();
    write(writer);
    writer.finalize();
    trace_.ranks[rank].shrink_to_fit();
  }
}

std::uint64_t Skeleton::add_counts(const std::vector<std::uint32_t>& to,
                                   const std::vector<std::uint32_t>& from) {
  const std::uint64_t at = trace_.counts.size();
  trace_.counts.insert(trace_.counts.end(), to.begin(), to.end());
  trace_.counts.insert(trace_.counts.end(), from.begin(), from.end());
  return at;
}

}  // namespace tsuji::workload::npb
