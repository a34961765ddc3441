// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <string_view>

#include "tsuji/core/error.h"
#include "tsuji/core/line_reader.h"
#include "tsuji/workload/trace.h"

namespace tsuji::workload {
namespace {

constexpr const char* key = "workload.trace";
constexpr std::size_t words_in_trace = 15;  // the two roi marks are comments
constexpr std::uint64_t max_ranks = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t max_tag = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t max_count = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t max_value = std::numeric_limits<std::uint64_t>::max() / 2;
constexpr std::uint64_t byte_datatype = 6;

/// Turns lines into operations; every refusal carries the line it was found in.
class Parser {
 public:
  Parser(const std::string& path, const TraceLimits& limits)
      : lines_(path, key), path_(path), limits_(limits) {
    trace_.path = path;
    for (std::size_t kind = 0; kind < words_in_trace; ++kind)
      names_[kind] = name_of(static_cast<TraceOpKind>(kind));
  }
  Trace parse();

 private:
  struct Request {
    std::uint16_t peer;
    bool receives;
    std::int32_t tag;
  };
  /// Something that only the whole file can confirm: a rank that was named, or a number of ranks.
  struct Claim {
    std::uint64_t value = 0;
    std::uint64_t line = 0;
  };

  void line(std::string_view text);
  void comment(std::string_view text);
  void enter_rank(std::uint64_t rank, TraceOpKind kind);
  void operation(TraceOpKind kind);
  void compute(TraceOp& op);
  void message(TraceOp& op);
  void wait(TraceOp& op);
  void wait_for_all(TraceOp& op);
  void all_to_all(TraceOp& op);
  void all_to_all_counts(TraceOp& op);
  std::uint64_t counts(std::size_t first, std::size_t number);
  void at_end();
  void add(const TraceOp& op);

  TraceOpKind kind_of(std::string_view word) const;
  std::uint64_t number(std::size_t word, std::uint64_t largest, const char* what) const;
  std::uint16_t rank_argument(std::size_t word, const char* what);
  void expect(std::size_t word, std::uint64_t value, const char* what) const;
  void expect_arguments(std::size_t count, const char* form) const;
  [[noreturn]] void refuse(std::string_view value, const std::string& problem,
                           const std::string& accepted) const {
    throw ConfigError(key, std::string(value), problem, accepted)
        .at(lines_.place() + ":" + std::to_string(column_of(value)));
  }
  /// About a line that may be of another dialect of SimGrid's.
  [[noreturn]] void refuse_dialect(std::string_view value, const std::string& problem,
                                   const std::string& accepted) const {
    refuse(value, problem, accepted + "; scripts/convert_trace reads SimGrid's other dialects");
  }
  /// Where a value that is a piece of the line at hand begins, from 1; what is not is about the whole line.
  std::ptrdiff_t column_of(std::string_view value) const {
    const std::less<> before;
    const char* const end = text_.data() + text_.size();
    const bool inside = !before(value.data(), text_.data()) && before(value.data(), end);
    return inside ? value.data() - text_.data() + 1 : 1;
  }
  [[noreturn]] void refuse_at(std::uint64_t line, std::uint64_t value, const std::string& problem,
                              const std::string& accepted) const {
    throw ConfigError(key, std::to_string(value), problem, accepted).at(path_ + ":" + std::to_string(line));
  }

  LineReader lines_;
  std::string path_;
  const TraceLimits limits_;
  std::array<std::string_view, words_in_trace> names_;  ///< of operations
  Trace trace_;
  std::string_view text_;                ///< the line at hand
  std::vector<std::string_view> words_;  ///< of it
  bool inside_rank_ = false;             ///< between a rank's init and its finalize
  std::uint64_t rank_flops_ = 0;         ///< of this rank so far
  std::uint64_t operations_ = 0;         ///< of all ranks
  std::vector<Request> requests_;        ///< of this rank, not waited for yet, oldest first
  Claim largest_rank_, alltoallv_ranks_;
};

Trace Parser::parse() {
  while (lines_.next(text_)) {
    if (!text_.empty() && text_.front() == '#') {
      comment(text_);
    } else {
      line(text_);
    }
  }
  at_end();
  return std::move(trace_);
}

void Parser::comment(std::string_view text) {
  split_words(text.substr(1), words_);
  if (words_.size() != 1) return;
  const bool begin = words_[0] == "roi_begin";
  if (!begin && words_[0] != "roi_end") return;
  if (!inside_rank_)
    refuse(text, "a section mark outside a rank", "after the rank's init, before its finalize");
  TraceOp op;
  op.kind = begin ? TraceOpKind::roi_begin : TraceOpKind::roi_end;
  add(op);
}

void Parser::add(const TraceOp& op) {
  if (operations_++ == most_operations)
    refuse(text_, "the trace is too long", "at most " + std::to_string(most_operations) + " operations");
  trace_.lines.back().add(trace_.ranks.back().size(), lines_.line_number());
  trace_.ranks.back().push_back(op);
}

void Parser::line(std::string_view text) {
  split_words(text, words_);
  if (words_.size() < 2) refuse_dialect(text, "not an operation", "rank op args");
  const std::uint64_t rank = number(0, max_ranks - 1, "a rank");
  const TraceOpKind kind = kind_of(words_[1]);
  enter_rank(rank, kind);
  operation(kind);
}

void Parser::enter_rank(std::uint64_t rank, TraceOpKind kind) {
  const std::uint64_t expected = inside_rank_ ? trace_.size() - 1 : trace_.size();
  if (rank != expected) {
    refuse_dialect(
        words_[0],
        inside_rank_ ? "another rank's operation before this rank's finalize"
                     : "ranks out of order or missing",
        "rank " + std::to_string(expected) + "; ranks one after the other, in ascending order from 0");
  }
  if ((kind == TraceOpKind::init) == inside_rank_) {
    refuse(words_[1], inside_rank_ ? "a second init" : "a rank's first operation",
           inside_rank_ ? "one init for each rank" : "init");
  }
  if (!inside_rank_) {
    trace_.ranks.emplace_back();
    trace_.lines.emplace_back();
    inside_rank_ = true;
    rank_flops_ = 0;
  }
}

void Parser::operation(TraceOpKind kind) {
  TraceOp op;
  op.kind = kind;
  switch (kind) {
    case TraceOpKind::init:
    case TraceOpKind::finalize:
    case TraceOpKind::barrier:
      expect_arguments(0, "no arguments (one communicator only)");
      break;
    case TraceOpKind::compute:
      compute(op);
      break;
    case TraceOpKind::send:
    case TraceOpKind::isend:
    case TraceOpKind::recv:
    case TraceOpKind::irecv:
      message(op);
      break;
    case TraceOpKind::wait:
      wait(op);
      break;
    case TraceOpKind::waitall:
      wait_for_all(op);
      break;
    case TraceOpKind::bcast:
      expect_arguments(3, "bcast BYTES ROOT 6");
      op.value = number(2, max_value, "bytes");
      op.peer = rank_argument(3, "the root");
      expect(4, byte_datatype, "datatype");
      break;
    case TraceOpKind::reduce:
      expect_arguments(4, "reduce BYTES 0 ROOT 6");
      op.value = number(2, max_value, "bytes");
      expect(3, 0, "reduce operation");
      op.peer = rank_argument(4, "the root");
      expect(5, byte_datatype, "datatype");
      break;
    case TraceOpKind::allreduce:
      expect_arguments(3, "allreduce BYTES 0 6");
      op.value = number(2, max_value, "bytes");
      expect(3, 0, "reduce operation");
      expect(4, byte_datatype, "datatype");
      break;
    case TraceOpKind::alltoall:
      all_to_all(op);
      break;
    case TraceOpKind::alltoallv:
      all_to_all_counts(op);
      break;
    case TraceOpKind::roi_begin:
    case TraceOpKind::roi_end:
      break;  // comments, never words of a line
  }
  add(op);
  if (kind != TraceOpKind::finalize) return;
  if (!requests_.empty()) {
    refuse(std::to_string(requests_.size()), "requests of this rank without a wait",
           "wait or waitall before finalize");
  }
  trace_.ranks.back().shrink_to_fit();
  inside_rank_ = false;
}

void Parser::compute(TraceOp& op) {
  expect_arguments(1, "compute FLOPS");
  op.value = number(2, max_value, "flops");
  if (op.value > limits_.rank_flops - rank_flops_) {
    refuse(words_[2], "the rank computes for too long",
           "at most " + std::to_string(limits_.rank_flops) + " flops a rank" +
               (limits_.because.empty() ? "" : " (" + limits_.because + ")"));
  }
  rank_flops_ += op.value;
}

void Parser::message(TraceOp& op) {
  expect_arguments(4, "PEER TAG BYTES 6 (one communicator only)");
  op.peer = rank_argument(2, "the other rank");
  op.tag = static_cast<std::int32_t>(number(3, max_tag, "a tag"));
  op.value = number(4, max_value, "bytes");
  expect(5, byte_datatype, "datatype");
  if (op.kind == TraceOpKind::isend) requests_.push_back({op.peer, false, op.tag});
  if (op.kind == TraceOpKind::irecv) requests_.push_back({op.peer, true, op.tag});
}

void Parser::wait(TraceOp& op) {
  expect_arguments(3, "wait SRC DST TAG");
  const std::uint16_t source = rank_argument(2, "the source");
  const std::uint16_t destination = rank_argument(3, "the destination");
  op.tag = static_cast<std::int32_t>(number(4, max_tag, "a tag"));
  const std::size_t self = trace_.size() - 1;
  if (source != self && destination != self) {
    refuse(words_[2], "a wait for other ranks' message", "this rank as source or destination");
  }
  op.receives = destination == self;
  op.peer = op.receives ? source : destination;
  const bool to_itself = source == destination;
  const auto request = std::find_if(requests_.begin(), requests_.end(), [&](const Request& candidate) {
    return candidate.peer == op.peer && candidate.tag == op.tag &&
           (to_itself || candidate.receives == op.receives);
  });
  if (request == requests_.end()) {
    refuse(words_[4], "a wait for a request that this rank does not have", "an isend or irecv before it");
  }
  requests_.erase(request);
}

void Parser::wait_for_all(TraceOp& op) {
  expect_arguments(1, "waitall N");
  op.value = number(2, max_value, "requests");
  if (op.value != requests_.size()) {
    refuse(words_[2], "waitall for some of the requests only",
           "all that this rank has open: " + std::to_string(requests_.size()));
  }
  requests_.clear();
}

void Parser::all_to_all(TraceOp& op) {
  expect_arguments(4, "alltoall SBYTES RBYTES 6 6");
  op.value = number(2, max_count, "bytes");
  expect(3, op.value, "bytes received from each rank, which are the bytes sent to each,");
  expect(4, byte_datatype, "datatype");
  expect(5, byte_datatype, "datatype");
}

std::uint64_t Parser::counts(std::size_t first, std::size_t ranks) {
  std::uint64_t sum = 0;
  for (std::size_t word = first; word < first + ranks; ++word) {
    const std::uint64_t count = number(word, max_count, "bytes");
    trace_.counts.push_back(static_cast<std::uint32_t>(count));
    sum += count;
  }
  return sum;
}

void Parser::all_to_all_counts(TraceOp& op) {
  const std::size_t arguments = words_.size() - 2;
  if (arguments < 6 || arguments % 2 != 0) {
    expect_arguments(6, "alltoallv SSUM s_0..s_n-1 RSUM r_0..r_n-1 6 6");
  }
  const std::size_t ranks = (arguments - 4) / 2;
  if (alltoallv_ranks_.line == 0) alltoallv_ranks_ = {ranks, lines_.line_number()};
  if (ranks != alltoallv_ranks_.value) {
    refuse(std::to_string(ranks), "alltoallv over another number of ranks than before",
           std::to_string(alltoallv_ranks_.value));
  }
  op.value = trace_.counts.size();
  if (2 * ranks > most_counts - trace_.counts.size())
    refuse(words_[1], "too many alltoallv", "at most " + std::to_string(most_counts) + " counts in a trace");
  expect(2, counts(3, ranks), "sum of the bytes sent");
  expect(3 + ranks, counts(4 + ranks, ranks), "sum of the bytes received");
  expect(4 + 2 * ranks, byte_datatype, "datatype");
  expect(5 + 2 * ranks, byte_datatype, "datatype");
}

void Parser::at_end() {
  const std::uint64_t end = lines_.line_number() + 1;
  const std::size_t ranks = trace_.size();
  if (inside_rank_)
    refuse_at(end, ranks - 1, "truncated: the file ends before this rank's finalize", "finalize");
  if (ranks == 0) refuse_at(end, 0, "no ranks in the file", "at least one rank from init to finalize");
  if (largest_rank_.value >= ranks) {
    refuse_at(largest_rank_.line, largest_rank_.value, "a rank that the file does not hold",
              "0.." + std::to_string(ranks - 1));
  }
  if (alltoallv_ranks_.line != 0 && alltoallv_ranks_.value != ranks) {
    refuse_at(alltoallv_ranks_.line, alltoallv_ranks_.value, "alltoallv over another number of ranks",
              std::to_string(ranks) + ", as the file holds");
  }
}

TraceOpKind Parser::kind_of(std::string_view word) const {
  for (std::size_t kind = 0; kind < words_in_trace; ++kind) {
    if (word == names_[kind]) return static_cast<TraceOpKind>(kind);
  }
  std::string accepted;
  for (std::size_t kind = 0; kind < words_in_trace; ++kind) {
    accepted += (kind == 0 ? "" : " ") + std::string(names_[kind]);
  }
  refuse_dialect(word, "unknown operation", accepted);
}

std::uint64_t Parser::number(std::size_t word, std::uint64_t largest, const char* what) const {
  const std::string_view text = words_[word];
  const std::uint64_t most_before = largest / 10;  // of a value that another digit follows
  std::uint64_t value = 0;
  bool fits = true;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') {
      refuse_dialect(text, std::string(what) + ": not a whole number of at least 0",
                     "0.." + std::to_string(largest));
    }
    fits = fits && value <= most_before;
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  if (!fits || value > largest)
    refuse(text, std::string(what) + ": too large", "0.." + std::to_string(largest));
  return value;
}

std::uint16_t Parser::rank_argument(std::size_t word, const char* what) {
  const std::uint64_t rank = number(word, max_ranks - 1, what);
  if (largest_rank_.line == 0 || rank > largest_rank_.value) largest_rank_ = {rank, lines_.line_number()};
  return static_cast<std::uint16_t>(rank);
}

void Parser::expect(std::size_t word, std::uint64_t value, const char* what) const {
  if (number(word, max_value, what) != value) {
    refuse_dialect(words_[word], std::string("unknown or wrong ") + what, std::to_string(value));
  }
}

void Parser::expect_arguments(std::size_t count, const char* form) const {
  if (words_.size() - 2 != count) {
    refuse_dialect(std::to_string(words_.size() - 2),
                   "wrong number of arguments of " + std::string(words_[1]), form);
  }
}

}  // namespace

Trace read_trace(const std::string& path, const TraceLimits& limits) {
  return Parser(path, limits).parse();
}

}  // namespace tsuji::workload
