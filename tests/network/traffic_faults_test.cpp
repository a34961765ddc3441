// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/catch.h"
#include "support/text_file.h"
#include "tsuji/core/packet.h"
#include "tsuji/graph/cube.h"
#include "tsuji/network/config/traffic_config.h"

using namespace tsuji;
using namespace tsuji::network;
using tsuji::test::TextFile;
using workload::NodeState;

namespace {

/// A 4x4 mesh whose corner, router 0, is cut off by its dead neighbours 1 and 4.
TrafficNodes cornered() {
  return TrafficNodes::of(graph::make_mesh({4, 4}, 1, 1), {{}, {1, 4}});
}

std::vector<traffic::Emission> births(traffic::EmissionSource& source, Cycle end) {
  std::vector<traffic::Emission> all;
  traffic::Emission one;
  while (source.next(one) && one.created < end) all.push_back(one);
  return all;
}

}  // namespace

TEST_CASE("nodes have the state of their routers") {
  const TrafficNodes nodes = cornered();
  CHECK(nodes.living() == 13);
  CHECK(nodes.cuts_off());
  for (NodeId node = 0; node < 16; ++node) {
    CAPTURE(node);
    CHECK(nodes.state(node) == (node == 0                ? NodeState::cut_off
                                : node == 1 || node == 4 ? NodeState::dead
                                                         : NodeState::living));
  }
  const TrafficNodes pairs = TrafficNodes::of(graph::make_mesh({3}, 2, 1), {{}, {1}});
  CHECK(pairs.states == std::vector<NodeState>{NodeState::living, NodeState::living, NodeState::dead,
                                               NodeState::dead, NodeState::cut_off, NodeState::cut_off});
  const TrafficNodes all = TrafficNodes::of(graph::make_mesh({3}, 2, 1));
  CHECK(all.states.empty());
  CHECK(all.living() == 6);
}

TEST_CASE("the packets of cut-off nodes are counted, and no source sends any") {
  TrafficConfig config;
  config.of<traffic::OpenLoopConfig>().load_flits_per_node_cycle = 0.4;
  config.lengths.of<workload::LengthRange>().packet_flits = 4;
  config.to_self = false;
  const bool loop = GENERATE(false, true);
  if (loop) {
    config.kind = "closed_loop";
    config.of<traffic::ClosedLoopConfig>().window = 3;
  }
  const TrafficSources sources(config, cornered(), 1);
  for (NodeId node = 0; node < 16; ++node) {
    CAPTURE(loop, node);
    const auto all = births(*sources.source(node), 1000);
    CHECK(all.empty() == (node == 0 || node == 1 || node == 4));
    for (const traffic::Emission& one : all)
      CHECK((one.destination != 0 && one.destination != 1 && one.destination != 4));
  }
  const UnreachablePackets counted = sources.unreachable(1000);
  CHECK(counted.from[0] == counted.packets);
  CHECK(counted.to[0] == 0);
  if (loop) {
    CHECK(counted.packets == 3);
    return;
  }
  CHECK(counted.packets > 70);
  CHECK(counted.packets < 130);
  const UnreachablePackets half = sources.unreachable(500);
  CHECK((half.packets > 0 && half.packets < counted.packets));
}

TEST_CASE("a closed loop beside cut-off nodes continues with what arrives") {
  TrafficConfig config;
  config.kind = "closed_loop";
  config.of<traffic::ClosedLoopConfig>().window = 3;
  config.lengths.of<workload::LengthRange>().packet_flits = 4;
  config.to_self = false;
  const auto source = TrafficSources(config, cornered(), 1).source(2);
  CHECK(births(*source, 1000).size() == 3);
  PacketPool pool;
  source->arrived(1000, *pool.make_bare());
  const auto after = births(*source, 5000);
  REQUIRE(after.size() == 1);
  CHECK(after[0].created == 1001);
  source->dropped(2000, *pool.make_bare(), "link_down");
  const auto instead = births(*source, 5000);
  REQUIRE(instead.size() == 1);
  CHECK(instead[0].created == 2001);
}

TEST_CASE("packets for a cut-off partner are counted at both ends") {
  TrafficConfig config;
  config.pattern = "permutation";
  config.of<traffic::OpenLoopConfig>().injection = "periodic";
  config.of<traffic::OpenLoopConfig>().load_flits_per_node_cycle = 0.5;
  config.lengths.of<workload::LengthRange>().packet_flits = 5;
  config.to_self = false;
  TrafficNodes nodes;
  nodes.nodes = 4;
  nodes.states = {NodeState::cut_off, NodeState::living, NodeState::living, NodeState::living};
  const TrafficSources sources(config, nodes, 3);
  const UnreachablePackets counted = sources.unreachable(10'000);
  CHECK(counted.from[0] == 1000);
  CHECK(counted.to[0] == 1000);
  CHECK(counted.packets == 2000);
  unsigned silent = 0;
  for (NodeId node = 0; node < 4; ++node) {
    const auto all = births(*sources.source(node), 10'000);
    silent += all.empty() ? 1 : 0;
    for (const traffic::Emission& one : all) CHECK(one.destination != 0);
  }
  CHECK(silent == 2);
}

TEST_CASE("packets of a list and of a matrix are sent if they can be") {
  const tsuji::test::TextFile list("3 2 0 1\n4 2 5 1\n5 0 2 1\n9 2 0 1\n9 2 6 1\n");
  TrafficConfig config;
  config.kind = "list";
  config.of<traffic::PacketListConfig>().list = list.path();
  const TrafficSources listed(config, cornered(), 1);
  const auto sent = births(*listed.source(2), 100);
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].destination == 5);
  CHECK(sent[1].destination == 6);
  CHECK(births(*listed.source(0), 100).empty());
  CHECK(listed.unreachable(100).packets == 3);
  CHECK(listed.unreachable(100).to[0] == 2);
  CHECK(listed.unreachable(9).packets == 2);

  const tsuji::test::TextFile rates("2 0 1\n2 5 1\n3 0 1\n");
  TrafficConfig mixed;
  mixed.pattern = "matrix";
  mixed.of<traffic::OpenLoopConfig>().injection = "periodic";
  mixed.of<traffic::OpenLoopConfig>().load_flits_per_node_cycle = 0.05;
  mixed.lengths.of<workload::LengthRange>().packet_flits = 1;
  mixed.patterns.of<workload::MatrixConfig>().matrix = rates.path();
  const TrafficSources matrix(mixed, cornered(), 1);
  const auto some = births(*matrix.source(2), 2000);
  for (const traffic::Emission& one : some) CHECK(one.destination == 5);
  CHECK(births(*matrix.source(3), 2000).empty());
  const UnreachablePackets counted = matrix.unreachable(2000);
  CHECK(counted.to[0] == counted.packets);
  // 0.05 x 13 flits a cycle, two thirds of them from node 2, one third from node 3.
  CHECK(counted.packets + some.size() == Approx(1300).margin(3));
}

TEST_CASE("the demand of a pair equals the packets of its source") {
  const TextFile file("2 3 1\n3 2 2\n3 15 1\n2 0 4\n0 2 1\n5 1 3\n");
  for (const char* pattern : {"uniform", "transpose", "tornado", "permutation", "matrix"}) {
    TrafficConfig config;
    config.of<traffic::OpenLoopConfig>().load_flits_per_node_cycle = 0.1;
    config.lengths.of<workload::LengthRange>().packet_flits = 1;
    config.pattern = pattern;
    config.patterns.of<workload::MatrixConfig>().matrix = file.path();
    for (const TrafficNodes& nodes : {cornered(), TrafficNodes::of(graph::make_mesh({4, 4}, 1, 1))}) {
      const TrafficSources sources(config, nodes, 1);
      constexpr Cycle cycles = 10'000;
      for (NodeId from = 0; from < 16; ++from) {
        std::vector<double> flits(16, 0);
        for (const traffic::Emission& birth : births(*sources.source(from), cycles))
          flits[birth.destination.node()] += birth.flits;
        for (NodeId to = 0; to < 16; ++to) {
          CAPTURE(pattern, from, to, nodes.states.size());
          const double mean = 0.1 * cycles * sources.demand(from, to);
          CHECK(std::abs(flits[to] - mean) <= 5 * std::sqrt(mean));
        }
      }
    }
  }
}

TEST_CASE("sources beside cut-off nodes must keep their contract") {
  struct Packets final : public traffic::Traffic {
    explicit Packets(NodeId to) : destination(to) {}
    std::unique_ptr<traffic::EmissionSource> source(NodeId) const override {
      struct Source final : public traffic::EmissionSource {
        explicit Source(NodeId to) : destination(to) {}
        bool next(traffic::Emission& emission) override {
          emission = traffic::Emission{};
          emission.created = 5;
          emission.flits = 1;
          emission.destination = destination;
          return true;
        }
        const NodeId destination;
      };
      return std::make_unique<Source>(destination);
    }
    const NodeId destination;
  };
  struct Kind {
    unsigned destination = 0;
    void add_keys(config::KeyTable& keys) {
      keys.add("traffic.destination", destination, {0, 99}, "", "node");
    }
    std::unique_ptr<const traffic::Traffic> make(const traffic::TrafficGiven&) const {
      return std::make_unique<Packets>(destination);
    }
  };
  TrafficConfig config;
  config.kinds.add<Kind>("endless");
  config.kind = "endless";
  traffic::Emission emission;
  const auto one = [&] { TrafficSources(config, cornered(), 1).source(9)->next(emission); };
  const auto all = [&] { TrafficSources(config, cornered(), 1).unreachable(9); };
  const auto last =
      Catch::EndsWith("its source generated more than 4194304 packets that are born in cycle 5");
  CHECK_THROWS_WITH(one(), last);  // node 0 is cut off
  CHECK_THROWS_WITH(all(), last);
  config.of<Kind>().destination = 16;
  const auto beyond = Catch::EndsWith("its source generated a packet to node 16, and the last node is 15");
  CHECK_THROWS_WITH(one(), beyond);
  CHECK_THROWS_WITH(all(), beyond);
}
