// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/stability.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/observe/quantiles.h"

using namespace tsuji;
using namespace tsuji::observe;
using Kind = BacklogVerdict::Kind;

namespace {

/// Sources, each with a queue in front of a server of a packet every `service` cycles. The first `starved` of
/// them have `load` of the server's capacity and the others 0.3. A packet visits three routers and takes 30
/// cycles besides its wait.
BacklogVerdict queues(double load, Cycle cycles, std::uint64_t seed, unsigned sources = 16,
                      unsigned starved = 1) {
  constexpr unsigned parts = 16;
  constexpr Cycle service = 4, way = 30;
  SourceBacklog backlog(sources, parts);
  CounterRandom random(seed, 0);
  const auto part_of = [&](Cycle cycle) { return cycle * parts / cycles; };
  for (NodeId source = 0; source < sources; ++source) {
    const double chance = (source < starved ? load : 0.3) / static_cast<double>(service);
    Cycle free_at = 0;
    for (Cycle now = 0; now < cycles; ++now) {
      if (random.unit() >= chance) continue;
      backlog.offered(source, part_of(now));
      free_at = std::max(free_at, now) + service;
      const Cycle end = free_at - service + way;
      backlog.delivered(source, end - now, 3);
      if (end < cycles) backlog.ended(source, part_of(end));
    }
  }
  return backlog.judge(parts, static_cast<double>(cycles), {15, 5});
}

unsigned count(Kind kind, double load, Cycle cycles, unsigned runs = 60) {
  unsigned found = 0;
  for (unsigned seed = 1; seed <= runs; ++seed) found += queues(load, cycles, seed).kind == kind;
  return found;
}

std::vector<SeriesCell> series(unsigned cells, const std::function<double(unsigned)>& value) {
  std::vector<SeriesCell> found(cells);
  for (unsigned i = 0; i < cells; ++i) found[i] = {10, static_cast<std::uint64_t>(10 * value(i))};
  return found;
}

}  // namespace

TEST_CASE("quantiles of the normal and of Student's distribution") {
  CHECK(normal_quantile(0.5) == Approx(0).margin(1e-9));
  CHECK(normal_quantile(0.025) == Approx(1.959964));
  CHECK(normal_quantile(0.001) == Approx(3.090232));
  CHECK(normal_quantile(0.975) == Approx(-1.959964));
  // Tables: 15 degrees of freedom, 0.025, 0.001, 0.0005; 8 degrees of freedom.
  CHECK(student_quantile(0.025, 15) == Approx(2.131).epsilon(0.002));
  CHECK(student_quantile(0.001, 15) == Approx(3.733).epsilon(0.005));
  CHECK(student_quantile(0.0005, 15) == Approx(4.073).epsilon(0.005));
  CHECK(student_quantile(0.001, 8) == Approx(4.501).epsilon(0.03));
  CHECK(student_quantile(0.025, 1e9) == Approx(1.959964));
  CHECK_THROWS(normal_quantile(0));
  CHECK_THROWS(normal_quantile(1));
}

TEST_CASE("one source of sixteen whose queue grows is found, although the sum of all hides it") {
  unsigned hidden = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const BacklogVerdict verdict = queues(1.15, 40'000, seed);
    CHECK(verdict.kind == Kind::growing);
    CHECK(verdict.worst_source == 0);
    CHECK(verdict.worst_share == Approx(1 / 1.15).margin(0.03));
    CHECK(verdict.growth_packets == Approx(0.15 / 4 * 40'000).epsilon(0.25));
    hidden += verdict.share > 0.95;
  }
  CHECK(hidden == 20);
}

TEST_CASE("at its limit a source is rarely judged stable, and rarely judged growing") {
  // The mean of a reflected Brownian motion is below 0.17 in one run of twenty.
  CHECK(count(Kind::stable, 1.0, 20'000) <= 8);
  CHECK(count(Kind::growing, 1.0, 20'000) <= 4);
  // Above the limit never stable, below it never growing.
  CHECK(count(Kind::stable, 1.08, 20'000) == 0);
  CHECK(count(Kind::growing, 0.95, 20'000) == 0);
}

TEST_CASE("the verdict becomes decided with the length of the run") {
  // At 90 % of the limit the relaxation time is some 400 cycles, at 97 % ten times that.
  CHECK(count(Kind::stable, 0.9, 20'000) >= 57);
  CHECK(count(Kind::stable, 0.97, 2'000) <= 30);
  CHECK(count(Kind::stable, 0.97, 200'000, 20) >= 19);
  CHECK(count(Kind::growing, 1.05, 5'000) <= 20);
  CHECK(count(Kind::growing, 1.05, 200'000, 20) == 20);
}

TEST_CASE("an open verdict estimates the required length within a small factor") {
  unsigned decided = 0, open = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const BacklogVerdict first = queues(0.97, 4'000, seed);
    if (first.kind != Kind::undecided) continue;
    ++open;
    CHECK(first.decides_after > 1);
    const auto longer = static_cast<Cycle>(4'000 * std::min(4 * first.decides_after, 200.0));
    decided += queues(0.97, longer, seed).kind == Kind::stable;
  }
  REQUIRE(open >= 10);
  CHECK(decided >= open * 7 / 10);
}

TEST_CASE("sources with few packets are judged together, and with too few in all there is no verdict") {
  SourceBacklog backlog(10);
  for (NodeId source = 0; source < 10; ++source) {
    backlog.offered(source, source);
    if (source < 5) backlog.offered(source, 3);
  }
  CHECK(backlog.judge(16, 1000, {}).kind == Kind::few_packets);
  CHECK(backlog.judge(16, 1000, {}).offered == 15);
  CHECK(backlog.judge(16, 1000, {}).share == 0);
  backlog.offered(9, 4);
  // Sixteen packets, none of which ends: all sources are one group, and the worst source is its first.
  const BacklogVerdict verdict = backlog.judge(16, 1000, {});
  CHECK(verdict.kind != Kind::few_packets);
  CHECK(verdict.worst_source == 0);
  CHECK(verdict.growth_packets == 16);
  // Twenty more packets of source 4 make a group that ends with it; the few later ones belong to it, too.
  for (unsigned i = 0; i < 20; ++i) {
    backlog.offered(4, i % 16);
    backlog.ended(4, i % 16);
  }
  CHECK(backlog.judge(16, 1000, {}).share == Approx(20.0 / 36));
  const SourceBacklog silent(4);
  CHECK(silent.judge(16, 1000, {}).kind == Kind::few_packets);
  CHECK(silent.judge(16, 1000, {}).share == 1);
}

TEST_CASE("counts of a backlog do not wrap in parts with many packets") {
  SourceBacklog backlog(3, 2);
  for (unsigned i = 0; i < 200'000; ++i) {
    backlog.offered(1, 1);
    if (i % 2 == 0) backlog.ended(1, 1);
  }
  for (unsigned i = 0; i < 65'536; ++i) backlog.offered(1, 0);
  CHECK(backlog.offered(1) == 265'536);
  CHECK(backlog.offered(0) == 0);
  CHECK(backlog.offered(2) == 0);
  CHECK(backlog.judge(1, 1000, {}).offered == 65'536);
  CHECK(backlog.judge(2, 1000, {}).share == Approx(100'000 / 265'536.0));
  CHECK(backlog.judge(2, 1000, {}).growth_packets == 165'536);
}

TEST_CASE("a source with long paths but without waits does not count as waiting") {
  SourceBacklog backlog(1, 4);
  for (unsigned i = 0; i < 100; ++i) {
    backlog.offered(0, i % 4);
    backlog.ended(0, i % 4);
    backlog.delivered(0, 5000 + 10 * (i % 7), i % 7);
  }
  CHECK(backlog.judge(4, 4000, {5000, 10}).waiting == Approx(0).margin(1e-9));
  CHECK(backlog.judge(4, 4000, {5000, 10}).kind == Kind::stable);
  // 100 packets that wait 400 cycles each are ten at a time, as much as the noise of their number.
  CHECK(backlog.judge(4, 4000, {4600, 10}).waiting == Approx(100 * 400 / 4000.0 / 4).margin(0.01));
  CHECK(backlog.judge(4, 4000, {4600, 10}).kind == Kind::undecided);
}

TEST_CASE("a growing latency is distinguished from a wandering one") {
  CounterRandom random(5, 0);
  const auto line = series(1000, [&](unsigned i) { return 50.0 + i * 0.1 + random.unit(); });
  CHECK(series_growth(line).grows());
  CHECK(series_growth(line).share > 0.8);
  unsigned wandering = 0, steady = 0;
  for (unsigned run = 0; run < 200; ++run) {
    double value = 1000;
    wandering += series_growth(series(1000, [&](unsigned) { return value += random.unit() - 0.5; })).grows();
    steady += series_growth(series(1000, [&](unsigned) { return 50 + 20 * random.unit(); })).grows();
  }
  CHECK(wandering <= 2);
  CHECK(steady == 0);
  // A part of the run without packets gives no verdict.
  auto gap = line;
  for (unsigned i = 0; i < 100; ++i) gap[i] = {};
  CHECK_FALSE(series_growth(gap).known);
  CHECK_FALSE(series_growth(gap).grows());
}

TEST_CASE("a run has the verdict of its criteria, and names the first that fails") {
  Stability stability;
  stability.latency.known = true;
  stability.latency.limit = 4;
  stability.backlog.offered = 1000;
  stability.backlog.share_noise = 0.01;
  const auto decided = [&](Kind kind, bool misses = false) {
    stability.backlog.kind = kind;
    stability.decide(misses, 10'000);
    return std::string(stability.word());
  };
  CHECK(decided(Kind::stable) == "stable");
  CHECK(std::string(stability.reason).empty());
  CHECK(decided(Kind::growing) == "saturated");
  CHECK(std::string(stability.reason) == "the backlog of a source grows");
  CHECK(stability.saturated());
  stability.backlog.decides_after = 3.5;
  CHECK(decided(Kind::undecided) == "undecided");
  CHECK(stability.needs_cycles == 35'000);
  stability.backlog.decides_after = 1.1;
  decided(Kind::undecided);
  CHECK(stability.needs_cycles == 20'000);
  CHECK(decided(Kind::stable, true) == "undecided");
  CHECK(std::string(stability.reason) == "packets are missing");
  stability.latency.growth = 4.1;
  CHECK(decided(Kind::stable) == "saturated");
  CHECK(std::string(stability.reason) == "latency grows");
  stability.latency.growth = 0;
  stability.backlog.share = 0.96;
  CHECK(decided(Kind::stable) == "saturated");
  CHECK(std::string(stability.reason) == "the backlog of all sources grows");
  stability.backlog.share = 0.98;
  CHECK(decided(Kind::stable) == "stable");
  CHECK(decided(Kind::few_packets) == "undecided");
  CHECK(std::string(stability.reason) == "few packets");
}
