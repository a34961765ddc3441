#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tsuji::workload {

/// The operations of a time-independent (TI) trace that this project plays.
enum class TraceOpKind : std::uint8_t {
  init,
  finalize,
  compute,
  send,
  isend,
  recv,
  irecv,
  wait,
  waitall,
  barrier,
  bcast,
  reduce,
  allreduce,
  alltoall,
  alltoallv,
  roi_begin,  ///< the benchmark's own timed section, from a comment line
  roi_end,
};

/// The word that stands for an operation in the trace.
const char* name_of(TraceOpKind kind);

/// One operation of one rank, compact because a trace holds millions of them.
struct TraceOp {
  /// compute: flops; waitall: requests; alltoallv: index into Trace::counts; others: bytes (alltoall: per
  /// peer).
  std::uint64_t value = 0;
  std::int32_t tag = 0;
  std::uint16_t peer = 0;  ///< the other rank of a message or a wait; the root of a bcast or reduce
  TraceOpKind kind = TraceOpKind::init;
  /// wait: the request is a receive of this rank. A rank that waits for a message to itself means its oldest
  /// request with that tag, sent or received.
  bool receives = false;
};
static_assert(sizeof(TraceOp) == 16, "a trace of 10^7 operations must fit into memory with ease");

/// All ranks take part in it, and it is played as messages between them; finalize, too, where its player
/// makes it so.
bool is_collective(TraceOpKind kind);
/// "recv 4 2 40960", for reports.
std::string text_of(const TraceOp& op);

/// A whole trace: what every rank does, in order.
struct Trace {
  std::vector<std::vector<TraceOp>> ranks;
  /// For every alltoallv, the bytes to each rank, then the bytes from each rank.
  std::vector<std::uint32_t> counts;

  std::size_t size() const { return ranks.size(); }
  const std::uint32_t* bytes_to(const TraceOp& alltoallv) const { return counts.data() + alltoallv.value; }
  const std::uint32_t* bytes_from(const TraceOp& alltoallv) const {
    return counts.data() + alltoallv.value + ranks.size();
  }
};

/// What a machine can play.
struct TraceLimits {
  /// Of all compute operations of a rank together; `because` tells in the refusal where it comes from.
  std::uint64_t rank_flops = std::numeric_limits<std::uint64_t>::max() / 2;
  std::string because;
};

/// Reads a TI trace, plain or zstd-compressed (told by its first bytes; windows up to 2^30), as a stream: one
/// file with the ranks one after the other, one operation a line, `rank op args`, every size in bytes
/// (datatype 6, MPI_BYTE), one communicator. Lines that start with `#` are comments, but `# roi_begin` and `#
/// roi_end` are kept.
///
/// Whatever else the file says is refused with ConfigError: file:line, the value and what is accepted. So are
/// a wait for a request that does not exist, requests that nobody waits for, more than `limits` allow, and a
/// file that ends early.
Trace read_trace(const std::string& path, const TraceLimits& limits = {});

}  // namespace tsuji::workload
