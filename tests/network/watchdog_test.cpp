// SPDX-License-Identifier: Apache-2.0

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/routing/dimension_order.h"

// The watchdog reports every deadlock, and nothing else.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

/// A node's interface that has room for one packet, and for more from cycle `again` on.
class FullNode final : public traffic::EmissionSource {
 public:
  explicit FullNode(Cycle again) : again_(again) {}
  bool next(traffic::Emission&) override { return false; }
  void arrived(Cycle, const Packet&) override { ++taken_; }
  bool is_full() const override { return taken_ >= 1 && now_ < again_; }
  Cycle next_event() const override { return now_ < again_ ? again_ : never; }
  void advance(Cycle now) override { now_ = now; }

 private:
  const Cycle again_;
  Cycle now_ = 0;
  unsigned taken_ = 0;
};

}  // namespace

TEST_CASE(
    "dimension order on a torus without datelines deadlocks, and the run reports which packets wait for "
    "which") {
  NetworkConfig config = torus(8);
  config.network.vcs = 1;
  config.routing.of<routing::DimensionOrderConfig>().dateline = routing::Dateline::none;
  config.watchdog_cycles = 1000;
  VcRig rig(config);
  rig.build(load(1.0, 16, 3000));
  const std::string text = tsuji::test::text_of<ModelError>([&] { rig.run_until_idle(50000); });
  CHECK_THAT(text, Catch::Contains("no flit has moved for 1000 cycles"));
  CHECK_THAT(text, Catch::Contains("they wait for each other in a cycle"));
  CHECK_THAT(text, Catch::Contains("waits for a virtual channel of port"));
  CHECK_THAT(text, !Catch::Contains("link is down"));
}

TEST_CASE("a delay longer than the watchdog is no deadlock, in any stage or wire") {
  using Change = void (*)(NetworkConfig&);
  const std::vector<Change> changes = {
      [](NetworkConfig& c) { c.link_latency_cycles = 25000; },
      [](NetworkConfig& c) { c.network.inject_latency_cycles = 25000; },
      [](NetworkConfig& c) { c.network.eject_latency_cycles = 25000; },
      [](NetworkConfig& c) { c.topology.kind = "fly", c.network.eject_latency_cycles = 25000; },
      [](NetworkConfig& c) { c.network.credit_latency_cycles = 25000, c.network.buffer_flits = 1; },
      [](NetworkConfig& c) { c.network.credit_process_cycles = 25000, c.network.buffer_flits = 1; },
      [](NetworkConfig& c) { c.network.flit_cycles = 25000; },
      [](NetworkConfig& c) { c.network.flit_cycles = 25000, c.network.whole_flit = true; },
      [](NetworkConfig& c) {
        c.network.flit_cycles = 25000;
        c.network.router.switching = router::Switching::store_and_forward;
      },
      [](NetworkConfig& c) { c.network.rc_cycles = 25000; },
      [](NetworkConfig& c) { c.network.router.va_cycles = 25000; },
      [](NetworkConfig& c) { c.network.router.sa_cycles = 25000; },
      [](NetworkConfig& c) { c.network.router.st_cycles = 25000; },
      [](NetworkConfig& c) { c.network.router.des_cycles = 25000; },
      [](NetworkConfig& c) { c.network.router.ser_cycles = 25000; },
      [](NetworkConfig& c) { c.network.router.vc_change_cycles = 25000, c.network.vcs = 2; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    // With packets of one flit there is usually no head that waits in a router.
    for (const unsigned flits : {1, 3}) {
      CAPTURE(i, flits);
      const std::string told = tsuji::test::forked([&] {
        NetworkConfig config = torus(4);
        config.watchdog_cycles = 100;
        changes[i](config);
        VcRig rig(config);
        rig.build({{0, 6, 10, flits}, {0, 6, 10, flits}, {4, 6, 10, flits}, {0, 6, 1'000'000, flits}});
        rig.loaded->run_to(2'000'000);
        rig.loaded->check_conservation();
        return std::to_string(rig.delivered.size()) + (rig.loaded->idle() ? " idle" : " busy");
      });
      CHECK(told == "4 idle");
    }
  }
}

TEST_CASE("a deadlock is reported watchdog_cycles after the last flit or credit, in any order of modules") {
  const auto told = [](Cycle watchdog, ProcessMode mode, bool group_cycles, const std::string& faults = "") {
    return tsuji::test::forked([&] {
      NetworkConfig config = torus(8);
      config.network.vcs = 1;
      config.routing.of<routing::DimensionOrderConfig>().dateline = routing::Dateline::none;
      config.watchdog_cycles = watchdog;
      config.link_faults = faults;
      config.process_mode = mode;
      VcRig rig(config);
      rig.run_ahead(group_cycles);
      rig.build(load(1.0, 16, 300));
      rig.loaded->run_to(20000);
      return std::string();
    });
  };
  const auto cycle_of = [](const std::string& text) {
    const std::string before = "exception: network, cycle ";
    REQUIRE_THAT(text, Catch::StartsWith(before));
    return std::stoull(text.substr(before.size()));
  };
  const std::string soon = told(400, ProcessMode::one_for_all, true);
  CHECK(soon == told(400, ProcessMode::process_each, false));
  // A future fault does not postpone the report where heads do not wait for links.
  CHECK(soon == told(400, ProcessMode::one_for_all, true, "0@15000"));
  const std::string late = told(1500, ProcessMode::one_for_all, true);
  CHECK_THAT(late, Catch::Contains("no flit has moved for 1500 cycles"));
  CHECK(cycle_of(late) - cycle_of(soon) == 1100);
}

TEST_CASE(
    "a head that waits for a link that never returns is deadlocked, and one whose link returns is not") {
  const auto told = [](const std::string& faults, Cycle second = 10) {
    return tsuji::test::forked([&] {
      NetworkConfig config;
      config.topology.of<graph::CubeConfig>().radices = {2, 2};
      config.link_faults = faults;
      config.network.router.dead_route = router::DeadRoute::wait;
      config.watchdog_cycles = 200;
      VcRig rig(config);
      rig.build({{0, 1, 10, 3}, {1, 0, 10, 3}, {0, 2, second, 3}, {2, 0, second, 3}});
      rig.loaded->run_to(20000);
      return std::to_string(rig.delivered.size());
    });
  };
  CHECK(told("0@5:5000,1@5:5000,2@5:5000,3@5:5000") == "4");
  CHECK(told("0@5:90,0@50:60,0@90:5000,1@5:5000") == "4");
  const std::string report = told("0@5,1@5,2@5,3@5");
  CHECK_THAT(report, Catch::Contains("no flit has moved for 200 cycles"));
  CHECK_THAT(report, Catch::Contains("packet 0.0 for node 1 waits for a virtual channel of port 0 "
                                     "(its link is down), since cycle 12"));
  // The watchdog has slept in between.
  CHECK_THAT(told("0@1000,1@1000,2@1000,3@1000", 5000), Catch::Contains("no flit has moved for 200 cycles"));
}

TEST_CASE(
    "a node that waits for its own slow link is no deadlock, and a node with nothing to send is not waited "
    "for") {
  const auto told = [](router::DeadRoute dead_route, const std::vector<VcRig::Send>& packets) {
    return tsuji::test::forked([&] {
      NetworkConfig config;
      config.topology.of<graph::CubeConfig>().radices = {2};
      config.network.flit_cycles = 25000;
      config.link_faults = "0@1";
      config.network.router.dead_route = dead_route;
      config.watchdog_cycles = 100;
      VcRig rig(config);
      rig.build(packets);
      rig.loaded->run_to(200'000);
      return std::to_string(rig.loaded->supervisor().dropped(NetworkDropCause::no_route)) + " dropped";
    });
  };
  CHECK(told(router::DeadRoute::drop, {{0, 1, 10, 1}, {0, 1, 10, 1}, {0, 1, 10, 2}}) == "3 dropped");
  CHECK_THAT(told(router::DeadRoute::wait, {{0, 1, 10, 1}}),
             Catch::StartsWith("exception: network, cycle 11"));
}

TEST_CASE(
    "a full interface is no deadlock while any event is to come, in whichever cycle it has room again") {
  const auto told = [](Cycle again, Cycle watchdog) {
    return tsuji::test::forked([&] {
      NetworkConfig config;
      config.topology.of<graph::CubeConfig>().radices = {2, 2};
      config.network.vcs = 1;  // one packet at a time comes out
      config.watchdog_cycles = watchdog;
      VcRig rig(config);
      rig.parts->sources_have_channels = true;
      rig.build([again](NodeId node) -> std::unique_ptr<traffic::EmissionSource> {
        if (node == 3) return std::make_unique<FullNode>(again);
        traffic::Emission packet;
        packet.created = 10;
        packet.destination = 3;
        packet.flits = 3;
        packet.payload_bytes = 0;
        return std::make_unique<traffic::ListedEmissions>(std::vector<traffic::Emission>{packet});
      });
      rig.loaded->run_to(20000);
      return std::to_string(rig.delivered.size());
    });
  };
  constexpr Cycle watchdog = 100;
  for (Cycle again = 1000; again <= 1000 + watchdog; ++again) {
    CAPTURE(again);
    CHECK(told(again, watchdog) == "3");
  }
  CHECK_THAT(told(never, watchdog), Catch::Contains("no flit has moved for 100 cycles"));
}
