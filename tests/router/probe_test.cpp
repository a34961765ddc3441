// SPDX-License-Identifier: Apache-2.0

#include "router/rig.h"
#include "support/catch.h"
#include "support/purge_router.h"

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

namespace {

constexpr Cycle arrival = 20;

class Listener final : public RouterProbe {
 public:
  struct Told {
    unsigned port, vc;
    PacketIndex packet;
    HeadStage stage;
    Cycle at;
    bool operator==(const Told& other) const {
      return port == other.port && vc == other.vc && packet == other.packet && stage == other.stage &&
             at == other.at;
    }
  };
  void on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet, HeadStage stage,
                Cycle at) override {
    CHECK(router == 0);
    told.push_back({port, vc, packet, stage, at});
  }
  std::vector<Told> told;
};

}  // namespace

TEST_CASE("a probe is notified of the stages of heads, with the cycles in which they begin") {
  RigConfig config;
  config.rc_cycles = 2;
  config.router.va_cycles = 3;
  Rig rig(config);
  Listener listener;
  rig.state->set_probe(&listener);
  const PacketIndex first = rig.packet(2, 4, 0), second = rig.packet(2, 1, 1);
  rig.arrive(arrival, 0, 1, first);
  rig.arrive(arrival + 4, 0, 1, second);
  rig.run(arrival + 4);
  // VA is known to be over before it is.
  const std::vector<Listener::Told> head = {{0, 1, first, HeadStage::route_computation, arrival},
                                            {0, 1, first, HeadStage::vc_allocation, arrival + 2},
                                            {0, 1, first, HeadStage::switch_allocation, arrival + 5}};
  CHECK(listener.told == head);
  rig.run(arrival + 40);
  // The first packet's flits win in 5, 6, 7 and 8; the second head is at the front in 9.
  const std::vector<Listener::Told> next = {{0, 1, second, HeadStage::route_computation, arrival + 9},
                                            {0, 1, second, HeadStage::vc_allocation, arrival + 11},
                                            {0, 1, second, HeadStage::switch_allocation, arrival + 14}};
  CHECK(std::vector<Listener::Told>(listener.told.begin() + 3, listener.told.end()) == next);
}

TEST_CASE("a probe is notified of what a purged or rerouted head loses") {
  RigConfig config;
  config.channel.vcs = 1;
  Rig rig(config);
  Listener listener;
  rig.state->set_probe(&listener);
  const PacketIndex holds = rig.packet(2, 12, 0), waits = rig.packet(2, 4, 1);
  rig.arrive(arrival, 0, 0, holds);
  rig.arrive(arrival + 1, 1, 0, waits);
  rig.run(arrival + 5);
  listener.told.clear();
  rig.state->route_again(1, 0, arrival + 4);
  rig.run(arrival + 7);
  const std::vector<Listener::Told> anew = {{1, 0, waits, HeadStage::none, arrival + 5},
                                            {1, 0, waits, HeadStage::route_computation, arrival + 5},
                                            {1, 0, waits, HeadStage::vc_allocation, arrival + 6}};
  CHECK(listener.told == anew);
  listener.told.clear();
  tsuji::test::purge_router(*rig.state, waits, arrival + 6);
  rig.run(arrival + 12);
  const std::vector<Listener::Told> gone = {{1, 0, waits, HeadStage::none, arrival + 7}};
  CHECK(listener.told == gone);
}
