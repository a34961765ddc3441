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

/// Operations of a time-independent (TI) trace that the replay supports.
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
  roi_begin,  ///< Begin of the benchmark's own timed section, from a comment line of the trace.
  roi_end,
};

/// Word of an operation in a trace file.
const char* name_of(TraceOpKind kind);

/// One operation of one rank; compact, because a trace holds millions of operations.
struct TraceOp {
  /// Flops of a compute; requests of a waitall; index into Trace::counts of an alltoallv; bytes of all others
  /// (per peer for alltoall).
  std::uint64_t value = 0;
  std::int32_t tag = 0;    ///< MPI tag of a point-to-point message.
  std::uint16_t peer = 0;  ///< The other rank of a message or a wait; the root of a bcast or reduce.
  TraceOpKind kind = TraceOpKind::init;  ///< The operation.
  /// For a wait: the request is a receive of this rank. A wait for a message of a rank to itself refers to
  /// the oldest request with the tag, sent or received.
  bool receives = false;
};
static_assert(sizeof(TraceOp) == 16, "a trace of 10^7 operations must fit into memory with ease");

/// True for operations in which all ranks take part and which are replayed as messages between them. A replay
/// may treat finalize as one as well.
bool is_collective(TraceOpKind kind);
/// Text of an operation for reports, for example "recv 4 2 40960".
std::string text_of(const TraceOp& op);

struct Trace;
/// Writes `trace` as TI text, one operation on each line; read_trace() restores an equal trace from it.
void write_trace(const Trace& trace, std::ostream& out);

/// A stretch of a list that occurs several times in a row and is stored once.
struct Repetition {
  /// The stretch; length 0: no repetition.
  std::size_t first = 0, length = 0;  ///< The stretch; length 0: no repetition.
  std::size_t skipped = 0;            ///< Number of elements of the repetitions that are not stored.

  /// First index after all repetitions.
  std::size_t end() const { return first + length + skipped; }
  /// True if element `at`, counted with repetitions, is in one of them.
  bool covers(std::size_t at) const { return at >= first && at < end(); }
  /// Index in the list without repetitions of element `at`, counted with them.
  std::size_t stored(std::size_t at) const {
    if (at < first + length || length == 0) return at;
    if (at >= end()) return at - skipped;
    return first + (at - first) % length;
  }
  /// Index with repetitions of the first occurrence of a stored element.
  std::size_t occurrence(std::size_t stored_at) const {
    return stored_at < first + length ? stored_at : stored_at + skipped;
  }
  /// Number of times that the stretch occurs, at least 1.
  std::size_t times() const { return length == 0 ? 1 : skipped / length + 1; }
  /// True if the element with this stored index belongs to the stretch.
  bool repeats(std::size_t stored_at) const { return stored_at >= first && stored_at < first + length; }
};

/// Index mapping of a list with several repetitions, one after the other or an earlier one within a later
/// one. A repetition counts in the list that the earlier ones result in.
class Repetitions {
 public:
  /// Repeats the stretch from stored element `begin` to before stored element `end` `times` times, >= 1.
  /// `end` is at least that of all earlier calls, and earlier stretches are within this one or before it.
  void add(std::size_t begin, std::size_t end, std::uint64_t times) {
    const std::size_t first = occurrence(begin), length = occurrence(end) - first;
    if (times > 1 && length > 0) levels_.push_back({first, length, length * (times - 1)});
  }
  /// Stored index of element `at`, counted with repetitions.
  std::size_t stored(std::size_t at) const {
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) at = level->stored(at);
    return at;
  }
  /// Index with repetitions of the first occurrence of a stored element.
  std::size_t occurrence(std::size_t stored_at) const {
    for (const Repetition& level : levels_) stored_at = level.occurrence(stored_at);
    return stored_at;
  }
  /// Number of times that a stored element occurs.
  std::uint64_t times(std::size_t stored_at) const {
    std::uint64_t times = 1;
    for (const Repetition& level : levels_) {
      if (level.repeats(stored_at)) times *= level.times();
      stored_at = level.occurrence(stored_at);
    }
    return times;
  }
  /// Repetitions, an inner one before the one that contains it.
  const std::vector<Repetition>& levels() const { return levels_; }

 private:
  std::vector<Repetition> levels_;
};

/// Operations of one rank, in order. A stretch may represent many equal repetitions (time steps of an
/// application, steps of a ring), so that a whole run takes the memory of one step.
class RankOps {
 public:
  RankOps() = default;
  /// Operations without repetition.
  RankOps(std::vector<TraceOp> ops) : stored_(std::move(ops)) {}  // NOLINT: any list of operations is one

  /// Appends an operation.
  void push_back(const TraceOp& op) { stored_.push_back(op); }
  /// Releases unused memory of the list.
  void shrink_to_fit() { stored_.shrink_to_fit(); }
  /// Repeats the operations from index `first` (counted without repetitions) to the end `times` times, >= 1.
  /// `first` is not within a stretch of an earlier call.
  void repeat_from(std::size_t first, std::uint64_t times) { repetitions_.add(first, stored_.size(), times); }

  /// Number of operations including repetitions.
  std::size_t size() const { return repetitions_.occurrence(stored_.size()); }
  /// True without operations.
  bool empty() const { return stored_.empty(); }
  /// Operation `at`, counted with repetitions.
  const TraceOp& operator[](std::size_t at) const { return stored_[repetitions_.stored(at)]; }
  /// Stored operations without repetitions, for checks that do not depend on the number of repetitions.
  const std::vector<TraceOp>& stored() const { return stored_; }
  /// The repeated stretches.
  const Repetitions& repetitions() const { return repetitions_; }
  /// Number of times that a stored operation is executed.
  std::uint64_t times(std::size_t stored_at) const { return repetitions_.times(stored_at); }

  /// Iterator over all operations, with repetitions.
  class const_iterator {
   public:
    /// A single forward pass.
    using iterator_category = std::input_iterator_tag;
    /// Element of the sequence.
    using value_type = TraceOp;
    /// Difference of two positions.
    using difference_type = std::ptrdiff_t;
    /// Pointer to an element.
    using pointer = const TraceOp*;
    /// Reference to an element.
    using reference = const TraceOp&;
    /// Position `at` in `ops`, counted with repetitions. `ops` must outlive the iterator.
    const_iterator(const RankOps& ops, std::size_t at) : ops_(&ops), at_(at) {}
    /// The operation at this position.
    reference operator*() const { return (*ops_)[at_]; }
    /// Access to a member of the operation at this position.
    pointer operator->() const { return &(*ops_)[at_]; }
    /// Advances by one operation.
    const_iterator& operator++() {
      ++at_;
      return *this;
    }
    /// True for equal positions; both iterators must belong to one rank.
    bool operator==(const const_iterator& other) const { return at_ == other.at_; }
    /// True for different positions; both iterators must belong to one rank.
    bool operator!=(const const_iterator& other) const { return at_ != other.at_; }

   private:
    const RankOps* ops_;
    std::size_t at_;
  };
  /// Position of the first operation.
  const_iterator begin() const { return {*this, 0}; }
  /// Position after the last operation.
  const_iterator end() const { return {*this, size()}; }

 private:
  std::vector<TraceOp> stored_;
  Repetitions repetitions_;
};

/// Line numbers of one rank's operations in a file with one operation on each line. Operations on consecutive
/// lines share one entry.
class OperationLines {
 public:
  /// Adds the line of the next operation, which has index `operation` within its rank.
  void add(std::size_t operation, std::uint64_t line) {
    if (!runs_.empty() && line - runs_.back().line == operation - runs_.back().operation) return;
    runs_.push_back({operation, line});
  }
  /// Line of an operation that was added.
  std::uint64_t of(std::size_t operation) const;

 private:
  struct Run {
    std::size_t operation;  ///< First operation of the run.
    std::uint64_t line;     ///< Line of `operation`.
  };
  std::vector<Run> runs_;
};

/// A complete trace: the operations of every rank, in order.
struct Trace {
  const char* key = "workload.trace";  ///< Configuration key that selected the trace.
  std::vector<RankOps> ranks;          ///< Operations by rank.
  /// For every alltoallv, the bytes to each rank, followed by the bytes from each rank.
  std::vector<std::uint32_t> counts;
  /// Path of the trace's file; empty: the trace was not read from a file.
  std::string path;
  /// Paths by rank, of a trace that has a file for each rank; empty: all are in `path`.
  std::vector<std::string> paths;
  std::vector<OperationLines> lines;  ///< Line numbers by rank, for a trace from a file.

  /// Number of ranks.
  std::size_t size() const { return ranks.size(); }
  /// Bytes that the rank sends to each rank in an alltoallv; one value for each rank.
  const std::uint32_t* bytes_to(const TraceOp& alltoallv) const { return counts.data() + alltoallv.value; }
  /// Bytes that the rank receives from each rank in an alltoallv; one value for each rank.
  const std::uint32_t* bytes_from(const TraceOp& alltoallv) const {
    return counts.data() + alltoallv.value + ranks.size();
  }
  /// Place of an operation: "cg.ti:17", or "operation 16 of rank 0" (from 0, with repetitions) if the file is
  /// unknown.
  std::string place_of(std::size_t rank, std::size_t operation) const;
  /// Description of an operation for reports: "operation 16 of 40: recv 4 2 40960 (cg.ti:17)"; without the
  /// parenthesis if the file is unknown.
  std::string doing(std::size_t rank, std::size_t operation) const;
};

/// Totals of a complete replay of a trace: repetitions are counted, comments are not.
struct TraceCount {
  std::uint64_t operations = 0;     ///< Operations of all ranks.
  std::uint64_t computes = 0;       ///< Compute operations of at least one flop.
  std::uint64_t messages = 0;       ///< Point-to-point messages: send and isend.
  std::uint64_t message_bytes = 0;  ///< Bytes of `messages`.
};
/// Counts the operations and messages of a trace.
TraceCount count_of(const Trace& trace);

/// Counter of point-to-point messages of ranks at their sender or receiver.
struct MessageCount {
  std::uint64_t messages = 0;  ///< Number of messages.
  std::uint64_t bytes = 0;     ///< Sum of the message sizes in bytes.

  /// Counts one message of `message_bytes` bytes.
  void add(std::uint64_t message_bytes) {
    ++messages;
    bytes += message_bytes;
  }
  /// Adds the counts of another rank.
  MessageCount& operator+=(const MessageCount& more) {
    messages += more.messages;
    bytes += more.bytes;
    return *this;
  }
};
/// Throws ModelError if a finished replay has not sent and received all point-to-point messages of its trace
/// with all their bytes.
void check_count(const TraceCount& trace, const MessageCount& sent, const MessageCount& received, Cycle end);

/// Limits of a machine that replays a trace.
struct TraceLimits {
  /// Largest sum of a rank's compute operations; the refusal of a larger one quotes `because` as the reason.
  std::uint64_t rank_flops = std::numeric_limits<std::uint64_t>::max() / 2;
  std::string because;  ///< Reason that the refusal of a larger sum quotes.
};

/// Largest number of operations of a trace from a file, 2 GiB.
inline constexpr std::uint64_t
    most_operations = 1U << 27,
    most_counts = 1U << 28;  ///< Largest number of alltoallv counts of a trace from a file, 1 GiB.

/// Reads a TI trace as a stream, uncompressed or zstd (detected by its first bytes; windows up to 2^30). The
/// trace is one file with the ranks one after the other, one operation `rank op args` on each line, every
/// size in bytes (datatype 6, MPI_BYTE), and one communicator. Lines that start with `#` are comments, except
/// `# roi_begin` and `# roi_end`.
///
/// Throws ConfigError with file:line, the value and the accepted input for anything else: also for a wait for
/// a request that does not exist, requests that are never waited for, a trace beyond `limits`,
/// `most_operations` or `most_counts`, and a truncated file.
Trace read_trace(const std::string& path, const TraceLimits& limits = {});

}  // namespace tsuji::workload
