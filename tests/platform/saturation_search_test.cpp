// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/saturation_search.h"

#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.h"

using namespace tsuji::platform;

namespace {

using Run = SaturationSearch::Run;
using Judge = std::function<LoadVerdict(const Run&)>;

/// A run is decided if its length exceeds the relaxation time, which is proportional to the inverse square of
/// the load's distance from `saturation`.
Judge network(double saturation, double width) {
  return [=](const Run& run) {
    if (std::abs(run.load - saturation) < width / std::sqrt(run.times)) return LoadVerdict::undecided;
    return run.load < saturation ? LoadVerdict::stable : LoadVerdict::saturated;
  };
}

struct Found {
  double stable;
  std::optional<double> saturated;
  unsigned runs;
  unsigned longest;
};

Found search(const std::vector<double>& loads, const Judge& judge, bool lengthens = true, double needs = 4) {
  SaturationSearch search(lengthens);
  Found found{0, {}, 0, 1};
  const auto play = [&](const Run& run) {
    ++found.runs;
    found.longest = std::max(found.longest, run.times);
    search.ended(run, judge(run), needs * run.times);
  };
  for (const double load : loads) play({load, 1});
  for (auto wanted = search.next(); !wanted.empty(); wanted = search.next()) {
    REQUIRE(found.runs < 500);
    for (const Run& run : wanted) play(run);
  }
  found.stable = search.stable();
  found.saturated = search.saturated();
  return found;
}

}  // namespace

TEST_CASE("a search goes up to the highest load that can be offered") {
  SaturationSearch two(true, 2.0);
  two.ended({1.0, 1}, LoadVerdict::stable, 1);
  REQUIRE(two.next().size() == 1);
  CHECK(two.next()[0].load == 2.0);
  two.ended({2.0, 1}, LoadVerdict::stable, 1);
  CHECK(two.next().empty());
  CHECK(two.stable() == 2.0);
  SaturationSearch four(true, 4.0);
  four.ended({2.5, 1}, LoadVerdict::stable, 1);
  four.ended({4.0, 1}, LoadVerdict::saturated, 1);
  CHECK(four.stable() == 2.5);
  REQUIRE(four.next().size() == 1);
  CHECK(four.next()[0].load > 2.5);
  CHECK(four.next()[0].load < 4.0);
}

TEST_CASE("a search ends with a stable and a saturated load a percent apart") {
  for (const double saturation : {0.0123, 0.1429, 0.405, 0.77, 0.98}) {
    CAPTURE(saturation);
    const Found found = search({0.2, 0.5}, network(saturation, 0));
    REQUIRE(found.saturated);
    CHECK(found.stable <= saturation);
    CHECK(*found.saturated >= saturation);
    CHECK(*found.saturated - found.stable <= 0.01 * *found.saturated + 1e-9);
    CHECK(found.longest == 1);
  }
}

TEST_CASE("undecided runs are prolonged, and an undecided interval is narrowed from both sides") {
  const double width = 0.02;
  const Found found = search({0.1, 0.3, 0.5}, network(0.4, width));
  REQUIRE(found.saturated);
  // Runs of sixteen times the length decide loads that differ by 0.005.
  CHECK(found.stable <= 0.395);
  CHECK(found.stable > 0.395 - 0.0045);
  CHECK(*found.saturated >= 0.405);
  CHECK(*found.saturated < 0.405 + 0.0045);
  CHECK(found.longest == SaturationSearch::longest);
}

TEST_CASE("a run is prolonged to its estimate, by powers of two, and never beyond 16 times") {
  std::vector<unsigned> times;
  const Judge note = [&](const Run& run) {
    if (run.load == 0.3) times.push_back(run.times);
    return run.load < 0.3   ? LoadVerdict::stable
           : run.load > 0.3 ? LoadVerdict::saturated
                            : LoadVerdict::undecided;
  };
  SECTION("a little longer") {
    search({0.2985, 0.3, 0.3015}, note, true, 1.1);
    CHECK(times == std::vector<unsigned>{1, 2, 4, 8, 16});
  }
  SECTION("three times as long") {
    search({0.2985, 0.3, 0.3015}, note, true, 3);
    CHECK(times == std::vector<unsigned>{1, 4, 16});
  }
  SECTION("much longer") {
    search({0.2985, 0.3, 0.3015}, note, true, 1000);
    CHECK(times == std::vector<unsigned>{1, 16});
  }
  SECTION("no longer run can be had") {
    search({0.2985, 0.3, 0.3015}, note, false, 3);
    CHECK(times == std::vector<unsigned>{1});
  }
}

TEST_CASE("a network that carries everything or nothing") {
  const Found all = search({0.2, 0.5}, network(2, 0));
  CHECK(all.stable == 1.0);
  CHECK_FALSE(all.saturated);
  CHECK(all.runs == 3);
  const Found unknown = search({0.2, 0.5}, network(1.0, 0.05));
  CHECK(unknown.stable < 1.0);
  CHECK(unknown.stable > 0.97);
  CHECK_FALSE(unknown.saturated);
  const Found none = search({0.2, 0.5}, network(1e-9, 0));
  CHECK(none.stable == 0);
  CHECK(*none.saturated <= 2e-6);
}

TEST_CASE("contradictory verdicts end in a stable load below a saturated one") {
  // One run at a low load is judged saturated by chance: loads above it do not count as stable.
  const Judge odd = [](const Run& run) {
    return run.load == 0.2 || run.load > 0.4 ? LoadVerdict::saturated : LoadVerdict::stable;
  };
  const Found found = search({0.1, 0.2, 0.3, 0.5}, odd);
  CHECK(found.stable < 0.2);
  CHECK(*found.saturated == 0.2);
  CHECK(*found.saturated - found.stable <= 0.002 + 1e-9);
}

// tests/platforms/saturation_cases_test.py plays the search of studies with the same file.
TEST_CASE("a sweep searches for its saturation as a study does") {
  using Json = nlohmann::json;
  std::ifstream file(TSUJI_SOURCE_DIR "/tests/platform/saturation_cases.json");
  const auto verdict = [](const std::string& word) {
    if (word == "undecided") return LoadVerdict::undecided;
    return word == "stable" ? LoadVerdict::stable : LoadVerdict::saturated;
  };
  for (const Json& one : Json::parse(file)) {
    CAPTURE(one["name"]);
    SaturationSearch search(one["lengthens"]);
    for (const Json& step : one["steps"]) {
      CAPTURE(step);
      for (const Json& end : step["ended"])
        search.ended({end[0], end[1]}, verdict(end[2]), end.size() > 3 ? end[3].get<double>() : 2.0);
      Json next = Json::array();
      for (const Run& run : search.next()) next.push_back({run.load, run.times});
      CHECK(next == step["next"]);
    }
    CHECK(search.stable() == one["stable"]);
    CHECK(search.saturated().value_or(0) == (one["saturated"].is_null() ? Json(0.0) : one["saturated"]));
  }
}

TEST_CASE("a sweep continues to its second saturated load") {
  constexpr auto stable = LoadVerdict::stable, saturated = LoadVerdict::saturated,
                 open = LoadVerdict::undecided;
  CHECK(goes_up({}));
  CHECK(goes_up({stable, open, open, saturated}));
  CHECK_FALSE(goes_up({stable, saturated, saturated}));
  CHECK_FALSE(goes_up({saturated, stable, saturated}));
}
