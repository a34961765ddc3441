// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/pick.h"
#include "support/purge_router.h"
#include "tsuji/core/random.h"

// A purge follows the outputs that a packet holds, and must equal a walk over all routers. Random networks
// drop packets wherever a flit of them is; both purges run, and their states are compared after every cycle.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::test::pick;

namespace {

/// The purges of a run, as counted in the routers.
struct Seen {
  std::uint64_t purges = 0, parts = 0;
  std::uint64_t behind = 0;          ///< parts queued entirely after other packets
  std::uint64_t held = 0;            ///< heads that have an output and have not left
  std::uint64_t longest = 0;         ///< routers that one packet spans
  std::uint64_t at_source = 0;       ///< packets whose last flit has not left the source
  std::uint64_t at_destination = 0;  ///< packets whose first flit has left for the node
  std::uint64_t on_wires = 0;        ///< flits that are killed before they arrive
  std::uint64_t together = 0;        ///< purges in a half cycle that had another one

  std::array<std::uint64_t*, 9> all() {
    return {&purges, &parts, &behind, &held, &longest, &at_source, &at_destination, &on_wires, &together};
  }
};

/// Parts that the routers of one network share.
struct Company {
  NetworkSupervisor* supervisor = nullptr;
  bool slow = false;
  double troubles = 0;  ///< drops a router and cycle
  std::uint64_t seed = 0;
  std::vector<router::FlitRouter*> routers;
  Seen seen;
  std::uint64_t parts_now = 0;  ///< of the packet that is being purged
};

/// A virtual-channel router that drops random packets, at the front of a buffer or after other packets. A
/// slow router purges by a walk over all routers.
class TroubledRouter final : public router::FlitRouter,
                             public router::PurgingRouter,
                             public router::ReroutingRouter {
 public:
  TroubledRouter(ArenaPtr<router::FlitRouter> inner, Company& company)
      : inner_(std::move(inner)), company_(company) {
    company.routers.push_back(inner_.get());
  }
  router::PurgingRouter* purging() override { return this; }
  router::ReroutingRouter* rerouting() override { return this; }
  void bind(const Waker& self) override { inner_->bind(self); }
  void step(Cycle now) override {
    inner_->step(now);
    CounterRandom random(company_.seed + now, id());
    if (random.unit() >= company_.troubles) return;
    const auto p = static_cast<unsigned>(random.below(ports()));
    if (port(p).in == nullptr) return;
    const auto vc = static_cast<unsigned>(random.below(vcs(p)));
    const FlitRing& ring = port(p).in->ring(vc);
    const FlitSlot& slot = ring.behind_front(static_cast<unsigned>(random.below(ring.depth())));
    if (slot.holds_flit() && !slot.killed() && slot.cycle() <= now)
      company_.supervisor->purge(slot.packet(), {{id(), p}, vc}, NetworkDropCause::no_route, now);
    const router::VcView view = inner_->view(p, vc);  // may have no flit left here
    if (view.state != router::VcState::idle && random.below(2) == 0)
      company_.supervisor->purge(view.packet, {{id(), p}, vc}, NetworkDropCause::no_route, now);
  }
  void approach(Cycle now, unsigned stage) const override { inner_->approach(now, stage); }
  router::PurgedPart purge(PacketIndex packet, unsigned port, unsigned vc, Cycle now) override {
    if (company_.slow) {
      for (router::FlitRouter* const router : company_.routers)
        tsuji::test::purge_router(*router, packet, now);
      return {};
    }
    const router::VcView view = inner_->view(port, vc);
    inner_->port(port).in->visit_on_wires(now, [&](PacketIndex one, unsigned on) {
      company_.seen.on_wires += one == packet && on == vc ? 1 : 0;
    });
    const bool in_front = view.state != router::VcState::idle && view.packet == packet;
    const router::PurgedPart part = inner_->purging()->purge(packet, port, vc, now);
    if (part.found) ++company_.parts_now;
    if (part.found && !in_front) ++company_.seen.behind;
    if (part.leads_on && inner_->port(part.out_port).to_node) ++company_.seen.at_destination;
    if (in_front && view.state == router::VcState::active && !part.leads_on) ++company_.seen.held;
    return part;
  }
  graph::RouterId id() const override { return inner_->id(); }
  unsigned ports() const override { return inner_->ports(); }
  const router::RouterPort& port(unsigned p) const override { return inner_->port(p); }
  router::RouterCounters counters() const override { return inner_->counters(); }
  Cycle last_event(Cycle now) const override { return inner_->last_event(now); }
  router::VcView view(unsigned p, unsigned vc) const override { return inner_->view(p, vc); }
  std::vector<routing::RouteCandidate> candidates(unsigned p, unsigned vc) const override {
    return inner_->candidates(p, vc);
  }
  void visit_holders(unsigned p,
                     const std::function<void(const router::OutputHolder&)>& visit) const override {
    inner_->purging()->visit_holders(p, visit);
  }
  void route_again(unsigned p, unsigned vc, Cycle now) override {
    inner_->rerouting()->route_again(p, vc, now);
  }
  void route_all_again(Cycle now) override { inner_->rerouting()->route_all_again(now); }
  void exchange_routing(const routing::RoutingView& view, Cycle now) override {
    inner_->rerouting()->exchange_routing(view, now);
  }
  std::uint32_t routing_generation() const override { return inner_->rerouting()->routing_generation(); }

 private:
  const ArenaPtr<router::FlitRouter> inner_;
  Company& company_;
};

/// Drops blocked heads, too.
class DropsBlocked final : public router::RouterEvents {
 public:
  DropsBlocked(router::RouterEvents& behind, Company& company) : behind_(behind), company_(company) {}
  void on_blocked(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                  Cycle now) override {
    company_.supervisor->purge(packet, {{router, port}, vc}, NetworkDropCause::no_route, now);
  }
  void on_no_route(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                   Cycle now) override {
    behind_.on_no_route(router, port, vc, packet, now);
  }

 private:
  router::RouterEvents& behind_;
  Company& company_;
};

struct Case {
  NetworkConfig network;
  TrafficConfig traffic;
  double troubles = 0;
};

Case draw(std::uint64_t seed) {
  CounterRandom random(seed, 5);
  const auto below = [&random](unsigned bound) { return static_cast<unsigned>(random.below(bound)); };
  Case drawn;
  NetworkConfig& config = drawn.network;
  const RoutedFabric fabric = pick<RoutedFabric>(random, {{"mesh", "dimension_order", 1},
                                                          {"torus", "dimension_order", 2},
                                                          {"torus", "duato", 3},
                                                          {"mesh", "negative_first", 1},
                                                          {"fly", "destination_digits", 1},  // one-way links
                                                          {"random_regular", "source_table", 4}});
  config = network_on(fabric);
  config.topology.of<graph::CubeConfig>().radices = {3 + below(3), 3 + below(3)};
  config.topology.of<graph::FlyConfig>().stages = 3;
  config.topology.of<graph::RandomGraphConfig>().nodes = 16;
  config.network.vcs = fabric.vcs + below(3);
  config.link_latency_cycles = 1 + below(6);
  config.network.flit_cycles = below(4) == 0 ? 2 : 1;
  router::VcRouterConfig& router = config.network.router;
  using router::Switching;
  router.switching = pick(random, {Switching::wormhole, Switching::wormhole, Switching::virtual_cut_through,
                                   Switching::store_and_forward});
  const bool wormhole = router.switching == Switching::wormhole;
  const unsigned longest = wormhole ? 24 : 7;
  config.network.buffer_flits = wormhole ? 1 + below(5) : longest + below(6);
  router.atomic_vcs = std::string(fabric.routing) == "duato" || below(5) == 0;
  if (std::string(fabric.routing) == "source_table" && below(2) == 0) {
    config.lookup.kind = "cached";  // answers come later
    router.route_at = router::RouteAt::front;
  } else if (below(3) == 0) {
    router.route_at = router::RouteAt::arrival;
  }
  router.sa_cycles = 1 + below(2);
  router.dead_route = below(2) == 0 ? router::DeadRoute::wait : router::DeadRoute::drop;
  if (below(2) == 0) router.block_timeout_cycles = 30 + below(60);
  if (below(2) == 0) config.link_faults = "1@40:90,5@40:200,2@60,9@61:140,1@130:170";
  config.watchdog_cycles = 10'000;
  drawn.troubles = pick(random, {0.0, 0.001, 0.01, 0.05});
  drawn.traffic = load(pick(random, {0.1, 0.4, 0.9}), 1, 260);
  drawn.traffic.lengths.of<workload::LengthRange>().largest_packet_flits = longest;
  drawn.traffic.length = "range";
  return drawn;
}

class Digest {
 public:
  template <class... T>
  void add(const T&... values) {
    (add_one(static_cast<std::uint64_t>(values)), ...);
  }
  std::uint64_t value() const { return sum_; }

 private:
  void add_one(std::uint64_t value) {
    sum_ = (sum_ ^ value) * 0x9e3779b97f4a7c15U;
    sum_ ^= sum_ >> 29;
  }
  std::uint64_t sum_ = 1;
};

/// Hash of the state of the whole network.
std::uint64_t state_of(VcRig& rig) {
  Digest digest;
  VcNetwork& network = rig.loaded->network();
  for (const VcNetwork::ChannelPlace& place : network.channels()) {
    digest.add(place.channel->flits_sent());
    for (unsigned vc = 0; vc < place.channel->vcs(); ++vc) {
      const FlitRing& ring = place.channel->ring(vc);
      for (unsigned s = 0; s < ring.depth(); ++s) {
        const FlitSlot& slot = ring.behind_front(s);
        digest.add(slot.cycle(), slot.identity(), slot.sequence());
      }
    }
  }
  for (graph::RouterId id = 0; id < network.routers(); ++id) {
    const router::FlitRouter& router = network.router(id);
    const router::RouterCounters counters = router.counters();
    digest.add(counters.flits, counters.killed_flits, counters.timeouts,
               router.last_event(rig.loaded->now()));
    for (unsigned p = 0; p < router.ports(); ++p) {
      for (unsigned vc = 0; vc < router.vcs(p); ++vc) {
        const router::VcView view = router.view(p, vc);
        digest.add(view.state, view.has_flit, view.blocked_since);
        if (view.state != router::VcState::idle) digest.add(view.packet, view.out_port, view.out_vc);
      }
    }
  }
  for (NodeId node = 0; node < rig.plan.topology.nodes(); ++node) {
    const traffic::FlitNodeState& state = rig.loaded->node(node).state();
    digest.add(state.packets_queued(), state.packet_being_sent(), state.packets_sent(), state.flits_ejected(),
               state.flits_killed());
  }
  digest.add(rig.loaded->supervisor().packets_dropped(), rig.delivered.size(), rig.loaded->pool().in_use());
  return digest.value();
}

/// Returns a line for each cycle, followed by the purges of the run.
std::string play(std::uint64_t seed, bool slow) {
  const Case drawn = draw(seed);
  VcRig rig(drawn.network);
  Company company;
  company.slow = slow;
  company.troubles = drawn.troubles;
  company.seed = seed;
  std::unique_ptr<DropsBlocked> events;
  const router::RouterKind own = rig.config.network.make_router_kind();
  rig.parts->custom.router_kind = own;
  rig.parts->custom.router_kind.make = [&](graph::RouterId id, const std::vector<router::RouterPort>& ports,
                                           const router::RouterParts& parts) -> ArenaPtr<router::FlitRouter> {
    if (!events) events = std::make_unique<DropsBlocked>(*parts.events, company);
    router::RouterParts others = parts;
    others.events = events.get();
    return make_in<TroubledRouter>(*parts.arena, own.make(id, ports, others), company);
  };
  rig.build(drawn.traffic, seed);
  rig.loaded->supervisor().expect_heads_without_route();
  company.supervisor = &rig.loaded->supervisor();
  Cycle last_purge = never;
  Seen& seen = company.seen;
  company.supervisor->tell_of_drops(
      [&](const Packet& packet, NetworkDropCause, const VcNetwork::InputPlace&, Cycle now) {
        const auto& source = rig.loaded->node(packet.source.node()).state();
        seen.at_source += source.packet_being_sent() != traffic::no_packet &&
                                  rig.loaded->pool().at(source.packet_being_sent()).id == packet.id
                              ? 1
                              : 0;
        seen.longest = std::max(seen.longest, company.parts_now);
        seen.parts += std::exchange(company.parts_now, 0);
        seen.together += last_purge == now ? 1 : 0;
        ++seen.purges;
        last_purge = now;
      });
  std::ostringstream out;
  for (Cycle end = 1; end < 420; ++end) {
    rig.loaded->run_to(end);
    out << state_of(rig) << '\n';
    if (end % 16 == 0) rig.loaded->check_conservation();
  }
  for (const std::uint64_t* const count : seen.all()) out << *count << ' ';
  return out.str();
}

/// Compares both purges, and adds the counts of each case to `sum`.
void compare(std::uint64_t first, std::uint64_t last, Seen& sum) {
  for (std::uint64_t seed = first; seed < last; ++seed) {
    CAPTURE(seed);
    std::string fast = tsuji::test::forked([&] { return play(seed, false); });
    std::string slow = tsuji::test::forked([&] { return play(seed, true); });
    REQUIRE(std::count(fast.begin(), fast.end(), '\n') == 419);
    const auto cut = fast.rfind('\n');
    std::istringstream counts(fast.substr(cut));
    for (std::uint64_t* const count : sum.all()) {
      std::uint64_t one = 0;
      counts >> one;
      *count = count == &sum.longest ? std::max(*count, one) : *count + one;
    }
    fast.resize(cut);
    slow.resize(slow.rfind('\n'));
    const auto differ = std::mismatch(fast.begin(), fast.end(), slow.begin(), slow.end()).first;
    const auto cycle = 1 + std::count(fast.begin(), differ, '\n');
    CAPTURE(cycle);
    CHECK(differ == fast.end());
    CHECK(fast.size() == slow.size());
  }
}

}  // namespace

TEST_CASE("a purge along the outputs that a packet holds equals a walk over all routers") {
  Seen seen;
  compare(1, 61, seen);
  CAPTURE(seen.purges, seen.parts, seen.behind, seen.held, seen.longest, seen.at_source, seen.at_destination,
          seen.on_wires, seen.together);
  CHECK(seen.purges > 1000);
  CHECK(seen.behind > 100);
  CHECK(seen.held > 50);
  CHECK(seen.longest > 4);
  CHECK(seen.at_source > 100);
  CHECK(seen.at_destination > 50);
  CHECK(seen.on_wires > 500);
  CHECK(seen.together > 100);
}

TEST_CASE("a packet that is purged for two causes ends once, for the first of them") {
  VcRig rig(torus(4));
  rig.build({VcRig::Send{0, 2, 10, 60}});
  rig.loaded->supervisor().expect_heads_without_route();
  rig.loaded->run_to(40);
  const graph::PortRef port = rig.plan.topology.node(0).inject;
  const router::FlitRouter& router = rig.loaded->network().router(port.router);
  unsigned vc = 0;
  while (vc < router.vcs(port.port) && router.view(port.port, vc).state == router::VcState::idle) ++vc;
  REQUIRE(vc < router.vcs(port.port));
  const PacketIndex packet = router.view(port.port, vc).packet;
  NetworkSupervisor& supervisor = rig.loaded->supervisor();
  supervisor.purge(packet, {port, vc}, NetworkDropCause::link_down, 40);
  supervisor.purge(packet, {port, vc}, NetworkDropCause::no_route, 40);
  CHECK(rig.run_until_idle(30000));
  CHECK(supervisor.dropped(NetworkDropCause::link_down) == 1);
  CHECK(supervisor.packets_dropped() == 1);
  CHECK(rig.delivered.empty());
  CHECK(rig.loaded->pool().in_use() == 0);
  rig.loaded->check_conservation();
}

TEST_CASE("links of a campaign die and return under any routing as those of link.faults do") {
  NetworkConfig drawn;
  drawn.topology.of<graph::CubeConfig>().radices = {4, 4};
  drawn.dead.campaign.deaths = 6;
  drawn.dead.campaign.link_mean_cycles = 20'000;
  drawn.dead.campaign.repair_cycles = 300;
  VcRig campaign(drawn);
  std::map<std::uint32_t, Cycle> died;
  NetworkConfig listed = drawn;
  listed.dead = {};
  const faults::FaultSchedule schedule = drawn.fault_schedule(campaign.plan.topology);
  for (const faults::FaultEvent& event : schedule.events()) {
    if (!event.returns) {
      died[event.number] = event.cycle;
      continue;
    }
    if (!listed.link_faults.empty()) listed.link_faults += ',';
    listed.link_faults += std::to_string(event.number) + '@' + std::to_string(died.at(event.number)) + ':' +
                          std::to_string(event.cycle);
    died.erase(event.number);
  }
  REQUIRE(died.empty());
  VcRig list(listed);
  for (VcRig* const rig : {&campaign, &list}) rig->build(load(0.3, 4, 6000));
  for (VcRig* const rig : {&campaign, &list}) {
    CHECK(rig->run_until_idle(40'000));
    rig->loaded->check_conservation();
  }
  CHECK(campaign.loaded->supervisor().packets_dropped() > 0);
  CHECK(campaign.loaded->accounts().fates().dropped == list.loaded->accounts().fates().dropped);
  const auto first = campaign.by_packet(), second = list.by_packet();
  REQUIRE(first.size() == second.size());
  for (const auto& [id, packet] : first) CHECK(packet.tail_cycle == second.at(id).tail_cycle);
}
