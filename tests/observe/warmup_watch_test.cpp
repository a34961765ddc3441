#include "tsuji/observe/warmup_watch.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::observe;

namespace {

/// The rule as it is written down: the mean square deviation of what is left, over how much that is.
std::size_t cut_by_definition(const std::vector<double>& means) {
  std::size_t best = 0;
  double least = -1;
  for (std::size_t cut = 0; cut + 5 <= means.size(); ++cut) {
    const auto count = static_cast<double>(means.size() - cut);
    double mean = 0, squares = 0;
    for (std::size_t i = cut; i < means.size(); ++i) mean += means[i] / count;
    for (std::size_t i = cut; i < means.size(); ++i) squares += (means[i] - mean) * (means[i] - mean);
    if (least >= 0 && squares / (count * count) >= least) continue;
    least = squares / (count * count);
    best = cut;
  }
  return best;
}

/// The cycle in which a network is found stationary whose packets, 0.2 a cycle, take latency(cycle) and some
/// chance; `never` within the first 200,000.
template <class F>
Cycle found_stationary(F latency, std::uint64_t seed) {
  CounterRandom random(seed, 0);
  WarmupWatch watch;
  Cycle from = 0;
  while (watch.next_check() <= 200'000) {
    const Cycle now = watch.next_check();
    for (Cycle tail = from; tail < now; ++tail) {
      if (random.below(5) == 0) watch.arrived(tail, static_cast<Cycle>(latency(tail)) + random.below(30));
    }
    from = now;
    if (watch.stationary(now)) return now;
  }
  return never;
}

}  // namespace

TEST_CASE("the MSER-5 cut is that of its definition") {
  CounterRandom random(5, 5);
  for (unsigned round = 0; round < 200; ++round) {
    const std::size_t batches = 5 + random.below(60), transient = random.below(40);
    std::vector<SeriesCell> cells;
    std::vector<double> means;
    for (std::size_t b = 0; b < batches; ++b) {
      double packets = 0, sum = 0;
      for (unsigned c = 0; c < 5; ++c) {
        while (random.below(4) == 0) cells.emplace_back();  // none arrived: no observation
        SeriesCell cell;
        cell.packets = 1 + random.below(5);
        cell.sum = cell.packets * (b < transient ? 10 + 3 * b : 10 + 3 * transient) + random.below(40);
        cells.push_back(cell);
        packets += static_cast<double>(cell.packets);
        sum += static_cast<double>(cell.sum);
      }
      means.push_back(sum / packets);
    }
    const MserCut found = mser5(cells);
    CAPTURE(round, batches, transient);
    CHECK(found.batches == batches);
    CHECK(found.cut == cut_by_definition(means));
  }
  CHECK(mser5({}).batches == 0);
  CHECK(mser5(std::vector<SeriesCell>(100, SeriesCell{2, 20})).cut == 0);
}

TEST_CASE("a steady state is found when the transient is in the first half of what was seen") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    CHECK(found_stationary([](Cycle) { return 40; }, seed) <= 2000);
    // Latencies rise for 8,000 cycles.
    const Cycle found = found_stationary([](Cycle at) { return at < 8000 ? 20 + at / 10 : 820; }, seed);
    CHECK(found >= 14'000);
    CHECK(found <= 25'000);
    // A saturated network's never stop.
    CHECK(found_stationary([](Cycle at) { return at / 20; }, seed) == never);
  }
}

TEST_CASE("no order of arrivals within a cycle changes the verdict, and cells lengthen") {
  const auto verdicts = [](bool backwards) {
    std::vector<bool> found;
    WarmupWatch watch;
    for (Cycle now = 0; now < 500'000; ++now) {
      for (unsigned i = 0; i < 3; ++i) watch.arrived(now, 20 + (now * 7 + (backwards ? 2 - i : i) * 13) % 50);
      if (now + 1 == watch.next_check()) found.push_back(watch.stationary(now + 1));
    }
    return found;
  };
  CHECK(verdicts(false) == verdicts(true));
  CHECK(verdicts(false).back());
}
