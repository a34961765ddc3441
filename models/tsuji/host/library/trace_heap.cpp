// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/trace_heap.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/host/library/heap.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {
namespace {

using workload::TraceOp;
using workload::TraceOpKind;

constexpr std::uint64_t largest_heap_bytes = std::uint64_t{1} << 28;  // of the key

/// Allocates and releases blocks as a TraceProgram does, from an unbounded heap.
class HeapUse {
 public:
  HeapUse(const workload::Trace& trace, std::uint32_t rank) : trace_(trace), rank_(rank) {}

  /// Bytes in blocks at most while `op` is played.
  std::uint64_t play(const TraceOp& op) {
    most_ = 0;
    switch (op.kind) {
      case TraceOpKind::isend:
      case TraceOpKind::irecv:
        open_.push_back({take(op.value), op, op.kind == TraceOpKind::irecv});
        break;
      case TraceOpKind::wait:
        wait(op);
        break;
      case TraceOpKind::waitall:
        for (const Open& open : open_) heap_.give_back(open.address, open.op.value);
        open_.clear();
        break;
      case TraceOpKind::send:
      case TraceOpKind::recv:
      case TraceOpKind::bcast:
        for_a_while(op.value, 0);
        break;
      case TraceOpKind::reduce:
      case TraceOpKind::allreduce:
        for_a_while(op.value, op.value);
        break;
      case TraceOpKind::alltoall:
        for_a_while(trace_.size() * lines(op.value), trace_.size() * lines(op.value));
        break;
      case TraceOpKind::alltoallv:
        for_a_while(sum(trace_.bytes_to(op)), sum(trace_.bytes_from(op)));
        break;
      default:
        break;
    }
    return most_;
  }

 private:
  struct Open {
    std::uint64_t address = 0;
    TraceOp op;
    bool receives = false;
  };

  std::uint64_t take(std::uint64_t bytes) {
    const std::uint64_t address = heap_.take(bytes);
    most_ = std::max(most_, heap_.bytes_in_blocks());
    return address;
  }
  void for_a_while(std::uint64_t first, std::uint64_t second) {
    const std::uint64_t a = take(first), b = second == 0 ? 0 : take(second);
    if (second != 0) heap_.give_back(b, second);
    heap_.give_back(a, first);
  }
  void wait(const TraceOp& op) {
    const bool to_itself = op.peer == rank_;
    const auto found = std::find_if(open_.begin(), open_.end(), [&](const Open& open) {
      return open.op.peer == op.peer && open.op.tag == op.tag && (to_itself || open.receives == op.receives);
    });
    if (found == open_.end()) return;
    heap_.give_back(found->address, found->op.value);
    open_.erase(found);
  }
  static std::uint64_t lines(std::uint64_t bytes) {
    return (bytes + nic::line_bytes - 1) / nic::line_bytes * nic::line_bytes;
  }
  std::uint64_t sum(const std::uint32_t* counts) const {
    std::uint64_t bytes = 0;
    for (std::size_t rank = 0; rank < trace_.size(); ++rank) bytes += lines(counts[rank]);
    return bytes;
  }

  const workload::Trace& trace_;
  const std::uint32_t rank_;
  Heap heap_{0, ~std::uint64_t{0}};
  std::vector<Open> open_;
  std::uint64_t most_ = 0;
};

}  // namespace

void check_heap(const workload::Trace& trace, std::uint32_t rank, std::uint64_t heap_bytes) {
  HeapUse use(trace, rank);
  std::uint64_t needed = 0;
  const TraceOp* at = nullptr;
  for (const TraceOp& op : trace.ranks[rank].stored()) {
    // Only a heap can be too small for this one; it must not overflow the sum, either.
    if (op.kind != TraceOpKind::compute && op.kind != TraceOpKind::alltoallv &&
        op.value > largest_heap_bytes) {
      throw ConfigError(trace.key, std::to_string(op.value),
                        "rank " + std::to_string(rank) + " has too large a message: " + workload::text_of(op),
                        "0.." + std::to_string(largest_heap_bytes) + " bytes (library.heap_bytes)");
    }
    const std::uint64_t bytes = use.play(op);
    if (bytes <= needed) continue;
    needed = bytes;
    at = &op;
  }
  if (needed <= heap_bytes) return;
  const std::string what = "rank " + std::to_string(rank) + " has " + std::to_string(needed) +
                           " bytes in use at once, at " + workload::text_of(*at);
  if (needed > largest_heap_bytes) {
    throw ConfigError(trace.key, what, "no heap holds the messages of this trace",
                      "up to " + std::to_string(largest_heap_bytes) + " bytes at once");
  }
  throw ConfigError(
      "library.heap_bytes", std::to_string(heap_bytes), "too small for the trace: " + what,
      "at least " + std::to_string((needed + nic::page_bytes - 1) / nic::page_bytes * nic::page_bytes));
}

}  // namespace tsuji::host
