// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/interval_series.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::observe {
namespace {

constexpr Cycle first_interval = 64;
constexpr std::size_t most_cells = std::size_t{1} << 23, most_rows = 400, fewest_rows = 16;
constexpr std::size_t cells_of_row = 16;  ///< memory of a row, in those of a link's count

/// Even, so that pairs can be joined.
std::size_t rows_for(std::size_t links) {
  return std::clamp(most_cells / (links + cells_of_row), fewest_rows, most_rows) / 2 * 2;
}

}  // namespace

IntervalSeries::IntervalSeries(Cycle interval_cycles, std::size_t links)
    : chosen_(interval_cycles == 0),
      links_(links),
      most_rows_(chosen_ ? rows_for(links) : most_cells * 8 / (links + cells_of_row)),
      interval_(chosen_ ? first_interval : interval_cycles) {
  before_.link_flits.assign(links, 0);
}

void IntervalSeries::delivered(Cycle latency, unsigned flits) {
  ++present_.delivered;
  present_.flits += flits;
  present_.latency_sum += latency;
  present_.latency_max = std::max<std::uint64_t>(present_.latency_max, latency);
}

void IntervalSeries::pass(Cycle now, const Read& read) {
  if (now < next_stop()) return;
  IntervalTotals totals;
  totals.link_flits.reserve(links_);
  read(totals);
  while (now >= next_stop()) close(next_stop(), totals);
}

void IntervalSeries::finish(Cycle now, const Read& read) {
  pass(now, read);
  if (now <= begin_) return;
  IntervalTotals totals;
  read(totals);
  close(now, totals);
}

void IntervalSeries::close(Cycle end, const IntervalTotals& totals) {
  if (!chosen_ && rows_.size() == most_rows_)
    throw ConfigError("observe.interval_cycles", std::to_string(interval_),
                      std::to_string(most_rows_) + " intervals of " + std::to_string(links_) +
                          " directions of links are all that fit into memory, and the run is longer",
                      "a longer interval, or auto");
  present_.first = begin_;
  present_.cycles = end - begin_;
  present_.born = totals.born - before_.born;
  present_.under_way = totals.under_way;
  rows_.push_back(present_);
  for (std::size_t link = 0; link < links_; ++link)
    link_flits_.push_back(static_cast<std::uint32_t>(totals.link_flits[link] - before_.link_flits[link]));
  present_ = {};
  before_ = totals;
  begin_ = end;
  if (chosen_ && rows_.size() == most_rows_) join_pairs();
}

void IntervalSeries::join_pairs() {
  for (std::size_t i = 0; i < rows_.size() / 2; ++i) {
    Row joined = rows_[2 * i];
    const Row& second = rows_[2 * i + 1];
    joined.cycles += second.cycles;
    joined.born += second.born;
    joined.delivered += second.delivered;
    joined.flits += second.flits;
    joined.latency_sum += second.latency_sum;
    joined.latency_max = std::max(joined.latency_max, second.latency_max);
    joined.under_way = second.under_way;
    rows_[i] = joined;
    for (std::size_t link = 0; link < links_; ++link)
      link_flits_[i * links_ + link] = flits(2 * i, link) + flits(2 * i + 1, link);
  }
  rows_.resize(rows_.size() / 2);
  link_flits_.resize(rows_.size() * links_);
  interval_ *= 2;
}

}  // namespace tsuji::observe
