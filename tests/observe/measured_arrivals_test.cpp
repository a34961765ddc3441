// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "observe/measurement_rig.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::observe;
using namespace tsuji::observe::test;

TEST_CASE("by arrivals: ties in a cycle are ordered by destination, for any order of calls") {
  // Arrivals: one in cycle 10, three in cycle 20, one in 30, two in 40. The sample is 3..6.
  std::vector<DeliveredPacket> cycle20 = {packet(0, 1, 2, 12, 12, 20, 1, 2), packet(1, 0, 0, 5, 5, 20, 2, 3),
                                          packet(2, 0, 1, 8, 8, 20, 4, 4)};
  std::vector<DeliveredPacket> cycle40 = {packet(0, 2, 1, 25, 25, 40, 8, 5),
                                          packet(3, 0, 1, 1, 1, 40, 16, 6)};
  std::set<std::string> answers;
  std::vector<std::size_t> order = {0, 1, 2};
  do {
    for (const std::size_t first : {0U, 1U}) {
      LoadMeasurement m(by_arrivals(3, 6), 4);
      CHECK(m.ejection_to() == 0);
      m.born(1, 3, 16);
      m.born(2, 0, 1);
      m.born(5, 1, 2);
      m.born(8, 2, 4);
      m.delivered(packet(0, 0, 3, 2, 2, 10, 1, 1));
      m.born(12, 0, 1);
      m.born(20, 1, 2);  // in the cycle in which the sample begins: not offered in it
      for (const std::size_t i : order) m.delivered(cycle20[i]);
      m.born(25, 0, 8);
      m.delivered(packet(1, 1, 0, 20, 21, 30, 2, 2));
      CHECK_FALSE(m.finished(31));
      m.delivered(cycle40[first]);
      m.born(40, 2, 32);
      m.delivered(cycle40[1 - first]);
      CHECK(m.finished(41));
      m.close(41);
      const auto r = results_of(m, 4);
      answers.insert(r.dump());
      // Cycle 20 by destination: node 0 (arrival 2), 1 (3), 2 (4); then 30 (5), then the smaller id in 40
      // (6).
      CHECK(metric(r, "latency_cycles_mean").get<double>() == Approx((12 + 8 + 10 + 15) / 4.0));
      CHECK(metric(r, "hops_mean").get<double>() == Approx((4 + 2 + 2 + 5) / 4.0));
      // From the end of cycle 20 to the end of cycle 40.
      CHECK(metric(r, "measured_from_cycle") == 21);
      CHECK(metric(r, "measured_cycles") == 20);
      CHECK(metric(r, "accepted_flits_per_node_cycle").get<double>() == Approx((4 + 1 + 2 + 8) / 80.0));
      CHECK(metric(r, "offered_flits_per_node_cycle").get<double>() == Approx((8 + 32) / 80.0));
      CHECK(r["tables"]["batches"]["rows"] == nlohmann::ordered_json::parse("[[0, 2, 10.0], [1, 2, 12.5]]"));
    }
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(answers.size() == 1);
}

TEST_CASE("by arrivals: from the first on, and an incomplete sample") {
  LoadMeasurement m(by_arrivals(1, 10), 2);
  m.born(3, 0, 4);
  m.delivered(packet(0, 0, 1, 3, 4, 10, 4, 2));
  CHECK_FALSE(m.finished(11));
  CHECK(m.finished(10'000'000));
  m.close(20);
  const auto r = results_of(m, 2);
  CHECK(metric(r, "measured_cycles") == 20);
  CHECK(metric(r, "measured_packets") == 1);
  CHECK(metric(r, "measured_packets_undelivered") == 9);
  CHECK(metric(r, "latency_is_lower_bound") == 1);
  CHECK(metric(r, "accepted_flits_per_node_cycle").get<double>() == Approx(4 / 40.0));
}

TEST_CASE("by arrivals: whole packets give no rate above a flit a cycle") {
  for (const unsigned flits : {6U, 7U}) {
    LoadMeasurement m(by_arrivals(2, 2), 2);
    m.born(1, 0, 1);
    m.born(2, 0, flits);
    m.delivered(packet(0, 0, 1, 1, 2, 10, 1, 2));
    m.delivered(packet(0, 1, 1, 2, 3, 13, flits, 2));
    m.close(20);
    const auto r = results_of(m, 2);
    CHECK(metric(r, "measured_cycles") == 3);
    CHECK(metric(r, "accepted_flits_per_node_cycle").is_null() == (flits == 7));
    if (flits == 6) CHECK(metric(r, "accepted_flits_per_node_cycle") == 1.0);
  }
}
