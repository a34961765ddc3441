// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/graph/multistage.h"

using namespace tsuji;
using graph::Multistage;
using graph::MultistageConfig;

namespace {

/// Follows a packet's port bits from node to node, as the switches do.
NodeId walk(const Multistage& network, NodeId source, const Packet& packet) {
  unsigned line = source;
  std::uint32_t bits = graph::FirstRoute(network, source).next_ports(packet);
  for (unsigned stage = 0; stage < network.stages(); ++stage) {
    REQUIRE(__builtin_popcount(bits) == 1);
    const auto port = static_cast<unsigned>(__builtin_ctz(bits));
    const auto place = network.place(stage, line);
    REQUIRE(network.output(stage, place.port, packet.destination.node()) == port);
    bits = graph::SwitchRoute(network, stage, place.switch_index).next_ports(port, packet);
    line = network.line(stage, {place.switch_index, port});
  }
  REQUIRE(bits == 1);
  return line;
}

/// Collects the nodes that a multicast's copies reach. A synchronization takes only the lowest of the outputs
/// at each switch.
void spread(const Multistage& network, unsigned stage, unsigned line, std::uint32_t bits,
            std::uint32_t synchronized, const Packet& packet, std::vector<NodeId>& reached) {
  CAPTURE(stage, line, bits);
  REQUIRE(bits != 0);
  REQUIRE(bits >> network.radix() == 0);
  // Larger systems have no synchronization.
  if (network.nodes() <= 64) REQUIRE(synchronized == (bits & -bits));
  if (stage == network.stages()) {
    REQUIRE(bits == 1);
    reached.push_back(line);
    return;
  }
  Packet together = packet;
  together.kind = PacketKind::synchronization;
  const auto place = network.place(stage, line);
  const graph::SwitchRoute route(network, stage, place.switch_index);
  for (unsigned port = 0; port < network.radix(); ++port) {
    if ((bits >> port & 1) == 0) continue;
    spread(network, stage + 1, network.line(stage, {place.switch_index, port}),
           route.next_ports(port, packet), route.next_ports(port, together), packet, reached);
  }
}

}  // namespace

TEST_CASE("a multicast reaches the nodes of its map and no others, each once") {
  const MultistageConfig config = GENERATE(MultistageConfig{8, 4, 0, 2}, MultistageConfig{64, 4, 4, 2},
                                           MultistageConfig{100, 4, 0, 2}, MultistageConfig{27, 3, 5, 1},
                                           MultistageConfig{256, 16, 0, 1}, MultistageConfig{1024, 4, 6, 2});
  const Multistage network(config);
  CounterRandom random(5, config.nodes);
  for (unsigned draw = 0; draw < 40; ++draw) {
    Packet packet;
    packet.kind = PacketKind::multicast;
    packet.group = static_cast<std::uint32_t>(random.below((config.nodes + 63) / 64));
    const NodeId first = packet.group * 64, members = std::min(64U, config.nodes - first);
    // From single nodes, the first and the last of the group, to the whole group.
    packet.map = draw == 0 ? 1 : draw == 1 ? std::uint64_t{1} << (members - 1) : random.next();
    if (draw % 4 == 3) packet.map &= random.next() & random.next();
    if (members < 64) packet.map &= (std::uint64_t{1} << members) - 1;
    if (packet.map == 0) continue;
    std::vector<NodeId> wanted, reached;
    for (unsigned bit = 0; bit < members; ++bit)
      if ((packet.map >> bit & 1) != 0) wanted.push_back(first + bit);
    Packet together = packet;
    together.kind = PacketKind::synchronization;
    const auto source = static_cast<NodeId>(random.below(config.nodes));
    const graph::FirstRoute route(network, source);
    spread(network, 0, source, route.next_ports(packet), route.next_ports(together), packet, reached);
    std::sort(reached.begin(), reached.end());
    CHECK(reached == wanted);
  }
}

TEST_CASE("a map that is empty or names no node requests no port") {
  for (unsigned stages : {4U, 6U}) {
    const Multistage network(MultistageConfig{100, 4, stages, 2});
    const graph::FirstRoute route(network, 3);
    CHECK(route.multicast(0, 0) == 0);
    CHECK(route.synchronization(0) == 0);
    CHECK(route.multicast(1, 1) != 0);
  }
  const graph::FirstRoute route(Multistage(MultistageConfig{100, 4, 4, 2}), 3);
  CHECK(route.multicast(1, std::uint64_t{1} << 36) == 0);  // node 100
}

TEST_CASE("every pair is connected, on several sizes and switches") {
  const MultistageConfig config =
      GENERATE(MultistageConfig{8, 4, 0, 2}, MultistageConfig{16, 4, 0, 2}, MultistageConfig{32, 4, 0, 2},
               MultistageConfig{32, 2, 7, 2}, MultistageConfig{27, 3, 0, 2}, MultistageConfig{100, 16, 0, 1},
               MultistageConfig{64, 8, 4, 2});
  const Multistage network(config);
  for (NodeId source = 0; source < config.nodes; ++source) {
    for (NodeId destination = 0; destination < config.nodes; ++destination) {
      Packet packet;
      packet.destination = destination;
      REQUIRE(walk(network, source, packet) == destination);
    }
  }
}

TEST_CASE("places and lines are inverse, and every stage uses every switch port once") {
  const Multistage network(MultistageConfig{1024, 4, 0, 2});
  for (unsigned stage = 0; stage < network.stages(); ++stage) {
    for (unsigned line = 0; line < network.lines(); ++line) {
      const auto place = network.place(stage, line);
      REQUIRE(place.port < 4);
      REQUIRE(place.switch_index < 256);
      REQUIRE(network.line(stage, place) == line);
    }
  }
}

TEST_CASE("stages by boards equal the paper's, and the least number can be selected") {
  const auto stages = [](unsigned nodes, unsigned asked) {
    return Multistage({nodes, 4, asked, 2}).stages();
  };
  CHECK(stages(8, 0) == 2);
  CHECK(stages(16, 0) == 2);
  CHECK(stages(17, 0) == 4);
  CHECK(stages(32, 0) == 4);
  CHECK(stages(256, 0) == 4);
  CHECK(stages(1024, 0) == 6);
  CHECK(stages(1024, 5) == 5);
  CHECK(stages(32, 3) == 3);
}

TEST_CASE("impossible networks are refused with the possible ones") {
  CHECK_THROWS_WITH(MultistageConfig({1024, 4, 4, 2}).validate(),
                    Catch::Contains("network.stages") && Catch::Contains("5..12"));
  CHECK_THROWS_AS(MultistageConfig({1025, 4, 0, 2}).validate(), ConfigError);
  CHECK_THROWS_AS(MultistageConfig({64, 17, 0, 2}).validate(), ConfigError);
  CHECK_THROWS_AS(MultistageConfig({64, 1, 0, 2}).validate(), ConfigError);
  CHECK_THROWS_AS(MultistageConfig({1, 4, 0, 2}).validate(), ConfigError);
  CHECK_THROWS_AS(MultistageConfig({64, 4, 13, 2}).validate(), ConfigError);
  CHECK_THROWS_AS(MultistageConfig({64, 4, 0, 0}).validate(), ConfigError);
  CHECK_NOTHROW(MultistageConfig({2, 2, 12, 1}).validate());
  CHECK_NOTHROW(MultistageConfig({1024, 16, 3, 1}).validate());
}

TEST_CASE("members expect each other at the switches of their paths") {
  const MultistageConfig config =
      GENERATE(MultistageConfig{64, 4, 0, 2}, MultistageConfig{64, 4, 5, 2}, MultistageConfig{50, 4, 4, 2},
               MultistageConfig{27, 3, 3, 1}, MultistageConfig{64, 16, 0, 1}, MultistageConfig{13, 2, 6, 1});
  const Multistage network(config);
  CounterRandom random(6, config.nodes);
  const auto draw = [&] { return static_cast<NodeId>(random.below(config.nodes)); };
  const std::vector<NodeId> nodes =
      GENERATE(0U, 1U, 2U) == 0 ? std::vector<NodeId>{0, config.nodes - 1}
                                : GENERATE_COPY(std::vector<NodeId>{draw(), draw()},
                                                std::vector<NodeId>{draw(), draw(), draw(), draw(), draw()});
  std::uint64_t members = 0;
  for (const NodeId node : nodes) members |= std::uint64_t{1} << node;
  for (unsigned stage = 0; stage < network.stages(); ++stage) {
    // Brute force: the inputs and outputs of every switch that a path between any two of them passes.
    std::vector<std::uint32_t> inputs(network.switches_per_stage()), outputs(network.switches_per_stage());
    for (NodeId from : nodes) {
      for (NodeId to : nodes) {
        unsigned line = from;
        for (unsigned s = 0; s <= stage; ++s) {
          const auto place = network.place(s, line);
          const unsigned out = network.output(s, place.port, to);
          if (s == stage) {
            inputs[place.switch_index] |= 1U << place.port;
            outputs[place.switch_index] |= 1U << out;
          }
          line = network.line(s, {place.switch_index, out});
        }
      }
    }
    for (unsigned index = 0; index < network.switches_per_stage(); ++index) {
      if (inputs[index] == 0) continue;
      const graph::SwitchRoute route(network, stage, index);
      CHECK(route.expected_inputs(members) == inputs[index]);
      CHECK(route.served_outputs(members) == outputs[index]);
    }
  }
}
