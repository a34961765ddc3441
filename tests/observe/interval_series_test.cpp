// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/interval_series.h"

#include <cstdint>
#include <string>

#include "support/catch.h"
#include "tsuji/core/error.h"

using tsuji::Cycle;
using tsuji::observe::IntervalSeries;
using tsuji::observe::IntervalTotals;

namespace {

/// A network in which every cycle a packet is born and arrives after 5 cycles, and link l moves l + 1 flits.
class Steady {
 public:
  Steady(Cycle interval, std::size_t links) : series(interval, links), links_(links) {}

  void run(Cycle end) {
    for (; now_ < end; ++now_) {
      series.delivered(5 + (now_ == 100 ? 90 : 0), 2);
      if (now_ + 1 >= series.next_stop())
        series.pass(now_ + 1, [this](IntervalTotals& t) { read(now_ + 1, t); });
    }
  }
  void read(Cycle now, IntervalTotals& totals) const {
    totals.born = now;
    totals.under_way = 7 + now % 3;
    for (std::size_t l = 0; l < links_; ++l) totals.link_flits.push_back(now * (l + 1));
  }
  void finish() {
    series.finish(now_, [this](IntervalTotals& t) { read(now_, t); });
  }

  IntervalSeries series;

 private:
  const std::size_t links_;
  Cycle now_ = 0;
};

}  // namespace

TEST_CASE("intervals of a given length hold what happens in them") {
  Steady run(30, 2);
  run.run(130);
  run.finish();
  const auto& rows = run.series.rows();
  REQUIRE(rows.size() == 5);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Cycle cycles = i == 4 ? 10 : 30;
    CAPTURE(i);
    CHECK(rows[i].first == 30 * i);
    CHECK(rows[i].cycles == cycles);
    CHECK(rows[i].born == cycles);
    CHECK(rows[i].delivered == cycles);
    CHECK(rows[i].flits == 2 * cycles);
    CHECK(rows[i].latency_sum == 5 * cycles + (i == 3 ? 90 : 0));
    CHECK(rows[i].latency_max == (i == 3 ? 95 : 5));
    CHECK(rows[i].under_way == 7 + (rows[i].first + cycles) % 3);
    CHECK(run.series.flits(i, 0) == cycles);
    CHECK(run.series.flits(i, 1) == 2 * cycles);
  }
}

TEST_CASE("a chosen length grows with the run, and no count is lost") {
  Steady run(0, 3);
  for (const Cycle end : {Cycle{64 * 399}, Cycle{64 * 400}, Cycle{1'000'003}}) run.run(end);
  run.finish();
  const auto& rows = run.series.rows();
  CHECK(rows.size() > 200);
  CHECK(rows.size() <= 400);
  std::uint64_t born = 0, flits = 0, longest = 0, link = 0;
  Cycle next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].first == next);
    next += rows[i].cycles;
    born += rows[i].born;
    flits += rows[i].flits;
    longest = std::max<std::uint64_t>(longest, rows[i].latency_max);
    link += run.series.flits(i, 2);
  }
  CHECK(next == 1'000'003);
  CHECK(born == 1'000'003);
  CHECK(flits == 2'000'006);
  CHECK(longest == 95);
  CHECK(link == 3'000'009);
  CHECK(rows.front().latency_max == 95);
}

TEST_CASE("cycles without events are intervals of zeros") {
  IntervalSeries series(10, 1);
  const auto read = [](IntervalTotals& totals) {
    totals.born = 4;
    totals.link_flits = {8};
  };
  series.pass(9, read);
  CHECK(series.rows().empty());
  series.pass(35, read);
  REQUIRE(series.rows().size() == 3);
  CHECK(series.next_stop() == 40);
  CHECK(series.rows()[0].born == 4);
  CHECK(series.flits(0, 0) == 8);
  CHECK(series.rows()[2].born == 0);
  CHECK(series.flits(2, 0) == 0);
  series.finish(35, read);
  CHECK(series.rows().back().cycles == 5);
}

TEST_CASE("intervals that do not fit into memory are refused") {
  IntervalSeries series(1, 1 << 20);
  const auto read = [](IntervalTotals& totals) { totals.link_flits.assign(1 << 20, 0); };
  CHECK_THROWS_WITH(series.pass(1000, read),
                    Catch::Contains("observe.interval_cycles: 63 intervals of 1048576 directions of links") &&
                        Catch::Contains("accepted: a longer interval, or auto"));
}
