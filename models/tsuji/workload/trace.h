// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/units.h"

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

struct Trace;
/// Writes `trace` as TI text, one operation a line; read_trace() reads the same trace from it.
void write_trace(const Trace& trace, std::ostream& out);

/// Order of the elements of a list of which one stretch is done several times after each other, and stored
/// once.
struct Repetition {
  std::size_t first = 0, length = 0;  ///< the stretch that repeats; 0 long: none
  std::size_t skipped = 0;            ///< elements of its repetitions, which are not stored

  /// Place in the list of the element that comes as number `at`.
  std::size_t stored(std::size_t at) const {
    if (at < first + length || length == 0) return at;
    if (at >= first + length + skipped) return at - skipped;
    return first + (at - first) % length;
  }
  std::size_t times() const { return length == 0 ? 1 : skipped / length + 1; }
  bool repeats(std::size_t stored_at) const { return stored_at >= first && stored_at < first + length; }
};

/// Operations of one rank, in order. One stretch may stand for many equal ones after each other (an
/// application's time steps), so that a whole run takes the memory of one step.
class RankOps {
 public:
  RankOps() = default;
  RankOps(std::vector<TraceOp> ops) : stored_(std::move(ops)) {}  // NOLINT: any list of operations is one

  void push_back(const TraceOp& op) { stored_.push_back(op); }
  void shrink_to_fit() { stored_.shrink_to_fit(); }
  /// Everything from `first` (counted without repetitions) to the end is done `times` times, >= 1; once a
  /// rank.
  void repeat_from(std::size_t first, std::uint64_t times) {
    const std::size_t length = stored_.size() - first;
    repetition_ = {first, length, length * (times - 1)};
  }

  /// With every repetition.
  std::size_t size() const { return stored_.size() + repetition_.skipped; }
  bool empty() const { return stored_.empty(); }
  const TraceOp& operator[](std::size_t at) const { return stored_[repetition_.stored(at)]; }
  /// Each operation as often as it is written down: for what does not depend on how often it is done.
  const std::vector<TraceOp>& stored() const { return stored_; }
  const Repetition& repetition() const { return repetition_; }
  /// How often a stored operation is done.
  std::uint64_t times(std::size_t stored_at) const {
    return repetition_.repeats(stored_at) ? repetition_.times() : 1;
  }

  class const_iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = TraceOp;
    using difference_type = std::ptrdiff_t;
    using pointer = const TraceOp*;
    using reference = const TraceOp&;
    const_iterator(const RankOps& ops, std::size_t at) : ops_(&ops), at_(at) {}
    reference operator*() const { return (*ops_)[at_]; }
    pointer operator->() const { return &(*ops_)[at_]; }
    const_iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const const_iterator& other) const { return at_ == other.at_; }
    bool operator!=(const const_iterator& other) const { return at_ != other.at_; }

   private:
    const RankOps* ops_;
    std::size_t at_;
  };
  const_iterator begin() const { return {*this, 0}; }
  const_iterator end() const { return {*this, size()}; }

 private:
  std::vector<TraceOp> stored_;
  Repetition repetition_;
};

/// Lines of a file on which the operations of one rank stand, one operation a line. Operations on lines that
/// follow each other take the memory of one number.
class OperationLines {
 public:
  /// Line of the next operation, which is number `operation` of its rank.
  void add(std::size_t operation, std::uint64_t line) {
    if (!runs_.empty() && line - runs_.back().line == operation - runs_.back().operation) return;
    runs_.push_back({operation, line});
  }
  /// Line of an operation that was added.
  std::uint64_t of(std::size_t operation) const;

 private:
  struct Run {
    std::size_t operation;  ///< first of the run
    std::uint64_t line;     ///< of that operation
  };
  std::vector<Run> runs_;
};

/// A whole trace: what every rank does, in order.
struct Trace {
  const char* key = "workload.trace";  ///< the configuration key that it comes from
  std::vector<RankOps> ranks;
  /// For every alltoallv, the bytes to each rank, then the bytes from each rank.
  std::vector<std::uint32_t> counts;
  std::string path;                   ///< of its file; empty: it comes from none
  std::vector<OperationLines> lines;  ///< per rank, of a trace from a file

  std::size_t size() const { return ranks.size(); }
  const std::uint32_t* bytes_to(const TraceOp& alltoallv) const { return counts.data() + alltoallv.value; }
  const std::uint32_t* bytes_from(const TraceOp& alltoallv) const {
    return counts.data() + alltoallv.value + ranks.size();
  }
  /// "cg.ti:17", or "operation 16 of rank 0" (counted from 0, with every repetition) where no file is known.
  std::string place_of(std::size_t rank, std::size_t operation) const;
  /// "operation 16 of 40: recv 4 2 40960 (cg.ti:17)", for reports; without the parenthesis where no file is
  /// known.
  std::string doing(std::size_t rank, std::size_t operation) const;
};

/// Counts of a trace, with every repetition, without its comments: those of a complete replay.
struct TraceCount {
  std::uint64_t operations = 0;
  std::uint64_t computes = 0;       ///< compute operations of at least one flop
  std::uint64_t messages = 0;       ///< point to point: send and isend
  std::uint64_t message_bytes = 0;  ///< of those
};
TraceCount count_of(const Trace& trace);

/// Point-to-point messages of ranks, counted where they are sent or received.
struct MessageCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  void add(std::uint64_t message_bytes) {
    ++messages;
    bytes += message_bytes;
  }
  MessageCount& operator+=(const MessageCount& more) {
    messages += more.messages;
    bytes += more.bytes;
    return *this;
  }
};
/// ModelError where a replay that is over has not sent or not received all point-to-point messages of its
/// trace, and their bytes.
void check_count(const TraceCount& trace, const MessageCount& sent, const MessageCount& received, Cycle end);

/// Limits of a machine that plays a trace.
struct TraceLimits {
  /// Of all compute operations of a rank together; `because` tells in the refusal where it comes from.
  std::uint64_t rank_flops = std::numeric_limits<std::uint64_t>::max() / 2;
  std::string because;
};

/// Most operations (2 GiB) and alltoallv counts (1 GiB) of a trace from a file.
inline constexpr std::uint64_t most_operations = 1U << 27, most_counts = 1U << 28;

/// Reads a TI trace, uncompressed or zstd (told by its first bytes; windows up to 2^30), as a stream: one
/// file with the ranks one after the other, one operation a line, `rank op args`, every size in bytes
/// (datatype 6, MPI_BYTE), one communicator. Lines that start with `#` are comments, but `# roi_begin` and `#
/// roi_end` are kept.
///
/// Everything else is refused with ConfigError: file:line, the value and what is accepted. So are
/// a wait for a request that does not exist, requests that nobody waits for, more than `limits` allow, and a
/// file that ends early, and one that takes more memory than `most_operations` and `most_counts`.
Trace read_trace(const std::string& path, const TraceLimits& limits = {});

}  // namespace tsuji::workload
