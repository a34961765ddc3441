// SPDX-License-Identifier: Apache-2.0
// Congestion control at a source: tokens to the flit, windows by their marks, and the node that holds packets
// back.
#include <algorithm>
#include <vector>

#include "flit_node_rig.h"
#include "support/thrown.h"
#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"
#include "tsuji/traffic/congestion_kinds.h"

using namespace tsuji;
using namespace tsuji::traffic;
using namespace tsuji::traffic::test;

namespace {

std::unique_ptr<CongestionControl> bucket(double rate, unsigned burst) {
  TokenBucketConfig config;
  config.rate_flits_per_cycle = rate;
  config.burst_flits = burst;
  return config.make(16);
}

std::unique_ptr<CongestionControl> windows(unsigned packets, double growth) {
  EcnConfig config;
  config.window_packets = packets;
  config.growth_packets = growth;
  return config.make(16);
}

/// Starts of packets of one length by a node that always has some, before cycle `end`.
std::vector<Cycle> starts(CongestionControl& control, unsigned flits, Cycle end) {
  std::vector<Cycle> cycles;
  for (Cycle now = 0; now < end;) {
    const Cycle at = control.may_start(other, flits, now);
    if (at > now) {
      now = at;
      continue;
    }
    control.started(other, flits, now);
    cycles.push_back(now);
    now += flits;
  }
  return cycles;
}

/// Packets that may start at once.
unsigned window_of(CongestionControl& control, End destination, Cycle now) {
  unsigned packets = 0;
  for (; control.may_start(destination, 1, now) <= now; ++packets) control.started(destination, 1, now);
  return packets;
}

void acknowledge(CongestionControl& control, End destination, unsigned packets, bool marked, Cycle now) {
  for (unsigned p = 0; p < packets; ++p) control.acknowledged(destination, marked, now);
}

}  // namespace

TEST_CASE("keys of congestion control take the ends of their ranges and nothing beyond") {
  TokenBucketConfig bucket;
  EcnConfig ecn;
  config::KeyTable keys;
  bucket.add_keys(keys);
  ecn.add_keys(keys);
  const auto accepts = [&keys](const std::string& key, const std::string& value) {
    return tsuji::test::text_of<ConfigError>(
               [&] { keys.set_from_command_line("congestion." + key + '=' + value); }, "") == "";
  };
  struct Range {
    const char *key, *below, *least, *most, *above;
  };
  const Range ranges[] = {{"rate_flits_per_cycle", "0.9e-6", "1e-6", "1", "1.001"},
                          {"burst_flits", "0", "1", "65535", "65536"},
                          {"mark_flits", "-1", "0", "65535", "65536"},
                          {"window_packets", "0", "1", "65535", "65536"},
                          {"growth_packets", "0.9e-6", "1e-6", "1000", "1000.1"}};
  for (const Range& range : ranges) {
    CAPTURE(range.key);
    CHECK_FALSE(accepts(range.key, range.below));
    CHECK(accepts(range.key, range.least));
    CHECK(accepts(range.key, range.most));
    CHECK_FALSE(accepts(range.key, range.above));
  }
}

TEST_CASE("a token bucket sends its burst and then its rate, to the flit") {
  const auto control = bucket(0.3, 10);
  const std::vector<Cycle> cycles = starts(*control, 5, 1'000'000);
  // The k-th packet needs 5 (k + 1) - 10 further tokens, of which there are 0.3 t after t cycles.
  for (std::size_t k = 0; k < cycles.size(); ++k) {
    const std::size_t needed = 5 * (k + 1) <= 10 ? 0 : 5 * (k + 1) - 10;
    const Cycle tokens_at = (needed * 10 + 2) / 3;
    REQUIRE(cycles[k] == std::max<Cycle>(tokens_at, k < 2 ? 5 * k : 0));
  }
  CHECK(cycles.size() == (999'999 * 3 / 10 + 10) / 5);
}

TEST_CASE("a token bucket holds no more than its burst") {
  const auto control = bucket(0.5, 8);
  CHECK(control->may_start(other, 8, 1000) == 1000);
  control->started(other, 8, 1000);
  CHECK(control->may_start(other, 1, 1000) == 1002);
  CHECK(control->may_start(other, 8, 1003) == 1016);
  CHECK(control->may_start(other, 8, 100'000) == 100'000);
  control->started(other, 8, 100'000);
  CHECK(control->may_start(other, 1, 100'000) == 100'002);
}

TEST_CASE("a window is halved once in a round trip and grows by packets a round trip") {
  const auto control = windows(8, 1.0);
  REQUIRE(window_of(*control, other, 10) == 8);
  CHECK(control->may_start(other, 1, 20) == never);
  acknowledge(*control, other, 8, true, 50);  // all of one round trip
  CHECK(control->halvings() == 1);
  REQUIRE(window_of(*control, other, 60) == 4);
  acknowledge(*control, other, 4, true, 90);
  CHECK(control->halvings() == 2);
  REQUIRE(window_of(*control, other, 100) == 2);
  // Two acknowledgements without a mark, 1 / 2 packet each, the second a little less.
  acknowledge(*control, other, 2, false, 130);
  CHECK(window_of(*control, other, 140) == 3 - 1 + 1);
  CHECK(control->halvings() == 2);
}

TEST_CASE("a window never exceeds the largest one") {
  const auto control = windows(2, 1000.0);
  for (Cycle now = 0; now < 100; now += 10) {
    REQUIRE(window_of(*control, other, now) == 2);
    acknowledge(*control, other, 2, false, now + 5);
  }
}

TEST_CASE("a window below a packet is a pause of round trips") {
  const auto control = windows(1, 0.001);
  control->started(other, 1, 100);
  control->acknowledged(other, true, 140);  // a window of 1/2: one more round trip of 40 cycles
  CHECK(control->may_start(other, 1, 140) == 180);
  control->started(other, 1, 180);
  control->acknowledged(other, true, 200);  // 1/4: three more of 20
  CHECK(control->may_start(other, 1, 200) == 260);
  for (Cycle now = 300; now < 1000; now += 100) {
    control->started(other, 1, now);
    control->acknowledged(other, true, now + 10);
  }
  CHECK(control->may_start(other, 1, 910) == 910 + 63 * 10);  // the least window is 1/64
}

TEST_CASE("windows of other destinations are separate") {
  const auto control = windows(4, 1.0);
  REQUIRE(window_of(*control, other, 0) == 4);
  CHECK(control->may_start(own, 1, 0) == 0);
  acknowledge(*control, other, 4, true, 9);
  CHECK(window_of(*control, own, 10) == 4);
  CHECK(window_of(*control, other, 10) == 2);
}

TEST_CASE("windows of very many nodes are refused") {
  EcnConfig config;
  CHECK(config.make(EcnConfig::most_nodes) != nullptr);
  CHECK_THROWS_AS(config.make(EcnConfig::most_nodes + 1), ConfigError);
}

TEST_CASE("a node holds packets back, and others overtake them") {
  std::vector<Emission> list;
  for (unsigned p = 0; p < 4; ++p) list.push_back(emission(0, 1));
  list.back().destination = 5;
  FlitNodeConfig config;
  config.acknowledges = true;
  Rig rig(std::move(list), config, 0xf, 2, 1, windows(1, 1.0));
  rig.run(20);
  REQUIRE(rig.seen.size() == 2);
  CHECK(rig.pool.at(rig.seen[0].flit.packet).destination == End(other));
  CHECK(rig.pool.at(rig.seen[1].flit.packet).destination == End(5));
  CHECK(rig.state->congestion().held_back == 2);
  CHECK(rig.state->packets_queued() == 2);
}

TEST_CASE("a node acknowledges what arrives, before the packets it generates, and returns the mark") {
  FlitNodeConfig config;
  config.acknowledges = true;
  config.window_to = 1000;
  Rig rig({emission(0, 8), emission(1, 8)}, config, 1, 16, 1, windows(4, 1.0));
  const PacketIndex packet = rig.packet(own, 1);
  rig.pool.at(packet).source = 6;
  rig.pool.at(packet).marked = true;
  rig.run(3);
  rig.arrive(4, 0, packet, 0);
  rig.run(30);
  REQUIRE(rig.seen.size() == 17);
  const Packet& ack = rig.pool.at(rig.seen[8].flit.packet);
  CHECK(ack.acknowledges);
  CHECK(ack.marked);
  CHECK(ack.destination == End(6));
  CHECK(rig.seen[8].flit.is_head());
  CHECK(rig.state->packets_sent() == 2);
  CHECK(rig.state->congestion().acks_sent == 1);
  CHECK(rig.state->flits_ejected_in_window() == 1);
  CHECK(rig.delivered.size() == 1);
}

TEST_CASE("an arriving acknowledgement lets the next packet start and is no delivery") {
  FlitNodeConfig config;
  config.acknowledges = true;
  config.window_to = 1000;
  Rig rig({emission(0, 1), emission(0, 1)}, config, 1, 16, 1, windows(1, 1.0));
  const PacketIndex packet = rig.packet(own, 1);
  rig.pool.at(packet).source = other;
  rig.pool.at(packet).acknowledges = true;
  rig.run(10);
  CHECK(rig.seen.size() == 1);
  rig.arrive(12, 0, packet, 0);
  rig.run(30);
  CHECK(rig.seen.size() == 2);
  CHECK(rig.delivered.empty());
  CHECK(rig.state->flits_ejected_in_window() == 0);
  CHECK(rig.state->congestion().acks_taken == 1);
  CHECK(rig.state->congestion().marks_taken == 0);
}
