// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/load_measurement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "observe/measurement_rig.h"
#include "support/one_way_row.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::observe;
using namespace tsuji::observe::test;

namespace {

/// Packets with random lives on a system of `nodes` nodes, with the calls of every cycle in an order that
/// depends on `shuffle`.
struct RandomLives {
  struct Call {
    Cycle cycle;
    bool delivery;
    std::uint64_t order;
    DeliveredPacket packet;
  };
  std::vector<Call> calls;

  RandomLives(unsigned nodes, Cycle end, std::uint64_t shuffle) {
    CounterRandom random(3, 0), order(4, shuffle);
    for (NodeId source = 0; source < nodes; ++source) {
      std::uint32_t serial = 0;
      for (Cycle at = random.below(30); at < end; at += 1 + random.below(30)) {
        const auto destination = static_cast<NodeId>(random.below(nodes));
        const Cycle injected = at + random.below(9);
        const Cycle tail = injected + 1 + random.below(60);
        const auto flits = static_cast<unsigned>(1 + random.below(5));
        const DeliveredPacket p =
            packet(source, serial++, destination, at, injected, tail, flits, 1 + random.below(4));
        calls.push_back({at, false, order.next(), p});
        calls.push_back({tail, true, order.next(), p});
      }
    }
    std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
      return std::tie(a.cycle, a.order) < std::tie(b.cycle, b.order);
    });
  }

  /// Plays until the measurement is finished; returns that cycle.
  Cycle play(LoadMeasurement& measurement) const {
    Cycle now = 0;
    for (const Call& call : calls) {
      if (call.cycle > now && measurement.finished(call.cycle)) return call.cycle;
      now = call.cycle;
      if (call.delivery) {
        measurement.delivered(call.packet);
      } else {
        measurement.born(call.packet.created, call.packet.source.node(), call.packet.flits);
      }
    }
    return now + 1;
  }
};

}  // namespace

TEST_CASE("by cycles: a small case by hand") {
  LoadMeasurement m(by_cycles(10, 10), 3);
  CHECK(m.ejection_from() == 10);
  CHECK(m.ejection_to() == 20);
  m.born(5, 0, 2);
  m.born(10, 0, 3);
  m.delivered(packet(0, 0, 1, 5, 6, 12, 2, 1));
  m.born(14, 1, 3);
  m.delivered(packet(0, 1, 1, 10, 10, 15, 3, 2));
  m.born(19, 1, 4);
  m.born(20, 0, 5);
  CHECK_FALSE(m.finished(20));
  m.delivered(packet(1, 0, 0, 14, 17, 25, 3, 3));
  CHECK_FALSE(m.finished(26));
  m.delivered(packet(1, 1, 0, 19, 26, 40, 4, 2));
  CHECK(m.finished(41));
  m.flits_ejected(2);
  m.flits_ejected(3);
  m.close(41);

  const auto r = results_of(m, 3);
  CHECK(metric(r, "measured_packets") == 3);
  CHECK(metric(r, "packets_delivered") == 4);
  CHECK(metric(r, "latency_cycles_mean").get<double>() == Approx((5 + 11 + 21) / 3.0));
  CHECK(metric(r, "latency_cycles_p50") == 11);
  CHECK(metric(r, "latency_cycles_max") == 21);
  CHECK(metric(r, "latency_from_injection_cycles_mean").get<double>() == Approx((5 + 8 + 14) / 3.0));
  CHECK(metric(r, "latency_from_injection_cycles_p99") == 14);
  CHECK(metric(r, "hops_mean").get<double>() == Approx(7 / 3.0));
  CHECK(metric(r, "offered_flits_per_node_cycle").get<double>() == Approx(10 / 30.0));
  CHECK(metric(r, "accepted_flits_per_node_cycle").get<double>() == Approx(5 / 30.0));
  // One packet is in flight at the beginning, two at the end; the mean square of 3, 3 and 4 flits is 34 / 3.
  CHECK(metric(r, "accepted_share").get<double>() == Approx(0.5));
  CHECK(metric(r, "accepted_share_confidence95").get<double>() == Approx(1.96 * std::sqrt(34.0) / 10));
  CHECK(metric(r, "saturated") == 0);
  CHECK(metric(r, "measured_packets_undelivered") == 0);
  // In the interval two packets of node 0 end and none of node 1; node 2 never sends.
  CHECK(metric(r, "sources") == 2);
  CHECK(metric(r, "accepted_packets_per_source_min") == 0);
  CHECK(metric(r, "accepted_packets_per_source_max") == 2);
  CHECK(metric(r, "fairness_jain").get<double>() == Approx(0.5));
  // Cycles of the interval with a packet inside: 2, 5, 6 and 1. Latencies of the two packets that end there:
  // 7, 5.
  CHECK(metric(r, "population_packets_mean").get<double>() == Approx(1.4));
  CHECK(metric(r, "throughput_times_latency_packets").get<double>() == Approx(1.2));
  CHECK(metric(r, "latency_cycles_mean_confidence95").is_null());
  CHECK(metric(r, "latency_confidence") == "few_packets");
  // Born in 10..14: 5 and 11; in 15..19: 21.
  CHECK(metric(r, "batch_lag1_correlation").get<double>() == Approx(-0.5));
  CHECK(r["tables"]["hops"]["rows"] ==
        nlohmann::ordered_json::parse("[[2, 2, 13.0, 5, 21, 21], [3, 1, 11.0, 11, 11, 11]]"));
  CHECK_FALSE(r["tables"].contains("latency_by_distance"));
  const double third = 1 / 3.0;
  CHECK(r["tables"]["latency_histogram"]["rows"] ==
        nlohmann::ordered_json({{5, 5, 1, third}, {11, 11, 1, 2 * third}, {21, 21, 1, 1.0}}));
  CHECK(r["tables"]["batches"]["rows"] == nlohmann::ordered_json::parse("[[0, 2, 8.0], [1, 1, 21.0]]"));
}

TEST_CASE("latencies by the distance of the packets' routers, for any route taken") {
  const graph::Topology row = tsuji::test::one_way_row();
  const graph::NodeDistances distances(row);
  CHECK(graph::NodeDistances::suffices(row));
  CHECK(distances(0, 3) == 3);
  CHECK(distances(3, 0) == 1);
  CHECK(distances(1, 1) == 0);
  CHECK(distances.longest() == 3);
  LoadMeasurement m(by_cycles(0, 10), 4);
  m.count_distances(distances);
  m.born(0, 0, 1);
  m.born(0, 3, 1);
  m.born(1, 0, 1);
  m.delivered(packet(0, 0, 3, 0, 0, 8, 1, 4));
  m.delivered(packet(3, 0, 0, 0, 0, 4, 1, 2));
  m.delivered(packet(0, 1, 3, 1, 1, 101, 1, 6));
  m.close(102);
  const auto r = results_of(m, 4);
  CHECK(r["tables"]["latency_by_distance"]["rows"] ==
        nlohmann::ordered_json::parse("[[1, 1, 4.0, 4, 4, 4], [3, 2, 54.0, 8, 100, 100]]"));
  CHECK(r["tables"]["hops"]["rows"].size() == 3);
}

TEST_CASE("by cycles: confidence requires a run that is long against its waits") {
  // 1,000 packets of 4 flits in 1,000 cycles; those of ten cycles wait alike. A mean wait of W is correlated
  // for 0.4 x 8 W^2 / 4 cycles, of which five must fit; a long path alone is no wait.
  const auto measured = [](unsigned wait, unsigned more_hops) {
    LoadMeasurement m(by_cycles(0, 1000, 20), 4);
    CounterRandom random(3, 0);
    for (Cycle now = 0; now < 1000; ++now) m.born(now, now % 4, 4);
    unsigned more = 0;
    for (Cycle now = 0; now < 1000; ++now) {
      if (now % 10 == 0) more = static_cast<unsigned>(random.below(2));
      const auto serial = static_cast<std::uint32_t>(now / 4);
      m.delivered(packet(now % 4, serial, 0, now, now, now + 10 + 2 * wait * more, 4, 2 + more_hops * more));
    }
    m.flits_ejected(4000);
    m.close(1100);
    return results_of(m, 4);
  };
  const auto short_waits = measured(10, 0), long_waits = measured(20, 0), long_ways = measured(20, 1);
  CHECK(metric(short_waits, "latency_confidence") == "independent");
  CHECK(metric(short_waits, "latency_cycles_mean_confidence95") > 0);
  CHECK(metric(short_waits, "confidence_batches") >= 10);
  CHECK(metric(short_waits, "confidence_batches") < 16);
  CHECK(metric(short_waits, "latency_correlation_cycles").get<double>() ==
        Approx(0.4 * 2 * 100).epsilon(0.25));
  CHECK(metric(long_waits, "latency_confidence") == "dependent");
  CHECK(metric(long_waits, "latency_cycles_mean_confidence95").is_null());
  CHECK(metric(long_waits, "confidence_batches").is_null());
  CHECK(metric(long_ways, "confidence_batches") == 20);
  // The wait at the interval's upper end is longer and varies more.
  CHECK(metric(short_waits, "latency_cycles_mean_confidence95") >
        1.5 * metric(long_ways, "latency_cycles_mean_confidence95").get<double>());
}

TEST_CASE("by cycles: an automatic warm-up ends in the steady state, or after its maximum") {
  for (const bool steady : {true, false}) {
    MeasureConfig config = by_cycles(77, 2000, 20);
    config.warmup_cycles = std::nullopt;
    config.longest_warmup_cycles = 6000;
    config.drain_cycles = 100'000;
    LoadMeasurement m(config, 1);
    CHECK(m.next_warmup_check() == 1000);
    CHECK(m.ejection_to() == never);
    std::uint32_t serial = 0;
    Cycle begin = 0;
    std::multimap<Cycle, DeliveredPacket> under_way;
    for (Cycle now = 0; !m.finished(now); ++now) {
      if (now == m.next_warmup_check() && m.begins(now)) begin = now;
      if (now % 4 == 0) {
        m.born(now, 0, 1);
        const Cycle tail = now + 20 + now % 8 + (steady ? 0 : now / 4);
        under_way.emplace(tail, packet(0, serial++, 0, now, now, tail, 1, 1));
      }
      for (auto [at, end] = under_way.equal_range(now); at != end; ++at) m.delivered(at->second);
    }
    m.flits_ejected(500);
    m.close(60'000);
    const auto r = results_of(m, 1);
    CHECK(metric(r, "warmup_cycles") == begin);
    CHECK(metric(r, "measured_from_cycle") == begin);
    CHECK(metric(r, "measured_cycles") == 2000);
    CHECK(metric(r, "measured_packets") == 500);
    CHECK(metric(r, "warmup_stationary") == (steady ? 1 : 0));
    CHECK(m.never_stationary() == !steady);
    // In 1,000 cycles there are 98 cells with packets: not yet twenty batches of five.
    CHECK(begin == (steady ? 1250 : 6000));
    CHECK(metric(r, "latency_confidence") == (steady ? "independent" : "saturated"));
    CHECK_FALSE(m.begins(60'000));
  }
  LoadMeasurement fixed(by_cycles(5, 10), 1);
  CHECK(fixed.next_warmup_check() == never);
  fixed.close(15);
  CHECK(metric(results_of(fixed, 1), "warmup_stationary").is_null());
  CHECK(metric(results_of(fixed, 1), "warmup_cycles") == 5);
}

TEST_CASE("by cycles: undelivered packets are reported after a bounded wait") {
  LoadMeasurement m(by_cycles(0, 10), 2);
  m.born(1, 0, 4);
  m.born(2, 1, 4);
  m.delivered(packet(0, 0, 1, 1, 1, 9, 4, 2));
  m.flits_ejected(4);
  CHECK_FALSE(m.finished(109));
  CHECK(m.finished(110));
  m.close(110);
  const auto r = results_of(m, 2);
  CHECK(metric(r, "measured_packets_undelivered") == 1);
  CHECK(metric(r, "saturated") == 0);  // two packets are too few
  CHECK(metric(r, "latency_cycles_mean") == 8);
  CHECK(metric(r, "latency_cycles_mean_confidence95").is_null());
  CHECK(metric(r, "latency_confidence") == "lower_bound");
  CHECK(metric(r, "latency_is_lower_bound") == 1);
  CHECK(r["tables"]["lower_bounds"]["rows"].size() == 12);  // six of each latency
  CHECK(metric(r, "population_packets_mean").get<double>() == Approx(1.6));
}

TEST_CASE("by cycles: a dropped packet leaves the population and is not waited for") {
  LoadMeasurement m(by_cycles(0, 10), 2);
  m.born(1, 0, 4);
  m.born(2, 1, 4);
  m.delivered(packet(0, 0, 1, 1, 1, 9, 4, 2));
  m.dropped(packet_id(1, 0), 2, 12);
  CHECK(m.finished(12));
  m.close(12);
  const auto r = results_of(m, 2);
  CHECK(metric(r, "packets_dropped") == 1);
  CHECK(metric(r, "measured_packets") == 1);
  // The dropped packet has no latency that could be missing.
  CHECK(metric(r, "measured_packets_dropped") == 1);
  CHECK(metric(r, "measured_packets_undelivered") == 0);
  CHECK(metric(r, "latency_is_lower_bound") == 0);
  CHECK(r["tables"].count("lower_bounds") == 0);
}

TEST_CASE("by cycles: a packet born before the interval is not missing in it when it is dropped") {
  LoadMeasurement m(by_cycles(10, 10), 2);
  m.born(5, 0, 4);
  m.born(12, 1, 4);
  m.dropped(packet_id(0, 0), 5, 15);
  CHECK_FALSE(m.finished(20));
  m.delivered(packet(1, 0, 0, 12, 13, 21, 4, 1));
  CHECK(m.finished(21));
  m.close(21);
  const auto r = results_of(m, 2);
  CHECK(metric(r, "packets_dropped") == 1);
  CHECK(metric(r, "measured_packets_dropped") == 0);
  CHECK(metric(r, "measured_packets") == 1);
}

TEST_CASE(
    "the latest end follows from the longest drain or the most cycles, and is open until the interval "
    "begins") {
  LoadMeasurement cycles(by_cycles(10, 30), 1);
  CHECK(cycles.latest_end() == 10 + 30 + 100);
  cycles.born(20, 0, 4);
  CHECK_FALSE(cycles.finished(139));
  CHECK(cycles.finished(140));
  MeasureConfig few = by_arrivals(1, 5);
  few.most_cycles = 70;
  LoadMeasurement arrivals(few, 1);
  CHECK(arrivals.latest_end() == 70);
  CHECK_FALSE(arrivals.finished(69));
  CHECK(arrivals.finished(70));
  MeasureConfig automatic = by_cycles(0, 30);
  automatic.warmup_cycles = std::nullopt;
  CHECK(LoadMeasurement(automatic, 1).latest_end() == never);
}

TEST_CASE("progress follows the cycles of the interval, or the arrivals") {
  const LoadMeasurement cycles(by_cycles(10, 30), 1);
  CHECK(cycles.progress(0) == 0);
  CHECK(cycles.progress(10) == 0.25);
  CHECK(cycles.progress(40) == 1);
  CHECK(cycles.progress(90) == 1);
  LoadMeasurement arrivals(by_arrivals(1, 2), 1);
  for (std::uint32_t serial : {0, 1}) {
    CHECK(arrivals.progress(500) == serial * 0.5);
    CHECK_FALSE(arrivals.finished(500));
    arrivals.born(serial, 0, 1);
    arrivals.delivered(packet(0, serial, 0, serial, serial, 10 + serial, 1, 1));
  }
  CHECK(arrivals.progress(500) == 1);
  CHECK(arrivals.finished(500));
}

/// A network that delivers a share of its packets after 20 to 59 cycles each, and never the others; 16 nodes,
/// 4 flits a packet, 0.01 flits/node/cycle.
struct Taken {
  double share, confidence;
  bool saturated;
  Taken(double taken, Cycle cycles, std::uint64_t seed) {
    constexpr Cycle warmup = 500;
    LoadMeasurement m(by_cycles(warmup, cycles), 16);
    CounterRandom random(seed, 0);
    std::multimap<Cycle, DeliveredPacket> under_way;
    std::vector<std::uint32_t> serials(16, 0);
    std::uint64_t flits = 0;
    for (Cycle now = 0; !m.finished(now); ++now) {
      for (NodeId node = 0; node < 16; ++node) {
        if (random.below(400) != 0) continue;
        m.born(now, node, 4);
        const Cycle tail = now + 20 + random.below(40);
        const DeliveredPacket p = packet(node, serials[node]++, 0, now, now, tail, 4, 1);
        if (random.unit() < taken) under_way.emplace(tail, p);
      }
      for (auto [at, end] = under_way.equal_range(now); at != end; ++at) {
        if (now >= warmup && now < warmup + cycles) flits += 4;
        m.delivered(at->second);
      }
    }
    m.flits_ejected(flits);
    m.close(warmup + cycles + 100);
    share = m.share().share();
    confidence = m.share().confidence();
    saturated = m.stability().saturated();
  }
};

TEST_CASE("the accepted share: its confidence interval follows from the packets in flight") {
  AcceptedShare share;
  CHECK(share.share() == 1);
  CHECK(share.confidence() == 0);
  share.offer(1);
  share.under_way = 4;
  CHECK(share.share() == 0);
  CHECK(share.confidence() == Approx(1.96 * 2));
  share.offer(3);
  share.accepted_flits = 3;
  CHECK(share.share() == 0.75);
  // The mean square of 1 and 3 flits is 5.
  CHECK(share.confidence() == Approx(1.96 * std::sqrt(5.0 * 4) / 4));
}

TEST_CASE("saturation follows from packets that are not accepted, not from the noise of a short interval") {
  constexpr unsigned runs = 300;
  unsigned low = 0, called = 0, within = 0;
  for (unsigned seed = 1; seed <= runs; ++seed) {
    const Taken short_run(1.0, 300, seed);
    low += short_run.share < 0.95;
    called += short_run.saturated;
    within += std::abs(short_run.share - 1) <= short_run.confidence;
  }
  CHECK(low > runs / 5);          // a dozen packets: the share alone is unreliable
  CHECK(called < runs / 40);      // more than 95 % of the offered load, one-sided 95 %
  CHECK(within > runs * 9 / 10);  // the interval has its stated coverage
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Taken lossy(0.8, 30'000, seed);
    CHECK(lossy.share == Approx(0.8).margin(0.05));
    CHECK(lossy.saturated);
    const Taken whole(1.0, 30'000, seed);
    CHECK_FALSE(whole.saturated);
    CHECK(whole.confidence < 0.01);
  }
}

TEST_CASE("a measurement without packets gives nulls") {
  for (const bool cycles : {true, false}) {
    LoadMeasurement m(cycles ? by_cycles(5, 10) : by_arrivals(3, 9), 2);
    CHECK(m.finished(15) == cycles);
    m.close(15);
    const auto r = results_of(m, 2);
    CHECK(metric(r, "latency_cycles_mean").is_null());
    CHECK(metric(r, "latency_from_injection_cycles_p99").is_null());
    CHECK(metric(r, "fairness_jain").is_null());
    CHECK(metric(r, "accepted_flits_per_node_cycle").is_null() != cycles);
    CHECK(metric(r, "measured_packets_undelivered") == (cycles ? 0 : 7));
    CHECK(metric(r, "accepted_share").is_null());
    CHECK(metric(r, "accepted_share_confidence95").is_null());
    CHECK(metric(r, "saturated") == 0);
  }
}

TEST_CASE("results do not depend on the order of calls within a cycle, and population is a count") {
  for (const MeasureConfig& config : {by_cycles(300, 1500, 10), by_arrivals(201, 900, 10)}) {
    std::set<std::string> answers;
    for (std::uint64_t shuffle = 0; shuffle < 8; ++shuffle) {
      const RandomLives lives(12, 4000, shuffle);
      LoadMeasurement m(config, 12);
      const Cycle end = lives.play(m);
      m.close(end);
      const auto r = results_of(m, 12);
      answers.insert(r.dump());
      const Cycle from = metric(r, "measured_from_cycle"), cycles = metric(r, "measured_cycles");
      std::uint64_t inside = 0;
      for (const auto& call : lives.calls) {
        if (!call.delivery) continue;
        for (Cycle at = call.packet.created; at < call.packet.tail_cycle; ++at) {
          inside += at >= from && at < from + cycles ? 1 : 0;
        }
      }
      CHECK(metric(r, "population_packets_mean").get<double>() ==
            Approx(static_cast<double>(inside) / static_cast<double>(cycles)).epsilon(1e-12));
      CHECK(metric(r, "measured_packets_undelivered") == 0);
    }
    CHECK(answers.size() == 1);
  }
}

TEST_CASE("packets that were never born, arrive twice or change their birth are model errors") {
  const auto begin = [](LoadMeasurement& m) {
    m.born(1, 0, 4);
    m.born(2, 0, 4);
  };
  const DeliveredPacket first = packet(0, 0, 1, 1, 3, 9, 4, 2);
  {
    LoadMeasurement m(by_cycles(0, 10), 2);
    begin(m);
    m.delivered(first);
    CHECK_THROWS_AS(m.delivered(first), ModelError);
    CHECK_THROWS_AS(m.dropped(first.id, 1, 9), ModelError);
  }
  LoadMeasurement m(by_cycles(0, 10), 2);
  begin(m);
  CHECK_THROWS_AS(m.delivered(packet(0, 2, 1, 3, 3, 9, 4, 2)), ModelError);
  CHECK_THROWS_AS(m.delivered(packet(1, 0, 1, 1, 3, 9, 4, 2)), ModelError);
  CHECK_THROWS_AS(m.delivered(packet(7, 0, 1, 1, 3, 9, 4, 2)), ModelError);
  CHECK_THROWS_WITH(m.delivered(packet(0, 1, 1, 1, 3, 9, 4, 2)), Catch::Contains("born in cycle 2"));
  CHECK_THROWS_WITH(m.dropped(first.id, 2, 9), Catch::Contains("dropped with another birth"));
  LoadMeasurement early(by_cycles(0, 10), 2);
  begin(early);
  CHECK_THROWS_WITH(early.dropped(packet_id(0, 1), 2, 1), Catch::Contains("dropped with another birth"));
  LoadMeasurement late(by_arrivals(1, 10), 2);
  begin(late);
  late.delivered(packet(0, 1, 1, 2, 3, 9, 4, 2));
  CHECK_THROWS_WITH(late.delivered(packet(0, 0, 1, 1, 3, 8, 4, 2)), Catch::Contains("reported after"));
}

TEST_CASE("impossible measurements are refused with their key") {
  const auto refused = [](void (*change)(MeasureConfig&), const char* key) {
    MeasureConfig config;
    change(config);
    CHECK_THROWS_WITH(LoadMeasurement(config, 4), Catch::Contains(key));
  };
  refused([](MeasureConfig& c) { c.cycles = 0; }, "measure.cycles");
  refused([](MeasureConfig& c) { c.batches = 1; }, "measure.batches");
  refused([](MeasureConfig& c) { c.batches = 1001; }, "measure.batches");
  refused([](MeasureConfig& c) { c.longest_warmup_cycles = 0; }, "measure.longest_warmup_cycles");
  refused(
      [](MeasureConfig& c) {
        c.mode = MeasureMode::arrivals;
        c.warmup_cycles = std::nullopt;
      },
      "measure.warmup_cycles");
  refused([](MeasureConfig& c) { c.first_arrival = 0; }, "measure.first_arrival");
  refused([](MeasureConfig& c) { c.last_arrival = 3000; }, "measure.last_arrival");
  // The minimum and the maximum of each are accepted.
  for (const unsigned batches : {2U, 1000U}) {
    MeasureConfig config;
    config.batches = batches;
    config.cycles = config.longest_warmup_cycles = config.first_arrival = config.last_arrival = 1;
    CHECK_NOTHROW(config.validate());
    config.warmup_cycles = std::nullopt;
    CHECK_NOTHROW(config.validate());
    config.warmup_cycles = 0;
    config.mode = MeasureMode::arrivals;
    CHECK_NOTHROW(config.validate());
  }
}

TEST_CASE("a measurement is closed once, and reports its results after that") {
  LoadMeasurement m(by_cycles(0, 10), 1);
  Results results("test", "1", 1, nlohmann::ordered_json::object());
  CHECK_THROWS_WITH(m.add_to(results), Catch::Contains("results before the end of the run"));
  m.close(10);
  CHECK_THROWS_WITH(m.close(10), Catch::Contains("closed twice"));
  CHECK_NOTHROW(results_of(m, 1));
}

TEST_CASE("a cut run measures the simulated part of the interval") {
  for (const Cycle end : {5, 17, 30}) {
    CAPTURE(end);
    LoadMeasurement m(by_cycles(10, 10), 1);
    m.born(4, 0, 2);
    if (end > 12) m.born(12, 0, 3);
    m.cut(end);
    m.close(end);
    const auto r = results_of(m, 1);
    CHECK(metric(r, "measured_from_cycle") == std::min<Cycle>(end, 10));
    CHECK(metric(r, "measured_cycles") == (end == 5 ? 0 : end == 17 ? 7 : 10));
    CHECK(m.interval_cycles() == (end == 5 ? 0U : end == 17 ? 7U : 10U));
    CHECK(metric(r, "measured_packets_undelivered") == (end == 5 ? 0 : 1));
    // One packet since cycle 4, another since cycle 12.
    const double inside = end == 17 ? 7 + 5 : 10 + 8;
    if (end > 5)
      CHECK(metric(r, "population_packets_mean").get<double>() == Approx(inside / (end == 17 ? 7 : 10)));
    if (end == 5) CHECK(metric(r, "population_packets_mean").is_null());
  }
}

TEST_CASE("fairness over the sources that sent, by the accepted flits of each") {
  // Jain: the square of the sum over n times the sum of squares.
  LoadMeasurement m(by_cycles(0, 100), 5);
  const std::vector<unsigned> sent = {1, 2, 0, 5};
  std::uint32_t flits = 0;
  for (NodeId source = 0; source < sent.size(); ++source) {
    for (std::uint32_t serial = 0; serial < sent[source]; ++serial) {
      m.born(10, source, 1);
      m.delivered(packet(source, serial, 0, 10, 11, 20, 1, 1));
      ++flits;
    }
  }
  m.flits_ejected(flits);
  m.close(100);
  const auto r = results_of(m, 5);
  CHECK(metric(r, "sources") == 3);
  CHECK(metric(r, "accepted_packets_per_source_min") == 1);
  CHECK(metric(r, "accepted_packets_per_source_max") == 5);
  CHECK(metric(r, "fairness_jain").get<double>() == Approx(8.0 * 8 / (3 * (1 + 4 + 25))));
}

TEST_CASE("a measurement without any packet gives the reason") {
  const auto why = [](const MeasureConfig& config, const std::vector<DeliveredPacket>& packets,
                      bool drop = false) {
    LoadMeasurement m(config, 2);
    for (const DeliveredPacket& each : packets) {
      m.born(each.created, each.source.node(), each.flits);
      if (drop) {
        m.dropped(each.id, each.created, each.tail_cycle);
      } else if (each.tail_cycle < 100) {
        m.delivered(each);
      }
    }
    m.close(200);
    return m.why_nothing_measured();
  };
  const DeliveredPacket early = packet(0, 0, 1, 1, 1, 9, 4, 2), inside = packet(0, 0, 1, 20, 21, 29, 4, 2);
  CHECK(why(by_cycles(10, 30), {inside}).empty());
  CHECK(why(by_cycles(10, 30), {}) == "0 born in cycles 10..39 (measure.warmup_cycles, measure.cycles)");
  CHECK(why(by_cycles(10, 30), {early}) ==
        "0 born in cycles 10..39, and 1 others end (measure.warmup_cycles, measure.cycles)");
  CHECK(why(by_cycles(10, 30), {early}, true) ==
        "0 born in cycles 10..39, and 1 others end (measure.warmup_cycles, measure.cycles)");
  CHECK(why(by_cycles(10, 30), {inside}, true) == "1 born in cycles 10..39, and all of them are dropped");
  CHECK(why(by_cycles(10, 30), {packet(0, 0, 1, 20, 21, 150, 4, 2)}) ==
        "1 born in cycles 10..39, and none of them arrives (measure.drain_cycles)");
  CHECK(why(by_arrivals(2, 5), {early}) ==
        "1 packets arrive, and the sample begins with number 2 (measure.first_arrival)");
  CHECK(why(by_arrivals(1, 5), {early}).empty());
}

TEST_CASE("an automatic warm-up without a packet has nothing to wait for") {
  MeasureConfig config = by_cycles(0, 100);
  config.warmup_cycles = std::nullopt;
  config.longest_warmup_cycles = 2000;
  LoadMeasurement m(config, 1);
  CHECK_FALSE(m.begins(1000));
  CHECK(m.begins(2000));
  m.close(2100);
  CHECK_FALSE(m.never_stationary());
  CHECK(metric(results_of(m, 1), "warmup_stationary").is_null());
  CHECK(metric(results_of(m, 1), "stability_reason") == "no packets");
  CHECK(metric(results_of(m, 1), "stability_needs_cycles").is_null());
}
