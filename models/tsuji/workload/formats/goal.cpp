// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/workload/format_reader.h"
#include "tsuji/workload/rank_graph.h"
#include "tsuji/workload/trace_formats.h"

namespace tsuji::workload {
namespace {

/// Numbers of labels. Schedgen writes l1, l2, ..., which need no text.
class Labels {
 public:
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  std::uint32_t find(std::string_view label) const {
    std::uint64_t number = 0;
    if (is_numbered(label, number)) return number < numbered_.size() ? numbered_[number] : nothing;
    const auto found = others_.find(std::string(label));
    return found == others_.end() ? nothing : found->second;
  }
  /// False for a label that is there already.
  bool add(std::string_view label, std::uint32_t operation) {
    std::uint64_t number = 0;
    if (!is_numbered(label, number)) return others_.emplace(label, operation).second;
    if (number >= numbered_.size()) numbered_.resize(number + 1, nothing);
    if (numbered_[number] != nothing) return false;
    numbered_[number] = operation;
    return true;
  }
  void clear() {
    numbered_.clear();
    others_.clear();
  }

 private:
  /// True for l and a number without leading zeros.
  static bool is_numbered(std::string_view label, std::uint64_t& number) {
    if (label.size() < 2 || label.size() > 10 || label[0] != 'l' || label[1] == '0') return false;
    for (const char digit : label.substr(1)) {
      if (digit < '0' || digit > '9') return false;
      number = number * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    return number < most_numbered;
  }
  static constexpr std::uint64_t most_numbered = std::uint64_t{1} << 24;

  std::vector<std::uint32_t> numbered_;
  std::unordered_map<std::string, std::uint32_t> others_;
};

/// Reads LogGOPSim's GOAL text (Hoefler 2010): num_ranks N, then for each rank its operations and the
/// dependencies between them. A unit of `calc` is a nanosecond, as LogGOPSim's parameters are.
class GoalReader final : public FormatReader {
 public:
  explicit GoalReader(const TraceFile& file) : FormatReader(file) {}

  Trace read() {
    while (next_line()) {
      if (skip_comments()) continue;
      if (words_[0] == "num_ranks") {
        number_of_ranks();
      } else if (words_[0] == "rank") {
        begin_rank();
      } else if (words_[0] == "}") {
        end_rank();
      } else {
        inside_rank();
      }
    }
    at_end();
    return finish();
  }

 private:
  void number_of_ranks() {
    if (ranks_ != 0) refuse(words_[0], "a second num_ranks", "one num_ranks, in front of all ranks");
    expect_words(2, "num_ranks N");
    ranks_ = number(words_[1], 1, most_ranks, "a number of ranks");
  }

  void begin_rank() {
    if (ranks_ == 0) refuse(words_[0], "a rank in front of num_ranks", "num_ranks N first");
    if (inside_) refuse(words_[0], "a rank within a rank", "} first");
    const bool opens = (words_.size() == 3 && words_[2] == "{");
    if (!opens) refuse(words_[0], "not the begin of a rank", "rank N {");
    const std::uint64_t rank = number(words_[1], 0, ranks_ - 1, "a rank");
    if (rank < trace_.size()) refuse(words_[1], "a rank again, or out of order", "ranks in ascending order");
    while (trace_.size() < rank) take(graph_);  // a rank that does nothing
    inside_ = true;
  }

  void end_rank() {
    if (!inside_) refuse(words_[0], "no rank to end", "rank N {");
    for (const Dependency& one : dependencies_) {
      const std::uint32_t later = labels_.find(one.later), earlier = labels_.find(one.earlier);
      if (later == Labels::nothing || earlier == Labels::nothing)
        refuse_on(one.line, later == Labels::nothing ? one.later : one.earlier,
                  "a dependency on an operation that the rank does not have", "labels of this rank");
      graph_.depend(later, earlier, one.started);
    }
    take(graph_);
    labels_.clear();
    dependencies_.clear();
    inside_ = false;
  }

  /// A dependency on a label that comes later in the file waits for the end of the rank.
  void depend() {
    expect_words(3, "LABEL requires LABEL, LABEL irequires LABEL");
    const bool started = words_[1] == "irequires";
    const std::uint32_t later = labels_.find(words_[0]), earlier = labels_.find(words_[2]);
    if (later != Labels::nothing && earlier != Labels::nothing) return graph_.depend(later, earlier, started);
    dependencies_.push_back({std::string(words_[0]), std::string(words_[2]), started, line_number()});
  }

  void inside_rank() {
    if (!inside_) refuse(words_[0], "an operation outside a rank", "rank N {");
    const bool depends = words_.size() >= 2 && (words_[1] == "requires" || words_[1] == "irequires");
    if (depends) return depend();
    std::size_t at = 0;
    std::string_view label;
    if (words_[0].back() == ':') {
      label = words_[0].substr(0, words_[0].size() - 1);
      at = 1;
    } else if (words_.size() > 1 && words_[1] == ":") {
      label = words_[0];
      at = 2;
    }
    const std::uint32_t op = graph_.add(operation(at), line_number());
    if (!label.empty() && !labels_.add(label, op))
      refuse(words_[0], "a label that the rank has already", "each label once in a rank");
  }

  /// The operation of the words from `at` on.
  TraceOp operation(std::size_t at) {
    const char* const form = "calc N, send Nb to RANK tag N, recv Nb from RANK tag N";
    if (at >= words_.size()) refuse(words_[0], "no operation", form);
    TraceOp op;
    if (words_[at] == "calc") {
      if (at + 1 >= words_.size()) refuse(words_[at], "no duration", "calc NANOSECONDS");
      op.kind = TraceOpKind::compute;
      op.value = computed(words_[at + 1]);
      clauses(at + 2, op);
      return op;
    }
    const bool sends = words_[at] == "send";
    if (!sends && words_[at] != "recv") refuse(words_[at], "unknown operation", form);
    op.kind = sends ? TraceOpKind::isend : TraceOpKind::irecv;
    if (at + 3 >= words_.size() || words_[at + 2] != (sends ? "to" : "from") || words_[at + 1].back() != 'b')
      refuse(words_[at], "not a message", form);
    op.value = number(words_[at + 1].substr(0, words_[at + 1].size() - 1), 0, most_bytes, "bytes");
    if (words_[at + 3] == "-1")
      refuse(words_[at + 3], "a receive from any rank",
             "a rank: a replay matches each receive with its send");
    op.peer = static_cast<std::uint16_t>(number(words_[at + 3], 0, ranks_ - 1, "a rank"));
    clauses(at + 4, op);
    return op;
  }

  /// Clauses after an operation: tag, cpu, nic. A rank has one processor and one interface.
  void clauses(std::size_t at, TraceOp& op) {
    for (; at < words_.size(); at += 2) {
      const bool has_number = at + 1 < words_.size();
      if (words_[at] == "tag" && has_number && op.kind != TraceOpKind::compute) {
        if (words_[at + 1] == "-1")
          refuse(words_[at + 1], "a receive with any tag",
                 "a tag: a replay matches each receive with its send");
        op.tag = static_cast<std::int32_t>(number(words_[at + 1], 0, most_tag, "a tag"));
      } else if ((words_[at] == "cpu" || words_[at] == "nic") && has_number) {
        if (number(words_[at + 1], 0, 255, "a number") != 0)
          refuse(words_[at + 1], "a rank of the replay has one processor and one interface",
                 std::string(words_[at]) + " 0");
      } else {
        refuse(words_[at], "not a clause of this operation", "tag N, cpu 0, nic 0");
      }
    }
  }

  /// Returns true for a line without words outside comments. // comments end a line, /* */ may span lines.
  bool skip_comments() {
    std::size_t at = 0;
    while (at < words_.size()) {
      if (in_comment_) {
        in_comment_ = words_[at].size() < 2 || words_[at].substr(words_[at].size() - 2) != "*/";
        words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(at));
      } else if (words_[at].substr(0, 2) == "//") {
        words_.resize(at);
      } else if (words_[at].substr(0, 2) == "/*") {
        in_comment_ = words_[at].size() < 4 || words_[at].substr(words_[at].size() - 2) != "*/";
        words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        ++at;
      }
    }
    return words_.empty();
  }

  void at_end() {
    if (ranks_ == 0) refuse_end("no num_ranks in the file", "num_ranks N, and its ranks");
    if (inside_) refuse_end("truncated: the file ends within a rank", "}");
    while (trace_.size() < ranks_) take(graph_);
  }

  struct Dependency {
    std::string later, earlier;
    bool started;
    std::uint64_t line;
  };
  std::uint64_t ranks_ = 0;
  bool inside_ = false, in_comment_ = false;
  RankGraph graph_;
  Labels labels_;                         ///< of this rank
  std::vector<Dependency> dependencies_;  ///< of this rank, on labels that come later
};

struct Goal {
  Trace make(const TraceFile& file) const { return GoalReader(file).read(); }
};

}  // namespace

void add_goal(TraceFormats& formats) {
  formats.add<Goal>("goal");
}

}  // namespace tsuji::workload
