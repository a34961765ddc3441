// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/flit_node.h"

#include <memory>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "traffic/flit_node_rig.h"

// Nodes joined by links, without a router.

using namespace tsuji;
using namespace tsuji::traffic;
using tsuji::test::ScriptedRouting;

namespace {

/// Source that is always full, and sends nothing.
class Full final : public EmissionSource {
 public:
  bool next(Emission&) override { return false; }
  bool is_full() const override { return true; }
};

struct Pair final : FlitNodeEvents {
  Pair() {
    nodes.push_back(node("node3", 3, 8, 5, 4));
    nodes.push_back(node("node8", 8, 3, 9, 2));
  }
  std::unique_ptr<FlitNode> node(const char* name, NodeId own, NodeId other, Cycle created, unsigned flits) {
    Emission emission;
    emission.created = created;
    emission.flits = static_cast<std::uint16_t>(flits);
    emission.payload_bytes = 0;
    emission.destination = other;
    return std::make_unique<FlitNode>(name, domain, FlitNodeState::Parts{config, pool, routing, *this, arena},
                                      own,
                                      std::make_unique<ListedEmissions>(std::vector<Emission>{emission}));
  }
  FlitLink& link(bool from_a_to_b, bool from_b_to_a) {
    links.push_back(std::make_unique<FlitLink>(domain, 'l', static_cast<std::uint32_t>(links.size()),
                                               from_a_to_b ? &channel : nullptr,
                                               from_b_to_a ? &channel : nullptr));
    nodes[0]->port(links.back()->a());
    nodes[1]->port(links.back()->b());
    return *links.back();
  }
  void on_born(End, const Emission&, Cycle) override {}
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override {
    delivered.push_back({packet.source.node(), packet.destination.node(), head, tail});
  }
  void run() {
    sc_core::sc_start();
    domain.rethrow_failure();
  }

  FlitNodeConfig config;
  FlitChannelConfig channel;
  const ScriptedRouting routing{0xf};
  PacketPool pool;
  Arena arena;
  ClockDomain domain{"clock", {}};
  std::vector<std::unique_ptr<FlitNode>> nodes;
  std::vector<std::unique_ptr<FlitLink>> links;
  std::vector<std::vector<Cycle>> delivered;
};

/// A head is on the wires one cycle after its birth, and arrives one cycle later.
const std::vector<std::vector<Cycle>> both{{3, 8, 7, 10}, {8, 3, 11, 12}};

}  // namespace

TEST_CASE("flit node: two nodes on a link send each other their packets") {
  Pair pair;
  pair.link(true, true);
  pair.run();
  CHECK(pair.delivered == both);
  CHECK(pair.nodes[0]->state().flits_ejected() == 2);
  CHECK(pair.nodes[1]->state().flits_ejected() == 4);
  CHECK(pair.pool.in_use() == 0);
}

TEST_CASE("flit node: one link for each direction is enough, whichever is bound first") {
  Pair pair;
  pair.link(false, true);
  pair.link(true, false);
  pair.run();
  CHECK(pair.delivered == both);
}

TEST_CASE(
    "flit node: a node whose packets wait for a virtual channel wakes for a routing that allows another "
    "one") {
  Pair pair;
  pair.config.asks_always = true;  // so that the full source keeps arrivals in its buffers
  pair.nodes.clear();
  Emission emission;
  emission.created = 5;
  emission.flits = 8;
  emission.payload_bytes = 0;
  emission.destination = 8;
  const ScriptedRouting first(0b1), second(0b10);
  const auto make = [&](const char* name, NodeId own, std::unique_ptr<EmissionSource> source) {
    pair.nodes.push_back(std::make_unique<FlitNode>(
        name, pair.domain, FlitNodeState::Parts{pair.config, pair.pool, first, pair, pair.arena}, own,
        std::move(source)));
  };
  make("node3b", 3, std::make_unique<ListedEmissions>(std::vector<Emission>{emission, emission}));
  make("node8b", 8, std::make_unique<Full>());
  pair.link(true, true);
  sc_core::sc_start(pair.domain.time_of(60));
  pair.domain.rethrow_failure();
  CHECK(pair.nodes[0]->state().packets_sent() == 1);
  CHECK(pair.nodes[0]->state().packets_queued() == 1);
  pair.nodes[0]->state().exchange_routing(second, 60);
  sc_core::sc_start(pair.domain.time_of(40));
  pair.domain.rethrow_failure();
  CHECK(pair.nodes[0]->state().packets_sent() == 2);
  CHECK(pair.nodes[0]->state().flits_sent() == 16);
  CHECK(pair.delivered.empty());
}

TEST_CASE("flit node: a node without a channel in one direction is refused") {
  Pair pair;
  pair.link(true, false);
  CHECK_THROWS_WITH(pair.run(), Catch::Contains("node3: a node needs a channel in each direction"));
}
