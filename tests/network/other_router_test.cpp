// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <sstream>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/scripted_routing.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/router/flit_router.h"

// A router of another kind in a network: a class, the struct that makes its RouterKind, and a word in a copy
// of the table.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::test::ScriptedRouting;

namespace {

/// One packet buffer, store and forward: a packet whose tail is here moves from its input into the buffer,
/// asks for its route, and leaves flit by flit; then the next input that holds a whole packet has its turn.
class OneBufferRouter final : public router::FlitRouter {
 public:
  OneBufferRouter(graph::RouterId id, const std::vector<router::RouterPort>& ports,
                  const router::RouterParts& parts)
      : id_(id), ports_(ports), parts_(parts), senders_(ports.size()) {}

  void bind(const Waker& self) override {
    self_ = self;
    Cycle flight = 1;
    for (const router::RouterPort& port : ports_) {
      for (unsigned v = 0; port.in != nullptr && v < port.in->vcs(); ++v) inputs_.push_back({port.in, v});
      if (port.in != nullptr) flight = std::max(flight, port.in->ready_after() + 1);
    }
    const auto lines = static_cast<unsigned>(inputs_.size());
    REQUIRE(lines <= 64);
    board_ = ArrivalBoard(*parts_.arena, lines, flight, true);
    unsigned line = 0;
    for (std::size_t p = 0; p < ports_.size(); ++p) {
      if (ports_[p].out != nullptr) ports_[p].out->bind_sender(self, board_, 1, senders_[p]);
      if (ports_[p].in == nullptr) continue;
      ports_[p].in->bind_receiver(self, board_, line, 0, *parts_.arena);
      line += ports_[p].in->vcs();
    }
  }

  void step(Cycle now) override {
    board_.take(0, now);
    board_.busy(0) = 0;
    if (!buffer_.empty()) send(now);
    if (buffer_.empty()) take(now);
    if (!buffer_.empty()) self_.wake_at(now + 1);
  }

  graph::RouterId id() const override { return id_; }
  unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
  const router::RouterPort& port(unsigned p) const override { return ports_[p]; }
  router::RouterCounters counters() const override { return counters_; }
  Cycle last_event(Cycle) const override { return ready_; }
  void visit_inside(const std::function<void(PacketIndex)>& visit) const override {
    for (const Flit& flit : buffer_) visit(flit.packet);
  }

 private:
  struct Input {
    FlitChannel* channel;
    unsigned vc;
  };

  void send(Cycle now) {
    FlitChannel& out = *ports_[route_.port].out;
    const auto vc = static_cast<unsigned>(__builtin_ctz(route_.vcs));
    if (now < ready_ || out.ring(vc).credit_at() > now) return;
    out.send(now, vc, buffer_.front());
    buffer_.pop_front();
    ++counters_.flits;
  }

  void take(Cycle now) {
    for (std::size_t i = 0; i < inputs_.size() && buffer_.empty(); ++i) {
      const Input& input = inputs_[(next_ + i) % inputs_.size()];
      const FlitRing& ring = input.channel->ring(input.vc);
      if (!ring.front().holds_flit() || ring.front().cycle() > now) continue;
      Packet& packet = parts_.pool.at(ring.front().packet());
      REQUIRE(packet.flits <= ring.depth());
      const FlitSlot& tail = ring.behind_front(packet.flits - 1U);
      if (!tail.holds_flit() || tail.cycle() > now) continue;
      for (unsigned f = 0; f < packet.flits; ++f) {
        buffer_.push_back(ring.front().flit());
        input.channel->pop(now, input.vc);
      }
      ++packet.hops;
      routing::RouteQuery query;
      query.router = id_;
      query.source = packet.source;
      query.destination = packet.destination;
      routing::RouteSet candidates;
      ready_ = parts_.lookup.request(now, query, 0, candidates);
      route_ = candidates[0];
      next_ += i + 1;
    }
  }

  const graph::RouterId id_;
  const std::vector<router::RouterPort> ports_;
  const router::RouterParts parts_;
  std::vector<FlitSender> senders_;
  std::vector<Input> inputs_;
  ArrivalBoard board_;
  Waker self_;
  std::deque<Flit> buffer_;
  routing::RouteCandidate route_{};
  Cycle ready_ = 0;
  std::size_t next_ = 0;
  router::RouterCounters counters_;
};

struct OneBufferConfig {
  Cycle departs_after_cycles = 0;

  void add_keys(config::KeyTable& keys) {
    keys.add("router.departs_after_cycles", departs_after_cycles, {0, 1}, "cycles", "time that it states");
  }
  router::RouterKind make(const router::VcRouterConfig& /*config*/) const {
    router::RouterKind kind;
    kind.name = "one-buffer router";
    kind.departs_after_cycles = departs_after_cycles;
    kind.make = [](graph::RouterId id, const std::vector<router::RouterPort>& ports,
                   const router::RouterParts& parts) {
      return make_in<OneBufferRouter>(*parts.arena, id, ports, parts);
    };
    return kind;
  }
};

NetworkConfig of_one_buffer(NetworkConfig config) {
  config.network.router_kinds.add<OneBufferConfig>("one_buffer");
  config.network.router_kind = "one_buffer";
  return config;
}

/// One-way links, so that packets that wait for each other never wait in a circle.
NetworkConfig fly(unsigned stages, Cycle link_latency_cycles = 1) {
  NetworkConfig config;
  config.topology.kind = "fly";
  config.topology.of<graph::FlyConfig>() = {2, stages};
  config.link_latency_cycles = link_latency_cycles;
  config.network.vcs = 1;
  config.network.buffer_flits = 8;
  return of_one_buffer(config);
}

}  // namespace

TEST_CASE("a network of routers of another kind delivers everything, and its accounts hold in every cycle") {
  VcRig rig(fly(3));
  rig.build(load(0.3, 4, 400));
  std::uint64_t inside = 0;
  for (Cycle end = 1; end < 300; ++end) {
    rig.loaded->run_to(end);
    rig.loaded->check_conservation();
    REQUIRE(rig.loaded->packets_under_way() == rig.loaded->packets_born() - rig.loaded->packets_delivered());
    inside += rig.loaded->network().flits_in_flight();
  }
  CHECK(inside > 0);
  const std::string report = wait_report(rig.loaded->network(), rig.loaded->pool(), rig.loaded->now(), 99);
  CHECK(report.find("has not begun") != std::string::npos);
  REQUIRE(rig.run_until_idle(20000));
  CHECK(rig.loaded->packets_born() > 100);
  CHECK(rig.loaded->packets_delivered() == rig.loaded->packets_born());
  CHECK(rig.loaded->network().counters().flits == 4 * 3 * rig.loaded->packets_born());
  for (const observe::DeliveredPacket& packet : rig.delivered) CHECK(packet.hops == 3);
}

TEST_CASE(
    "store and forward in a router of another kind: a stage more costs the packet, the link, route "
    "computation") {
  const unsigned flits = GENERATE(1U, 4U, 8U);
  const Cycle rc_cycles = GENERATE(1, 5), latency = GENERATE(1, 7);
  const auto tail = [&](unsigned stages) {
    return std::stoul(tsuji::test::forked([&] {
      NetworkConfig config = fly(stages, latency);
      config.network.rc_cycles = rc_cycles;
      VcRig rig(config);
      rig.build({VcRig::Send{0, 3, 10, flits}});
      rig.run_until_idle(2000);
      return std::to_string(rig.delivered.at(0).tail_cycle);
    }));
  };
  CHECK(tail(3) - tail(2) == flits + latency + rc_cycles);
}

TEST_CASE(
    "order of modules and windows change nothing for routers of another kind, and windows need their word") {
  struct RunMode {
    ProcessMode processes = ProcessMode::one_for_all;
    std::uint64_t shuffle = 0;
    Cycle departs = 0;
  };
  const auto play = [](const RunMode& mode) {
    NetworkConfig config = fly(3, 9);
    config.process_mode = mode.processes;
    config.shuffle_seed = mode.shuffle;
    config.network.inject_latency_cycles = config.network.eject_latency_cycles = 9;
    config.network.router_kinds.of<OneBufferConfig>().departs_after_cycles = mode.departs;
    VcRig rig(config);
    rig.group_cycles = true;
    rig.build(load(0.3, 3, 500));
    if ((rig.loaded->group_cycles() > 1) != (mode.departs != 0)) return std::string("windows");
    if (!rig.run_until_idle(20000)) return std::string("not idle");
    std::ostringstream out;
    for (const auto& [id, p] : rig.by_packet())
      out << id << ' ' << p.head_cycle << ' ' << p.tail_cycle << '\n';
    return out.str();
  };
  const std::string expected = tsuji::test::forked([&] { return play({}); });
  CHECK(std::count(expected.begin(), expected.end(), '\n') > 100);
  for (const RunMode& mode : {RunMode{ProcessMode::process_each}, RunMode{ProcessMode::one_for_all, 5},
                              RunMode{ProcessMode::one_for_all, 0, 1}})
    CHECK(tsuji::test::forked([&] { return play(mode); }) == expected);
}

TEST_CASE("a router of another kind is chosen by router.kind, a key from the second kind on") {
  NetworkConfig one, two = of_one_buffer({});
  two.network.router_kind = "vc";
  config::KeyTable keys_of_one, keys;
  add_network_keys(keys_of_one, one);
  CHECK_FALSE(keys_of_one.has_key("router.kind"));
  add_network_keys(keys, two);
  CHECK(keys.json()["router"]["kind"] == "vc");
  const std::string departs = "router.departs_after_cycles=1";
  keys.set_from_command_line(departs);
  CHECK_THROWS_WITH(keys.refuse_idle(), Catch::Contains("accepted: router.kind one_buffer, or"));
  CHECK(two.network.make_router_kind().name == std::string("virtual-channel router"));
  keys.set_from_command_line("router.kind=one_buffer");
  CHECK_NOTHROW(keys.refuse_idle());
  CHECK_NOTHROW(two.validate());
  CHECK(two.network.make_router_kind().name == std::string("one-buffer router"));
  CHECK(two.network.make_router_kind().departs_after_cycles == 1);
  two.network.router_kind = "none";
  CHECK_THROWS_WITH(two.validate(), Catch::Contains("router.kind: unknown router") &&
                                        Catch::Contains("one of vc, one_buffer"));
}

TEST_CASE(
    "a router of another kind has no use for keys of the virtual-channel router that it does not read") {
  struct SlowKind {
    router::RouterKind make(const router::VcRouterConfig&) const { return {}; }
  };
  const auto refused = [](const std::string& yaml) {
    NetworkConfig config = of_one_buffer({});
    config.network.router_kinds.add<SlowKind>("slow", {{"router.sa_cycles", "prediction.kind"}});
    config::KeyTable keys;
    add_network_keys(keys, config);
    config::read_yaml_text(keys, yaml, "own.yaml");
    return tsuji::test::text_of<ConfigError>([&] { keys.refuse_idle(); }, "");
  };
  for (const char* key : {"switching: wormhole", "atomic_vcs: true", "va_cycles: 2", "va_allocator: matrix",
                          "islip_iterations: 2", "block_timeout_cycles: 5"})
    CHECK_THAT(refused(std::string("router:\n  kind: one_buffer\n  ") + key),
               Catch::StartsWith("own.yaml:3:") &&
                   Catch::Contains("has no effect with router.kind one_buffer") &&
                   Catch::Contains("accepted: router.kind vc, or"));
  CHECK_THAT(refused("router:\n  sa_cycles: 2"), Catch::Contains("accepted: router.kind vc, slow, or"));
  CHECK(refused("router:\n  kind: slow\n  sa_cycles: 2\nprediction:\n  kind: latest_port").empty());
  CHECK(refused("router:\n  vcs: 2\n  buffer_flits: 9\n  rc_cycles: 2").empty());
}

TEST_CASE("what routers of a kind cannot do is refused where it is asked for") {
  const auto built = [](const NetworkConfig& config, const routing::Routing* routing = nullptr) {
    auto rig = std::make_unique<VcRig>(config);
    rig->build(std::vector<VcRig::Send>{{0, 3, 10, 2}}, routing);
    return rig;
  };
  NetworkConfig config = fly(2);
  SECTION("links that fail") {
    config.link_faults = "0@20";
    CHECK_THROWS_WITH(built(config), Catch::Contains("link.faults") &&
                                         Catch::Contains("a one-buffer router cannot purge packets"));
  }
  SECTION("routings that may leave a head without a route") {
    const VcRig own(config);
    ScriptedRouting promiseless(*own.routing);
    promiseless.promised = {};
    CHECK_THROWS_WITH(
        built(config, &promiseless),
        Catch::Contains("routing.kind") && Catch::Contains("a one-buffer router cannot purge its packet"));
  }
  SECTION("routings that decide by credits") {
    ScriptedRouting reader(1);
    const tsuji::test::ScriptedDecisions decisions(nullptr);
    reader.promised.always_leads_on = true;
    reader.decider = &decisions;
    CHECK_THROWS_WITH(built(config, &reader),
                      Catch::Contains("it decides by credits, which a one-buffer router cannot show"));
  }
  SECTION("routes that change") {
    config.lookup.kind = "cached";
    const auto rig = built(config);
    CHECK_THROWS_WITH(rig->loaded->change_route(0, 3, {}),
                      Catch::Contains("a one-buffer router cannot route heads again"));
  }
  SECTION("stages, purges and questions asked anew") {
    struct Onlooker final : router::RouterProbe {
      void on_stage(graph::RouterId, unsigned, unsigned, PacketIndex, router::HeadStage, Cycle) override {}
    } onlooker;
    const auto rig = built(config);
    CHECK_THROWS_WITH(rig->loaded->network().module(0).set_probe(&onlooker),
                      Catch::Contains("a one-buffer router does not tell the stages of heads"));
    rig->loaded->run_to(5);
    network::VcNetwork& network = rig->loaded->network();
    const std::string who = "router 1, cycle 5: routers of this kind cannot ";
    CHECK_THROWS_WITH(network.purging(1, 5), Catch::Contains(who + "purge packets"));
    CHECK_THROWS_WITH(network.rerouting(1, 5), Catch::Contains(who + "route heads again"));
    CHECK(network.router(1).suspending() == nullptr);
    CHECK(network.router(1).recovering() == nullptr);
    CHECK(network.router(1).predicting() == nullptr);
  }
}
