// SPDX-License-Identifier: Apache-2.0
#include "lookup/compact_search_judge.h"

#include <cstdlib>

namespace tsuji::bench {
namespace {

std::string row_text(std::uint64_t row) {
  return "row " + std::to_string(row);
}

}  // namespace

void CompactSearchJudge::judge(Cycle cycle, const Sample& pins, Lines& broken) {
  if (search_ && search_->answered < cycle) search_.reset();
  judge_pace(cycle, pins, broken);
  const bool due = search_ && search_->answered == cycle, answers = pins.output(at_.answer_valid) != 0;
  if (due && !answers)
    broken.push_back("no answer " + std::to_string(cycle - search_->asked) + " cycles after the search");
  else if (answers && !due)
    broken.push_back(search_ ? "an answer " + std::to_string(search_->answered - cycle) + " cycles too soon"
                             : "an answer to no search");
  else if (due)
    judge_answer(pins, broken);
  take(cycle, pins);
}

void CompactSearchJudge::judge_pace(Cycle cycle, const Sample& pins, Lines& broken) const {
  const bool searching = search_ && search_->answered > cycle;
  if ((pins.output(at_.ready) != 0) == searching)
    broken.push_back(searching ? "ready during a search" : "not ready without a search");
  const bool comparing = searching && search_->compared > cycle;
  if ((pins.output(at_.choosing) != 0) != (searching && !comparing))
    broken.push_back(comparing ? "choosing before all rows are compared" : "not choosing when it should");
  const std::uint64_t from = comparing ? (cycle - search_->asked) * config_.per_cycle : 0;
  if (pins.output(at_.comparing_row) != from)
    broken.push_back("rows from " + std::to_string(pins.output(at_.comparing_row)) +
                     " on are compared, and it is the turn of those from " + std::to_string(from) + " on");
}

void CompactSearchJudge::judge_answer(const Sample& pins, Lines& broken) const {
  const bool hit = pins.output(at_.answer_hit) != 0;
  if (hit == rows_.empty())
    broken.push_back(hit ? "a row of an empty table" : "no row, and the table has some");
  if (!hit || rows_.empty()) return;
  const std::uint64_t number = pins.output(at_.answer_row);
  const auto answer = rows_.find(number);
  if (answer == rows_.end()) {
    broken.push_back(row_text(number) + " holds nothing, and is answered");
    return;
  }
  if (pins.output(at_.answer_port) != answer->second.port)
    broken.push_back(row_text(number) + " has another port");
  const std::int64_t away = distance(answer->second, *search_);
  for (const auto& [other, row] : rows_) {
    const std::int64_t to_other = distance(row, *search_);
    if (to_other < away || (to_other == away && other < number)) {
      broken.push_back(row_text(other) + " at distance " + std::to_string(to_other) + " comes before " +
                       row_text(number) + " at " + std::to_string(away));
      return;
    }
  }
}

std::int64_t CompactSearchJudge::distance(const Row& row, const Search& search) const {
  const std::int64_t dx = row.x - search.x, dy = row.y - search.y;
  return config_.distance == routing::CoordinateDistance::manhattan ? std::abs(dx) + std::abs(dy)
                                                                    : dx * dx + dy * dy;
}

void CompactSearchJudge::take(Cycle cycle, const Sample& pins) {
  if (pins.input(at_.reset) != 0) {
    rows_.clear();
    search_.reset();
    return;
  }
  if (pins.input(at_.request_valid) == 0 || (search_ && search_->answered > cycle)) return;
  const auto x = static_cast<std::int64_t>(pins.input(at_.x)),
             y = static_cast<std::int64_t>(pins.input(at_.y));
  const std::uint64_t operation = pins.input(at_.operation);
  if (operation == 0) begin(cycle, x, y);
  if (operation == 1) rows_[pins.input(at_.row)] = {x, y, pins.input(at_.port)};
  if (operation == 2) rows_.erase(pins.input(at_.row));
}

/// Counts the groups of k rows that are compared.
void CompactSearchJudge::begin(Cycle cycle, std::int64_t x, std::int64_t y) {
  Search search{cycle, cycle, 0, x, y};
  const std::uint64_t end = rows_.empty() ? 0 : rows_.rbegin()->first + 1;
  bool there = false;
  for (std::uint64_t from = 0; from < end && !there; from += config_.per_cycle, ++search.compared)
    for (const auto& [number, row] : rows_)
      if (number >= from && number < from + config_.per_cycle && row.x == x && row.y == y)
        there = config_.ends_early;
  search.answered = search.compared + 1;
  search_ = search;
}

}  // namespace tsuji::bench
