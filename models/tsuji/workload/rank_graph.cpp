// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/rank_graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>

#include "tsuji/core/error.h"

namespace tsuji::workload {
namespace {

bool is_message(const TraceOp& op) {
  return op.kind == TraceOpKind::isend || op.kind == TraceOpKind::irecv;
}

}  // namespace

std::uint32_t RankGraph::add(const TraceOp& op, std::uint64_t line) {
  ops_.push_back({op, line});
  return static_cast<std::uint32_t>(ops_.size() - 1);
}

void RankGraph::depend(std::uint32_t later, std::uint32_t earlier, bool started) {
  edges_.push_back({earlier, later, started});
}

/// One pass over a graph.
class RankGraph::Order {
 public:
  Order(RankGraph& graph, Trace& trace)
      : graph_(graph),
        trace_(trace),
        missing_(graph.ops_.size()),
        ended_(graph.ops_.size()),
        next_(graph.ops_.size(), nothing) {
    auto& edges = graph_.edges_;
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.earlier < b.earlier; });
    first_.resize(graph_.ops_.size() + 1);
    for (const Edge& edge : edges) {
      ++first_[edge.earlier + 1];
      ++missing_[edge.later];
    }
    for (std::size_t at = 1; at < first_.size(); ++at) first_[at] += first_[at - 1];
  }

  void run() {
    emit({}, graph_.ops_.empty() ? 1 : graph_.ops_.front().line);
    for (std::uint32_t at = 0; at < missing_.size(); ++at)
      if (missing_[at] == 0) ready(at);
    while (next()) {
    }
    if (done_ < graph_.ops_.size()) refuse_circle();
    if (open_count_ != 0) {
      TraceOp all;
      all.kind = TraceOpKind::waitall;
      all.value = open_count_;
      emit(all, last_line_);
    }
    TraceOp end;
    end.kind = TraceOpKind::finalize;
    emit(end, last_line_);
    trace_.ranks.back().shrink_to_fit();
  }

 private:
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  /// Messages of one key that are open, oldest first, linked by `next_`.
  struct Open {
    std::uint32_t first, last;
  };
  using Lowest = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

  /// Messages of one peer, tag and direction, for the oldest of which a wait is.
  std::uint64_t key_of(std::uint32_t at) const {
    const TraceOp& op = graph_.ops_[at].op;
    // A wait for a message of a rank to itself takes the oldest of either direction.
    const bool receives = op.kind == TraceOpKind::irecv && op.peer != rank();
    return std::uint64_t{op.peer} << 33 | std::uint64_t{receives} << 32 | static_cast<std::uint32_t>(op.tag);
  }
  std::uint16_t rank() const { return static_cast<std::uint16_t>(trace_.ranks.size() - 1); }

  void ready(std::uint32_t at) { (is_message(graph_.ops_[at].op) ? messages_ : blocking_).push(at); }

  /// Releases the operations that depend on the begin or the end of one.
  void release(std::uint32_t of, bool started) {
    for (std::uint32_t edge = first_[of]; edge < first_[of + 1]; ++edge) {
      const Edge& one = graph_.edges_[edge];
      if (one.started == started && --missing_[one.later] == 0) ready(one.later);
    }
  }
  bool someone_waits_for(std::uint32_t at) const {
    for (std::uint32_t edge = first_[at]; edge < first_[at + 1]; ++edge)
      if (!graph_.edges_[edge].started) return true;
    return false;
  }

  bool next() {
    if (!messages_.empty()) {
      begin(take(messages_));
      return true;
    }
    if (!blocking_.empty()) {
      const std::uint32_t at = take(blocking_);
      emit(graph_.ops_[at].op, graph_.ops_[at].line);
      ++done_;
      release(at, true);
      release(at, false);
      return true;
    }
    if (awaited_.empty()) return false;
    wait_for(take(awaited_));
    return true;
  }

  void begin(std::uint32_t at) {
    emit(graph_.ops_[at].op, graph_.ops_[at].line);
    ++done_;
    ++open_count_;
    const auto [open, is_first] = open_.emplace(key_of(at), Open{at, at});
    if (!is_first) open->second.last = next_[open->second.last] = at;
    if (someone_waits_for(at)) awaited_.push(at);
    release(at, true);
  }

  void wait_for(std::uint32_t at) {
    if (ended_[at]) return;  // a wait for a later message of its kind included it
    const auto open = open_.find(key_of(at));
    while (!ended_[at]) {
      const std::uint32_t oldest = open->second.first;
      const TraceOp& op = graph_.ops_[oldest].op;
      TraceOp wait;
      wait.kind = TraceOpKind::wait;
      wait.peer = op.peer;
      wait.tag = op.tag;
      wait.receives = op.kind == TraceOpKind::irecv || op.peer == rank();
      emit(wait, graph_.ops_[oldest].line);
      ended_[oldest] = true;
      --open_count_;
      open->second.first = next_[oldest];
      release(oldest, false);
    }
    if (open->second.first == nothing) open_.erase(open);
  }

  void emit(const TraceOp& op, std::uint64_t line) {
    if (op.kind == TraceOpKind::init) {
      trace_.ranks.emplace_back();
      trace_.lines.emplace_back();
    }
    last_line_ = line;
    trace_.lines.back().add(trace_.ranks.back().size(), line);
    trace_.ranks.back().push_back(op);
  }

  [[noreturn]] void refuse_circle() const {
    // Each operation that is left waits for another one that is left: going back must meet itself.
    std::vector<std::uint32_t> waits_for(missing_.size());
    for (const Edge& edge : graph_.edges_)
      if (missing_[edge.later] != 0 && missing_[edge.earlier] != 0) waits_for[edge.later] = edge.earlier;
    std::uint32_t at = 0;
    while (missing_[at] == 0) ++at;
    for (std::size_t step = 0; step < missing_.size(); ++step) at = waits_for[at];
    std::string lines;
    std::uint32_t first = at;
    for (std::uint32_t other = waits_for[at]; other != at; other = waits_for[other])
      first = std::min(first, other);
    at = first;
    for (unsigned shown = 0; shown < 8; ++shown) {
      lines += (lines.empty() ? "" : ", ") + std::to_string(graph_.ops_[at].line);
      at = waits_for[at];
      if (at == first) break;
    }
    throw ConfigError(trace_.key, "lines " + lines, "operations that depend on each other in a circle",
                      "dependencies without a circle")
        .at(trace_.path + ":" + std::to_string(graph_.ops_[first].line));
  }

  static std::uint32_t take(Lowest& queue) {
    const std::uint32_t lowest = queue.top();
    queue.pop();
    return lowest;
  }

  RankGraph& graph_;
  Trace& trace_;
  std::vector<std::uint32_t> missing_;            ///< [operation]: dependencies that do not hold yet
  std::vector<std::uint32_t> first_;              ///< [operation]: its first edge
  Lowest messages_, blocking_;                    ///< operations that may begin
  Lowest awaited_;                                ///< open messages on which others depend
  std::vector<bool> ended_;                       ///< [operation]: a message that the rank has waited for
  std::vector<std::uint32_t> next_;               ///< [message]: the next one of its key; `nothing`: none yet
  std::unordered_map<std::uint64_t, Open> open_;  ///< [key]: the messages that are open
  std::uint64_t open_count_ = 0;
  std::size_t done_ = 0;
  std::uint64_t last_line_ = 0;
};

void RankGraph::take(Trace& trace) {
  Order(*this, trace).run();
  ops_.clear();
  edges_.clear();
}

}  // namespace tsuji::workload
