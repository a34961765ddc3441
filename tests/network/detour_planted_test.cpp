// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "graph/faulty_cubes.h"
#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/routing/detour/detour_ud.h"

// Errors planted into a network with Detour-UD (Yoshinaga 2004), which the run must report: table words that
// turn up after down, recovery on channels of other kinds, lost credits.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using Catch::Contains;
using Catch::EndsWith;
using tsuji::test::ScriptedRouting;

namespace {

NetworkConfig config_of(const std::vector<unsigned>& radices) {
  NetworkConfig config;
  config.topology.kind = "torus";
  config.topology.of<graph::CubeConfig>().radices = radices;
  config.network.vcs = 4;
  config.network.buffer_flits = 8;
  config.network.router.uturn_network = true;
  config.network.router.block_timeout_cycles = 64;
  config.watchdog_cycles = 2000;
  return config;
}

/// Failure of a network of fig. 2 in which a message recovers from E to B along its whole path. `port` and
/// `vcs` are E's up/down table word for B; `dense`: without modules.
std::string failure_with(unsigned port, routing::VcMask vcs, bool dense) {
  return tsuji::test::forked([=] {
    const tsuji::test::Figure2 figure;
    const NodeId from = figure.router.at('E'), to = figure.router.at('B');
    VcRig rig(config_of({10, 10}));
    const routing::DetourUd detour(
        rig.plan.topology, 4,
        std::make_shared<const routing::DetourGeneration>(rig.plan.topology, figure.dead));
    const routing::RouteCandidate wrong{static_cast<std::uint16_t>(port), vcs, 0};
    ScriptedRouting routing(detour, tsuji::test::planted(from, to, {wrong}, PacketClass::recovery));
    routing.promised = detour.promises();
    routing.reads = detour.table_reads();
    routing.ways = detour.recovery();
    rig.route_by(routing);
    rig.parts->only_results = dense;
    rig.build([&](NodeId node) {
      traffic::Emission emission;
      emission.created = 10;
      emission.destination = to;
      emission.flits = 4;
      emission.payload_bytes = 0;
      emission.packet_class = PacketClass::recovery;
      std::vector<traffic::Emission> list;
      if (node == from) list.push_back(emission);
      return std::make_unique<traffic::ListedEmissions>(std::move(list));
    });
    if (rig.loaded->network().is_dense() != dense) return std::string("another driver");
    if (!rig.run_until_idle(5000)) return std::string("not idle");
    rig.loaded->check_conservation();
    return "delivered: " + std::to_string(rig.delivered.size());
  });
}

/// A network under load that loses a router's credit in a given cycle.
class Robbed {
 public:
  Robbed() : rig(config_of({4, 4})) {
    detour = std::make_unique<routing::DetourUd>(
        rig.plan.topology, 4,
        std::make_shared<const routing::DetourGeneration>(rig.plan.topology, graph::FaultSet{}));
    rig.route_by(*detour);
    rig.build(load(0.3, 4, 600));
    rig.loaded->run_to(300);
  }
  /// The slot that a channel's flit left last, following all free ones; null if it holds a flit again.
  FlitSlot* slot_left(FlitChannel& channel, unsigned vc) const {
    const FlitRing& ring = channel.ring(vc);
    FlitSlot* const last = ring.slots + (&ring.front() - ring.slots + ring.depth() - 1) % ring.depth();
    return last->holds_flit() ? nullptr : last;
  }
  /// Applies `take` to the first such slot of channels between routers, on virtual channel 1.
  template <class Take>
  std::string rob(const Take& take) {
    for (const VcNetwork::ChannelPlace& place : rig.loaded->network().channels()) {
      if (place.from.router == graph::none || place.to.router == graph::none) continue;
      FlitSlot* const slot = slot_left(*place.channel, 1);
      if (slot == nullptr) continue;
      take(*slot);
      return place.channel->name();
    }
    return "nothing";
  }

  VcRig rig;
  std::unique_ptr<const routing::DetourUd> detour;
};

}  // namespace

TEST_CASE("detour planted: a word that turns up after down ends the run with this error, where it does so") {
  const tsuji::test::Figure2 figure;
  constexpr routing::VcMask ud = 0b1000, fa = 0b0111;
  using graph::CubeShape;
  const bool dense = GENERATE(false, true);
  // E's own word points to A (fig. 3).
  CHECK(failure_with(CubeShape::down_port(0), ud, dense) == "delivered: 1");
  // E to H is down, H to B up (fig. 4).
  const std::string up_after_down = failure_with(CubeShape::up_port(1), ud, dense);
  CHECK_THAT(up_after_down, Contains("in recovery it turns up after down"));
  CHECK_THAT(up_after_down, Contains("router " + std::to_string(figure.router.at('H'))));
  const std::string to_fa = failure_with(CubeShape::down_port(0), fa, dense);
  CHECK_THAT(to_fa, Contains("a packet in recovery leaves the virtual channels of recovery"));
  CHECK_THAT(to_fa, Contains("router " + std::to_string(figure.router.at('E'))));
}

TEST_CASE("detour planted: a lost credit is reported with its channel, in the run and at its end") {
  const auto told = [](const auto& take, bool at_once) {
    return tsuji::test::forked([&] {
      Robbed one;
      one.rig.loaded->check_conservation();
      const std::string channel = one.rob(take);
      try {
        if (at_once) one.rig.loaded->check_conservation();
        one.rig.run_until_idle(100'000);
      } catch (const ModelError& error) {
        const std::string what = error.what();
        return what.find(channel) == std::string::npos ? what + ", not " + channel : what;
      }
      return std::string("nothing");
    });
  };
  const auto no_take = [](FlitSlot&) {};
  const auto not_freed = [](FlitSlot& slot) { slot.fill(Flit{0, 0, Flit::is_flit}, 0); };
  const auto never_comes = [](FlitSlot& slot) { slot.free(Cycle{1} << 40); };
  CHECK(told(no_take, true) == "nothing");
  CHECK(told(no_take, false) == "nothing");
  CHECK_THAT(
      told(not_freed, true),
      EndsWith("virtual channel 1 has lost a credit: a slot remains occupied after its flit has left"));
  for (const bool at_once : {true, false})
    CHECK_THAT(told(never_comes, at_once),
               EndsWith("virtual channel 1 has lost a credit: a slot is free from cycle 1099511627776 on"));
}
