// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/ported_table.h"

#include <algorithm>

namespace tsuji::lookup {

PortedTable::PortedTable(const routing::Routing& routing, const PortedTableTiming& timing,
                         const std::vector<unsigned>& vcs)
    : routing_(&routing),
      table_reads_(routing.table_reads()),
      timing_(timing),
      first_line_{0},
      ports_(timing.ports) {
  if (timing.rc_cycles == 0 || timing.table_cycles == 0 || timing.ports == 0)
    throw ModelError("routing table", "address decode, reads and read ports are at least 1");
  for (const unsigned count : vcs) first_line_.push_back(first_line_.back() + count);
  for (ReadPort& port : ports_) port.waiting.reserve(first_line_.back() / ports_.size() + vcs.size());
}

Cycle PortedTable::request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                           routing::RouteSet& candidates) {
  if (table_reads_ == nullptr || !table_reads_->reads_table(query)) {
    routing_->route(query, candidates);
    return now + timing_.rc_cycles;
  }
  const std::uint32_t first = first_line_[query.in_port];
  const std::uint32_t vcs = first_line_[query.in_port + 1] - first;
  const std::size_t group = query.in_vc * ports_.size() / vcs;
  ports_[group].waiting.push_back({query, now + timing_.rc_cycles, ticket, first + query.in_vc});
  return never;
}

void PortedTable::cancel(Cycle, std::uint32_t ticket) {
  for (ReadPort& port : ports_) {
    const auto own = std::find_if(port.waiting.begin(), port.waiting.end(),
                                  [&](const Question& question) { return question.ticket == ticket; });
    if (own != port.waiting.end()) port.waiting.erase(own);
  }
}

void PortedTable::run(Cycle now) {
  for (ReadPort& port : ports_) {
    if (port.waiting.empty() || port.free_at > now) continue;
    if (Question* const question = next(port, now)) read(port, *question, now);
  }
}

/// Request that is granted the read port: the next one round robin. Null: none.
PortedTable::Question* PortedTable::next(ReadPort& port, Cycle now) {
  const std::uint32_t lines = first_line_.back();
  Question* best = nullptr;
  std::uint32_t best_rank = lines;
  for (Question& question : port.waiting) {
    const std::uint32_t rank =
        question.line >= port.turn ? question.line - port.turn : question.line + lines - port.turn;
    if (question.asks > now || rank >= best_rank) continue;
    best = &question;
    best_rank = rank;
  }
  return best;
}

void PortedTable::read(ReadPort& port, Question& question, Cycle now) {
  const Question granted = question;
  question = port.waiting.back();
  port.waiting.pop_back();
  port.turn = granted.line + 1;
  port.free_at = now + (timing_.pipelined ? 1 : timing_.table_cycles);
  ++reads_;
  wait_cycles_ += now - granted.asks;
  routing::RouteSet candidates;
  routing_->route(granted.query, candidates);
  client_->route_answer(granted.ticket, now + timing_.table_cycles, candidates);
}

Cycle PortedTable::next_run(Cycle now) const {
  Cycle next = never;
  for (const ReadPort& port : ports_) {
    for (const Question& question : port.waiting)
      next = std::min(next, std::max({question.asks, port.free_at, now + 1}));
  }
  return next;
}

}  // namespace tsuji::lookup
