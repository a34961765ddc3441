// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "router/rig.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/random.h"

// Candidates of several ranks: random sets of them, with outputs that are down or taken, under every policy.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;
using tsuji::test::ScriptedRouting;

namespace {

constexpr unsigned outputs = 8, vcs = 2, input = 0;

/// Gives the same candidates for every packet, until they are changed.
struct Listed {
  std::vector<routing::RouteCandidate> candidates;
  const ScriptedRouting routing{routing::vc_range(0, vcs),
                                [this](const routing::RouteQuery&, routing::RouteSet& routes) {
                                  for (const routing::RouteCandidate& one : candidates)
                                    routes.add(one.port, one.vcs, one.rank);
                                },
                                outputs};
};

/// Outputs 1..8 in a random order, in ranks of random sizes.
std::vector<routing::RouteCandidate> draw_candidates(CounterRandom& random) {
  std::vector<routing::RouteCandidate> all;
  for (std::uint16_t port = 1; port <= outputs; ++port) all.push_back({port, routing::vc_range(0, vcs), 0});
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
  for (std::size_t i = 1; i < all.size(); ++i)
    all[i].rank = static_cast<std::uint8_t>(all[i - 1].rank + (random.below(3) == 0 ? 1 : 0));
  return all;
}

VcRouterConfig choosing(Selection selection) {
  VcRouterConfig router;
  router.selection = selection;
  return router;
}

/// Configuration in which heads request channels of all outputs, and the allocator chooses.
VcRouterConfig requesting_all(const char* allocator) {
  VcRouterConfig router;
  router.va_allocator = allocator;
  router.va_input_arbiter = VaInputArbiter::ports_and_vcs;
  router.va_requests = VaRequests::all;
  return router;
}

struct Bench {
  explicit Bench(const VcRouterConfig& router) : lookup(listed.routing, 1) {
    config.ports = outputs + 1;
    config.channel.vcs = vcs;
    config.channel.depth_flits = 4;
    config.router = router;
    rig = std::make_unique<Rig>(config, &lookup);
  }
  unsigned port_of(PacketIndex packet) const {
    const auto own = [packet](const Seen& seen) { return seen.packet == packet; };
    const auto found = std::find_if(rig->seen.begin(), rig->seen.end(), own);
    return found == rig->seen.end() ? 0 : found->port;
  }
  RigConfig config;
  Listed listed;
  lookup::LocalLookup lookup;
  std::unique_ptr<Rig> rig;
};

}  // namespace

TEST_CASE("a head takes a candidate of the best rank with an available one, for any faults and policy") {
  const auto router = GENERATE(choosing(Selection::first), choosing(Selection::most_credits),
                               choosing(Selection::round_robin), choosing(Selection::random),
                               requesting_all("separable"), requesting_all("matrix"));
  Bench bench(router);
  CounterRandom random(31, static_cast<std::uint64_t>(router.selection));
  for (std::uint32_t serial = 0; serial < 300; ++serial) {
    bench.listed.candidates = draw_candidates(random);
    const std::vector<routing::RouteCandidate>& all = bench.listed.candidates;
    std::vector<bool> down(outputs + 1);
    for (unsigned port = 1; port <= outputs; ++port) {
      down[port] = random.below(2) == 0;
      bench.rig->out[port]->set_down(down[port], bench.rig->now);
    }
    const auto best =
        std::find_if(all.begin(), all.end(), [&down](const auto& one) { return !down[one.port]; });
    if (best == all.end()) continue;
    const PacketIndex packet = bench.rig->packet(1, 1, serial);
    bench.rig->arrive(bench.rig->now + 2, input, 0, packet);
    bench.rig->run(bench.rig->now + 16);
    const unsigned port = bench.port_of(packet);
    const auto taken =
        std::find_if(all.begin(), all.end(), [port](const auto& one) { return one.port == port; });
    REQUIRE(taken != all.end());
    CAPTURE(serial, port, best->port);
    CHECK_FALSE(down[port]);
    CHECK(taken->rank == best->rank);
    if (router.selection == Selection::first) CHECK(port == best->port);
  }
}

TEST_CASE(
    "a rank whose virtual channels are all taken is skipped, and one with a single free channel is not") {
  const auto router = GENERATE(choosing(Selection::first), choosing(Selection::most_credits),
                               choosing(Selection::round_robin), choosing(Selection::random),
                               requesting_all("separable"), requesting_all("matrix"));
  Bench bench(router);
  // Output 1 alone is the best; 2, 3 and 4 are equal, and have more free places.
  bench.listed.candidates = {{1, routing::vc_range(0, vcs), 0},
                             {2, routing::vc_range(0, vcs), 1},
                             {3, routing::vc_range(0, vcs), 1},
                             {4, routing::vc_range(0, vcs), 1}};
  // Packets whose tails never come hold their output virtual channels.
  std::vector<PacketIndex> packets;
  for (std::uint32_t p = 0; p < 3; ++p) {
    packets.push_back(bench.rig->packet(1, 8, p));
    for (unsigned f = 0; f < 3; ++f)
      bench.rig->arrive(bench.rig->now + 2 + f, p % 2 == 0 ? 5 : 6, p / 2, packets.back(), f);
    bench.rig->run(bench.rig->now + 30);
  }
  std::vector<unsigned> held;
  for (const PacketIndex packet : packets) {
    for (unsigned port = 1; port <= 4; ++port)
      bench.rig->state->visit_holders(port, [&, port](const OutputHolder& holder) {
        if (holder.packet == packet) held.push_back(port);
      });
  }
  REQUIRE(held.size() == 3);
  CHECK(held[0] == 1);
  CHECK(held[1] == 1);
  CHECK(held[2] != 1);
}

TEST_CASE("a routing's virtual channels hold between routers, and a node's port gives any that it has") {
  Listed listed;
  lookup::LocalLookup lookup(listed.routing, 1);
  RigConfig config;
  config.ports = 4;
  config.node_port = 2;
  const unsigned port = GENERATE(1U, 2U);
  listed.candidates = {{static_cast<std::uint16_t>(port), 1, 0}};
  Rig rig(config, &lookup);
  // Packets whose tails never come hold their output virtual channels.
  std::vector<PacketIndex> packets;
  for (unsigned in = 0; in < 2; ++in) {
    packets.push_back(rig.packet(1, 8, in));
    for (unsigned f = 0; f < 3; ++f) rig.arrive(20 + f, 3, in, packets.back(), f);
  }
  rig.run(60);
  unsigned holders = 0;
  rig.state->visit_holders(port, [&holders](const OutputHolder&) { ++holders; });
  CHECK(holders == (port == config.node_port ? 2 : 1));
}

TEST_CASE("a head that requests all ports gets the one at iSLIP's pointer, whatever the rank") {
  Bench bench(requesting_all("islip"));
  bench.listed.candidates = {{5, routing::vc_range(0, vcs), 0}, {2, routing::vc_range(0, 1), 1}};
  std::vector<unsigned> ports;
  for (std::uint32_t serial = 0; serial < 3; ++serial) {
    const PacketIndex packet = bench.rig->packet(1, 1, serial);
    bench.rig->arrive(bench.rig->now + 2, input, 0, packet);
    bench.rig->run(bench.rig->now + 16);
    ports.push_back(bench.port_of(packet));
  }
  // The head requests one channel of output 2, and two of output 5.
  CHECK(ports == std::vector<unsigned>{2, 5, 5});
}

TEST_CASE(
    "a head that requests all ports waits while all outputs are taken, and is dropped where all are down") {
  Bench bench(requesting_all("separable"));
  bench.listed.candidates = {{1, routing::vc_range(0, 1), 0}, {2, routing::vc_range(0, 1), 1}};
  for (std::uint32_t p = 0; p < 2; ++p) {
    const PacketIndex holder = bench.rig->packet(1, 2, p);
    bench.rig->arrive(bench.rig->now + 2, 5, p, holder, 0);
    bench.rig->arrive(bench.rig->now + 40, 5, p, holder, 1);
  }
  const PacketIndex waits = bench.rig->packet(1, 1, 2);
  bench.rig->arrive(bench.rig->now + 10, input, 0, waits);
  bench.rig->run(bench.rig->now + 40);
  CHECK(bench.port_of(waits) == 0);
  bench.rig->run(bench.rig->now + 20);
  CHECK(bench.port_of(waits) != 0);
  for (const unsigned port : {1U, 2U}) bench.rig->out[port]->set_down(true, bench.rig->now);
  bench.rig->arrive(bench.rig->now + 2, input, 0, bench.rig->packet(1, 1, 3));
  CHECK_THROWS_WITH(bench.rig->run(bench.rig->now + 10), Catch::Contains("no route"));
}
