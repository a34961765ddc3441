// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/warmup_watch.h"

#include <algorithm>
#include <utility>

#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::observe;

namespace {

/// The rule by its definition: minimizes the mean square deviation of the rest divided by its length.
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

/// The cycle in which a network is found stationary, whose packets, 0.2 a cycle from four sources, take
/// latency(cycle) plus noise; `never` if not within the first 200,000.
template <class F>
Cycle found_stationary(F latency, std::uint64_t seed) {
  CounterRandom random(seed, 0);
  WarmupWatch watch(4);
  Cycle from = 0;
  while (watch.next_check() <= 200'000) {
    const Cycle now = watch.next_check();
    for (Cycle tail = from; tail < now; ++tail) {
      if (random.below(5) != 0) continue;
      const auto source = static_cast<NodeId>(random.below(4));
      // A source's packets are born as they end, so none waits there.
      watch.born(tail, source);
      watch.arrived(tail, source, static_cast<Cycle>(latency(tail)) + random.below(30), 1);
    }
    from = now;
    if (watch.stationary(now)) return now;
  }
  return never;
}

/// The cycle in which sources are found stationary that send packets of 4 flits over one link each, with
/// these shares of the link's cycles; `never` if not within the first 50,000.
Cycle queues_stationary(const std::vector<double>& shares, std::uint64_t seed, Cycle longest = 50'000) {
  struct Packet {
    Cycle at;
    NodeId source;
    Cycle latency;
  };
  CounterRandom random(seed, 1);
  std::vector<Packet> births, ends;
  for (NodeId source = 0; source < shares.size(); ++source) {
    Cycle free_at = 0;
    for (Cycle now = 0; now < longest; ++now) {
      if (random.unit() >= shares[source] / 4) continue;
      births.push_back({now, source, 0});
      free_at = std::max(free_at, now) + 4;
      ends.push_back({free_at + 6, source, free_at + 6 - now});
    }
  }
  const auto earlier = [](const Packet& a, const Packet& b) { return a.at < b.at; };
  std::sort(births.begin(), births.end(), earlier);
  std::sort(ends.begin(), ends.end(), earlier);
  WarmupWatch watch(static_cast<unsigned>(shares.size()));
  std::size_t born = 0, ended = 0;
  while (watch.next_check() <= longest) {
    const Cycle now = watch.next_check();
    for (; born < births.size() && births[born].at < now; ++born)
      watch.born(births[born].at, births[born].source);
    for (; ended < ends.size() && ends[ended].at < now; ++ended)
      watch.arrived(ends[ended].at, ends[ended].source, ends[ended].latency, 1);
    if (watch.stationary(now)) return now;
  }
  return never;
}

}  // namespace

TEST_CASE("the MSER-5 cut follows its definition") {
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

TEST_CASE("a steady state is found when the transient is in the first half of the observed time") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    CHECK(found_stationary([](Cycle) { return 40; }, seed) <= 2000);
    // Latencies rise for 8,000 cycles.
    const Cycle found = found_stationary([](Cycle at) { return at < 8000 ? 20 + at / 10 : 820; }, seed);
    CHECK(found >= 14'000);
    CHECK(found <= 25'000);
    // Latencies of a saturated network rise without end.
    CHECK(found_stationary([](Cycle at) { return at / 20; }, seed) == never);
  }
}

TEST_CASE("one source above its limit is enough, for any number below") {
  unsigned above = 0, below = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    above += queues_stationary({0.3, 0.3, 0.3, 1.04, 0.3, 0.3}, seed) != never;
    below += queues_stationary({0.3, 0.3, 0.3, 0.9, 0.3, 0.3}, seed) != never;
  }
  CHECK(above <= 1);
  CHECK(below >= 95);
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    CHECK(queues_stationary(std::vector<double>(16, 0.5), seed) <= 3100);
}

TEST_CASE("a backlog is judged in the later half, against the noise of the offered packets") {
  // Two packets a hundred cycles each from one source; `held` of them end only after the judgements.
  const auto below_limit = [](unsigned held, Cycle from, Cycle now, Cycle latency) {
    BacklogHistory history(2);
    unsigned kept = 0;
    for (Cycle at = 0; at < now; at += 50) {
      history.born(at, 1);
      if (at >= from && kept < held) {
        ++kept;
      } else if (at + latency < now) {
        history.ended(at + latency, 1, 3);
      }
    }
    return history.below_limit(now, {4, 2});
  };
  // 80 to 81 packets of 4,096 cycles: 0.1 times 9 may wait while there are fewer than 200.
  CHECK(below_limit(0, 0, 8192, 10));
  CHECK(below_limit(0, 0, 8192, 50));
  CHECK_FALSE(below_limit(0, 0, 8192, 60));
  CHECK_FALSE(below_limit(1, 0, 8192, 10));
  // Parts double: of 327,680 cycles, 3,277 packets have a deviation of 57, of which 0.17 may wait.
  CHECK(below_limit(9, 0, 2 * 163'840, 10));
  CHECK_FALSE(below_limit(10, 0, 2 * 163'840, 10));
  // Packets that wait in a tenth of the half count for a tenth; the first half does not count.
  CHECK(below_limit(60, 2 * 163'840 - 16'384, 2 * 163'840, 10));
  // The half is too short for a decision.
  CHECK_FALSE(below_limit(0, 0, 128, 10));
}

TEST_CASE("packets count for the time that they are inside, in parts that were shorter at their arrival") {
  // A packet every 512 cycles. Parts of 256 cycles become 512 long at cycle 8,192, and 5,120 to 10,240 count:
  // ten packets, treated as 16, of which 0.1 x 4 may wait: 0.4 x 512 = 205 cycles of each.
  const auto below_limit = [](Cycle begin, Cycle inside) {
    BacklogHistory history(1);
    for (Cycle at = begin; at < 10'240; at += 512) {
      history.born(at, 0);
      history.ended(at + inside, 0, 1);
    }
    return history.below_limit(10'240, {0, 0});
  };
  for (const Cycle begin : {0, 100, 255, 300}) {
    CAPTURE(begin);
    CHECK(below_limit(begin, 204));
    CHECK_FALSE(below_limit(begin, 206));
  }
}

TEST_CASE(
    "sources with bursts have more noise, dropped packets end, and the order of calls does not matter") {
  const auto history = [](bool bursts, bool backwards, unsigned held) {
    BacklogHistory made(2);
    std::vector<std::pair<Cycle, bool>> events;
    for (Cycle burst = 0; burst < 262'144; burst += 8192) {
      for (unsigned packet = 0; packet < 160; ++packet) {
        const Cycle at = bursts ? burst + packet % 16 : burst + packet * 51;
        if (bursts && burst / 8192 % 4 != 0) continue;
        events.emplace_back(at, true);
        if (burst < 65'536 && packet < held) continue;
        events.emplace_back(at, false);
      }
    }
    if (backwards) std::reverse(events.begin(), events.end());
    for (const auto& [at, birth] : events) {
      if (birth) {
        made.born(at, 0);
      } else {
        made.ended(at, 0, 0);
      }
    }
    return made.below_limit(262'144, {0, 0});
  };
  for (const bool backwards : {false, true}) {
    CAPTURE(backwards);
    // 8 or 16 packets stay from the beginning on; 2,560 packets have a deviation of 51. Four bursts of 160
    // packets in 16 parts have a deviation of 286, and 48 or 50 packets stay.
    CHECK(history(false, backwards, 1));
    CHECK_FALSE(history(false, backwards, 2));
    CHECK(history(true, backwards, 24));
    CHECK_FALSE(history(true, backwards, 25));
  }
}

TEST_CASE("the order of arrivals within a cycle does not change the verdict, and cells lengthen") {
  const auto verdicts = [](bool backwards) {
    std::vector<bool> found;
    WarmupWatch watch(3);
    for (Cycle now = 0; now < 500'000; ++now) {
      for (unsigned i = 0; i < 3; ++i) {
        const unsigned source = backwards ? 2 - i : i;
        if (!backwards) watch.born(now, source);
        watch.arrived(now, source, 20 + (now * 7 + source * 13) % 50, 1);
        if (backwards) watch.born(now, source);
      }
      if (now + 1 == watch.next_check()) found.push_back(watch.stationary(now + 1));
    }
    return found;
  };
  CHECK(verdicts(false) == verdicts(true));
  CHECK(verdicts(false).back());
}
