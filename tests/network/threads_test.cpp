// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "network/drawn_network.h"
#include "support/catch.h"
#include "support/forked.h"

// Networks on several threads: every packet has the cycles of a run on one thread.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

/// A network of 12 routers with drawn times, buffers, loads and routings.
NetworkConfig network_of(std::uint64_t seed) {
  CounterRandom random(seed, 13);
  NetworkConfig config = drawn(seed);
  config.topology.of<graph::CubeConfig>().radices = {4, 3};
  config.link_latency_cycles = 1 + random.below(6);
  config.network.router.va_cycles = random.below(3);
  if (random.below(3) == 0) {
    config.topology.kind = "torus";
    config.network.vcs = 2 + static_cast<unsigned>(random.below(2));
  }
  return config;
}

/// "PACKET injected head tail hops; " for each packet, and the flits of all links.
std::string deliveries(std::uint64_t seed, unsigned threads) {
  return tsuji::test::forked([=] {
    VcRig rig(network_of(seed));
    rig.run_ahead();
    rig.parts->threads = threads;
    rig.build(lengths(0.1 + 0.05 * static_cast<double>(seed % 8), 1500), seed);
    if (threads > 1 && rig.loaded->group_cycles() < 2) throw std::logic_error("no windows");
    if (!rig.run_until_idle(20'000)) throw std::logic_error("does not drain");
    rig.loaded->check_conservation();
    if (rig.loaded->pool().in_use() != 0) throw std::logic_error("packets are left in the pool");
    if (rig.loaded->domain().lanes() != threads) throw std::logic_error("other lanes");
    std::string text;
    for (const auto& [id, packet] : rig.by_packet())
      text += packet_name(id) + " " + std::to_string(packet.injected) + " " +
              std::to_string(packet.head_cycle) + " " + std::to_string(packet.tail_cycle) + " " +
              std::to_string(packet.hops) + "; ";
    rig.loaded->accounts().for_each_link(
        [&](const observe::LinkLoad& load) { text += std::to_string(load.flits) + " "; });
    return text;
  });
}

/// Never sends; declares the lookahead of a source that reads data of other nodes.
class Reader final : public traffic::EmissionSource {
 public:
  bool next(traffic::Emission&) override { return false; }
  Cycle lookahead_cycles() const override { return 7; }
};

}  // namespace

TEST_CASE("networks on several threads deliver each packet in the cycles of one thread") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const std::string expected = deliveries(seed, 1);
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    REQUIRE(expected.size() > 5000);
    for (const unsigned threads : {2U, 5U}) {
      CAPTURE(seed, threads);
      const bool same = deliveries(seed, threads) == expected;  // not the text of both
      CHECK(same);
    }
  }
}

TEST_CASE("sources that read data of other nodes are refused for several threads") {
  NetworkConfig config = network_of(1);
  config.link_latency_cycles = 9;
  VcRig rig(config);
  rig.run_ahead();
  rig.parts->threads = 2;
  CHECK_THROWS_WITH(rig.build([](NodeId) { return std::make_unique<Reader>(); }),
                    Catch::Contains("use data of several nodes"));
}
