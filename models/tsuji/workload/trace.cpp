// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/trace.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <ostream>

#include "tsuji/core/error.h"

namespace tsuji::workload {
namespace {

constexpr std::array<const char*, 17> op_names = {
    "init",    "finalize", "compute", "send",      "isend",    "recv",      "irecv",     "wait",   "waitall",
    "barrier", "bcast",    "reduce",  "allreduce", "alltoall", "alltoallv", "roi_begin", "roi_end"};

}  // namespace

const char* name_of(TraceOpKind kind) {
  return op_names[static_cast<std::size_t>(kind)];
}

bool is_collective(TraceOpKind kind) {
  switch (kind) {
    case TraceOpKind::barrier:
    case TraceOpKind::bcast:
    case TraceOpKind::reduce:
    case TraceOpKind::allreduce:
    case TraceOpKind::alltoall:
    case TraceOpKind::alltoallv:
    case TraceOpKind::finalize:
      return true;
    default:
      return false;
  }
}

std::uint64_t OperationLines::of(std::size_t operation) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), operation,
                       [](std::size_t wanted, const Run& run) { return wanted < run.operation; });
  const Run& run = *(after - 1);
  return run.line + (operation - run.operation);
}

std::string Trace::place_of(std::size_t rank, std::size_t operation) const {
  const std::string& file = rank < paths.size() ? paths[rank] : path;
  if (rank < lines.size()) return file + ":" + std::to_string(lines[rank].of(operation));
  return "operation " + std::to_string(operation) + " of rank " + std::to_string(rank);
}

std::string Trace::doing(std::size_t rank, std::size_t operation) const {
  const RankOps& ops = ranks[rank];
  return "operation " + std::to_string(operation) + " of " + std::to_string(ops.size()) + ": " +
         text_of(ops[operation]) + (rank < lines.size() ? " (" + place_of(rank, operation) + ")" : "");
}

TraceCount count_of(const Trace& trace) {
  TraceCount count;
  for (const RankOps& ops : trace.ranks) {
    for (std::size_t at = 0; at < ops.stored().size(); ++at) {
      const TraceOp& op = ops.stored()[at];
      if (op.kind == TraceOpKind::roi_begin || op.kind == TraceOpKind::roi_end) continue;
      const std::uint64_t times = ops.times(at);
      count.operations += times;
      if (op.kind == TraceOpKind::compute && op.value > 0) count.computes += times;
      if (op.kind != TraceOpKind::send && op.kind != TraceOpKind::isend) continue;
      count.messages += times;
      count.message_bytes += times * op.value;
    }
  }
  return count;
}

void check_count(const TraceCount& trace, const MessageCount& sent, const MessageCount& received, Cycle end) {
  const auto check = [&](const MessageCount& count, const char* done) {
    if (trace.messages == count.messages && trace.message_bytes == count.bytes) return;
    throw ModelError("trace", end, "",
                     "the trace has " + std::to_string(trace.messages) + " messages of " +
                         std::to_string(trace.message_bytes) + " bytes, and " +
                         std::to_string(count.messages) + " of " + std::to_string(count.bytes) +
                         " bytes were " + done);
  };
  check(sent, "sent");
  check(received, "received");
}

std::string text_of(const TraceOp& op) {
  std::string text = workload::name_of(op.kind);
  switch (op.kind) {
    case TraceOpKind::send:
    case TraceOpKind::isend:
    case TraceOpKind::recv:
    case TraceOpKind::irecv:
      return text + " " + std::to_string(op.peer) + " " + std::to_string(op.tag) + " " +
             std::to_string(op.value);
    case TraceOpKind::wait:
      return text + (op.receives ? " for the message from rank " : " for the message to rank ") +
             std::to_string(op.peer) + ", tag " + std::to_string(op.tag);
    case TraceOpKind::bcast:
    case TraceOpKind::reduce:
      return text + " " + std::to_string(op.value) + ", root " + std::to_string(op.peer);
    case TraceOpKind::compute:
    case TraceOpKind::waitall:
    case TraceOpKind::allreduce:
    case TraceOpKind::alltoall:
      return text + " " + std::to_string(op.value);
    default:
      return text;
  }
}

namespace {

/// The operation's words after the rank.
void write_arguments(const Trace& trace, std::size_t rank, const TraceOp& op, std::ostream& out) {
  switch (op.kind) {
    case TraceOpKind::send:
    case TraceOpKind::isend:
    case TraceOpKind::recv:
    case TraceOpKind::irecv:
      out << ' ' << op.peer << ' ' << op.tag << ' ' << op.value << " 6";
      break;
    case TraceOpKind::wait:
      out << ' ' << (op.receives ? op.peer : rank) << ' ' << (op.receives ? rank : op.peer) << ' ' << op.tag;
      break;
    case TraceOpKind::compute:
    case TraceOpKind::waitall:
      out << ' ' << op.value;
      break;
    case TraceOpKind::bcast:
      out << ' ' << op.value << ' ' << op.peer << " 6";
      break;
    case TraceOpKind::reduce:
      out << ' ' << op.value << " 0 " << op.peer << " 6";
      break;
    case TraceOpKind::allreduce:
      out << ' ' << op.value << " 0 6";
      break;
    case TraceOpKind::alltoall:
      out << ' ' << op.value << ' ' << op.value << " 6 6";
      break;
    case TraceOpKind::alltoallv:
      for (const std::uint32_t* counts : {trace.bytes_to(op), trace.bytes_from(op)}) {
        out << ' ' << std::accumulate(counts, counts + trace.size(), std::uint64_t{0});
        for (std::size_t peer = 0; peer < trace.size(); ++peer) out << ' ' << counts[peer];
      }
      out << " 6 6";
      break;
    default:
      break;
  }
}

}  // namespace

void write_trace(const Trace& trace, std::ostream& out) {
  for (std::size_t rank = 0; rank < trace.size(); ++rank) {
    for (const TraceOp& op : trace.ranks[rank]) {
      if (op.kind == TraceOpKind::roi_begin || op.kind == TraceOpKind::roi_end) {
        out << "# " << name_of(op.kind) << '\n';
        continue;
      }
      out << rank << ' ' << name_of(op.kind);
      write_arguments(trace, rank, op, out);
      out << '\n';
    }
  }
}

}  // namespace tsuji::workload
