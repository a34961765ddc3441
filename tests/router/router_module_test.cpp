// SPDX-License-Identifier: Apache-2.0

#include "tsuji/router/router_module.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/link/flit_link.h"
#include "tsuji/lookup/local_lookup.h"

using namespace tsuji;
using namespace tsuji::router;
using tsuji::test::ScriptedRouting;

namespace {

/// Records the module's calls.
class Recorder final : public FlitRouter, public TellingRouter {
 public:
  Recorder(graph::RouterId id, std::vector<RouterPort> ports) : id_(id), ports_(std::move(ports)) {}
  graph::RouterId id() const override { return id_; }
  unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
  const RouterPort& port(unsigned p) const override { return ports_[p]; }
  void bind(const Waker& self) override { self.wake_at(7); }
  RouterCounters counters() const override { return {}; }
  Cycle last_event(Cycle now) const override { return now; }
  TellingRouter* telling() override { return this; }
  void set_probe(RouterProbe* probe) override { probes.push_back(probe); }
  void step(Cycle now) override { steps.push_back(now); }

  std::vector<Cycle> steps;
  std::vector<RouterProbe*> probes;

 private:
  graph::RouterId id_;
  std::vector<RouterPort> ports_;
};

struct Nobody final : RouterProbe {
  void on_stage(graph::RouterId, unsigned, unsigned, PacketIndex, HeadStage, Cycle) override {}
};

RouterKind recorders(bool tells_stages) {
  RouterKind kind;
  kind.name = "recorder";
  kind.tells_stages = tells_stages;
  kind.make = [](graph::RouterId id, const std::vector<RouterPort>& ports, const RouterParts& parts) {
    return ArenaPtr<FlitRouter>(make_in<Recorder>(*parts.arena, id, ports));
  };
  return kind;
}

using Far = RouterModule::Far;

/// A router with these far ends, and links that are not bound yet: 0 and 1 in both directions, 2 in one.
struct Bench {
  explicit Bench(std::vector<Far> far, bool tells_stages = true)
      : kind(recorders(tells_stages)),
        module("router", domain, kind, 5, std::move(far), {pool, lookup, nullptr, 1, 1, &arena}) {}
  Recorder& recorder() { return dynamic_cast<Recorder&>(module.router()); }
  std::string refused() {
    return tsuji::test::text_of<ModelError>([&] { sc_core::sc_start(sc_core::SC_ZERO_TIME); }, "nothing");
  }

  ClockDomain domain{"clock", {}};
  PacketPool pool;
  Arena arena;
  const ScriptedRouting routing{1};
  lookup::LocalLookup lookup{routing, 1};
  const RouterKind kind;
  RouterModule module;
  const FlitChannelConfig channel;
  FlitLink first{domain, 'l', 0, &channel, &channel}, second{domain, 'l', 1, &channel, &channel},
      one_way{domain, 'l', 2, &channel, nullptr};
};

}  // namespace

TEST_CASE("router module: a port has the channels of its bound link, for any order of binding") {
  Bench bench({Far::router, Far::nothing, Far::node, Far::router});
  bench.module.bind_port(3, bench.one_way.b());
  bench.module.bind_port(0, bench.first.a());
  bench.module.bind_port(2, bench.second.b());
  sc_core::sc_start();
  bench.domain.rethrow_failure();
  const Recorder& router = bench.recorder();
  CHECK(router.id() == 5);
  REQUIRE(router.ports() == 4);
  CHECK(router.port(0).in == bench.first.backward());
  CHECK(router.port(0).out == bench.first.forward());
  CHECK_FALSE(router.port(0).to_node);
  CHECK(router.port(1).in == nullptr);
  CHECK(router.port(1).out == nullptr);
  CHECK(router.port(2).in == bench.second.forward());
  CHECK(router.port(2).out == bench.second.backward());
  CHECK(router.port(2).to_node);
  CHECK(router.port(3).in == bench.one_way.forward());
  CHECK(router.port(3).out == nullptr);
  CHECK(router.vcs(0) == bench.channel.vcs);
  CHECK(router.vcs(1) == 0);
  // The module's cycles are the router's.
  CHECK(router.steps == std::vector<Cycle>{7});
  CHECK(bench.first.name() == "clock.l0");
}

TEST_CASE("router module: a probe that is set before the start is the router's") {
  Bench bench({Far::router});
  bench.module.bind_port(0, bench.first.a());
  Nobody nobody;
  CHECK(bench.module.probe() == nullptr);
  bench.module.set_probe(&nobody);
  CHECK(bench.module.probe() == &nobody);
  sc_core::sc_start();
  CHECK(bench.recorder().probes == std::vector<RouterProbe*>{&nobody});
}

TEST_CASE("router module: a kind that reports no stages takes no probe") {
  Bench bench({Far::router}, false);
  bench.module.bind_port(0, bench.first.a());
  Nobody nobody;
  CHECK_THROWS_WITH(bench.module.set_probe(&nobody),
                    Catch::Contains("a recorder does not report the stages of heads"));
  CHECK_NOTHROW(bench.module.set_probe(nullptr));
  CHECK(bench.module.probe() == nullptr);
}

TEST_CASE("router module: a port that is bound twice is refused") {
  Bench bench({Far::router, Far::router});
  bench.module.bind_port(1, bench.first.a());
  bench.module.bind_port(1, bench.second.a());
  CHECK_THAT(bench.refused(), Catch::Contains("port 1 is bound twice or has no receiver"));
}

TEST_CASE("router module: a port without a link must not be bound") {
  Bench bench({Far::router, Far::nothing});
  bench.module.bind_port(0, bench.first.a());
  bench.module.bind_port(1, bench.second.a());
  CHECK_THAT(bench.refused(), Catch::Contains("port 1 is bound twice or has no receiver"));
}

TEST_CASE("router module: a port with a link must be bound") {
  Bench bench({Far::router, Far::node});
  bench.module.bind_port(0, bench.first.a());
  CHECK_THAT(bench.refused(), Catch::Contains("port 1 is not bound"));
}

TEST_CASE("router module: a router without an arena is refused") {
  ClockDomain domain("clock", {});
  PacketPool pool;
  const ScriptedRouting routing(1);
  lookup::LocalLookup lookup(routing, 1);
  const RouterKind kind = recorders(true);
  CHECK_THROWS_WITH(RouterModule("router", domain, kind, 5, {}, {pool, lookup}),
                    Catch::Contains("a router needs an arena"));
}

TEST_CASE("a router without an ability is reported with name and cycle where the ability is needed") {
  Recorder plain(5, {RouterPort{}});
  const FlitRouter& router = plain;
  CHECK(router.candidates(0, 0).empty());
  unsigned inside = 0;
  router.visit_inside([&](PacketIndex) { ++inside; });
  CHECK(inside == 0);
  CHECK_THROWS_WITH(needed(plain, plain.rerouting(), 9, "route heads again"),
                    Catch::Contains("router 5, cycle 9: routers of this kind cannot route heads again"));
  CHECK(&needed(plain, plain.telling(), 9, "tell the stages of heads") == plain.telling());
}
