// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/scoreboard.h"
#include "lookup/compact_search_pins.h"

namespace tsuji::bench {

/// Rules of the search (Compact Tables, section 3). The answer is the entry nearest to the destination, the
/// lowest row of equally near entries, with the port last written to that row. Rows are compared in order, k
/// in a cycle, up to the last row in use, or up to an exact match if that ends the search. The answer comes
/// one cycle later. Until then the unit is not ready.
class CompactSearchJudge final : public Scoreboard {
 public:
  CompactSearchJudge(const Drive& pins, const lookup::CompactSearchConfig& config)
      : config_(config), at_(pins) {}
  void judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) override;

 private:
  struct Row {
    std::int64_t x, y;
    std::uint64_t port;
  };
  /// A search in progress, or answered in this cycle.
  struct Search {
    Cycle asked, compared, answered;  ///< first cycle, first after comparing, cycle of the answer
    std::int64_t x, y;
  };
  using Lines = std::vector<std::string>;
  void judge_pace(Cycle cycle, const Sample& pins, Lines& broken) const;
  void judge_answer(const Sample& pins, Lines& broken) const;
  void take(Cycle cycle, const Sample& pins);
  void begin(Cycle cycle, std::int64_t x, std::int64_t y);
  std::int64_t distance(const Row& row, const Search& search) const;

  const lookup::CompactSearchConfig config_;
  const CompactSearchHandles at_;
  std::map<std::uint64_t, Row> rows_;  ///< rows that hold an entry
  std::optional<Search> search_;
};

}  // namespace tsuji::bench
