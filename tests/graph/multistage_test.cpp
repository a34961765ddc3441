#include <catch2/catch.hpp>

#include "core/error.h"
#include "graph/multistage.h"

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
    REQUIRE(network.output(stage, place.port, packet.destination) == port);
    bits = graph::SwitchRoute(network, stage, place.switch_index).next_ports(port, packet);
    line = network.line(stage, {place.switch_index, port});
  }
  REQUIRE(bits == 1);
  return line;
}

}  // namespace

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

TEST_CASE("stages by boards are the paper's, and the least number can be asked for") {
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

TEST_CASE("what does not fit is refused with what would") {
  CHECK_THROWS_WITH(MultistageConfig({1024, 4, 4, 2}).validate(),
                    Catch::Contains("network.stages") && Catch::Contains("5..12"));
  CHECK_THROWS_AS(MultistageConfig({1025, 4, 0, 2}).validate(), ConfigError);
  CHECK_THROWS_AS(MultistageConfig({64, 17, 0, 2}).validate(), ConfigError);
  CHECK_THROWS_AS(MultistageConfig({64, 1, 0, 2}).validate(), ConfigError);
}

TEST_CASE("the two members of a pair expect each other at the switches of their paths") {
  const Multistage network(MultistageConfig{64, 4, 0, 2});
  const NodeId a = 6, b = 49;
  const std::uint64_t members = (1ULL << a) | (1ULL << b);
  for (unsigned stage = 0; stage < network.stages(); ++stage) {
    // Brute force: the inputs and outputs of every switch that any of the four paths passes.
    std::vector<std::uint32_t> inputs(network.switches_per_stage()), outputs(network.switches_per_stage());
    for (NodeId from : {a, b}) {
      for (NodeId to : {a, b}) {
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
