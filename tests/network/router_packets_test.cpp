// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/router_packets.h"

#include <algorithm>
#include <deque>
#include <set>
#include <sstream>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/instruments/packet_ledger.h"

// Packets that are created and consumed at routers: a router kind that sends notices to its neighbours, and
// control ports of virtual-channel routers.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;
using tsuji::test::ScriptedRouting;

namespace {

constexpr Cycle last_birth = 150;

/// Planted errors of one router's accounts.
enum class Wrong { nothing, flits_not_counted, for_another, ends_twice, never_ends, never_born };

/// Router that sends packets to its neighbours at random cycles, and consumes theirs. Knows no routes.
class TellingRouter final : public router::FlitRouter {
 public:
  TellingRouter(graph::RouterId id, const std::vector<router::RouterPort>& ports,
                const router::RouterParts& parts, const graph::Topology& topology, Wrong wrong)
      : id_(id), ports_(ports), parts_(parts), topology_(topology), wrong_(wrong), outs_(ports.size()) {}

  void bind(const Waker& self) override {
    self_ = self;
    calendar_ = ArrivalCalendar(*parts_.arena, 64, 32, true);
    unsigned line = 0;
    for (std::size_t p = 0; p < ports_.size(); ++p) {
      if (ports_[p].out != nullptr) ports_[p].out->bind_sender(self, calendar_, 1, outs_[p].sender);
      if (ports_[p].in == nullptr) continue;
      ports_[p].in->bind_receiver(self, calendar_, line, 0, *parts_.arena);
      line += ports_[p].in->vcs();
    }
    self_.wake_at(1);
  }
  void step(Cycle now) override {
    calendar_.take(0, now);
    calendar_.busy(0) = 0;
    for (unsigned p = 0; p < ports(); ++p) {
      if (topology_.far(id_, p).kind != graph::Topology::Far::Kind::router) continue;
      take(p, now);
      if (now <= last_birth && CounterRandom(3, id_ * 64U + p).bits(now) % 12 == 0) tell(p, now);
      send(p, now);
    }
    if (now < last_birth ||
        std::any_of(outs_.begin(), outs_.end(), [](const Out& o) { return !o.flits.empty(); }))
      self_.wake_at(now + 1);
  }

  graph::RouterId id() const override { return id_; }
  unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
  const router::RouterPort& port(unsigned p) const override { return ports_[p]; }
  router::RouterCounters counters() const override { return counters_; }
  Cycle last_event(Cycle) const override { return 0; }
  void visit_inside(const std::function<void(PacketIndex)>& visit) const override {
    for (const Out& out : outs_)
      for (const Flit& flit : out.flits) visit(flit.packet);
  }

 private:
  struct Out {
    FlitSender sender;
    std::deque<Flit> flits;
    Cycle head = 0;  ///< head cycle of the packet that arrives by this port
  };

  PacketIndex make(graph::RouterId to, unsigned flits, Cycle now) {
    if (wrong_ != Wrong::never_born) return parts_.packets->begin(id_, to, flits, now);
    PacketRef packet = parts_.pool.make_bare();
    packet.edit().id = packet_id(End::of_router(id_), 77);
    packet.edit().source = End::of_router(id_);
    packet.edit().destination = End::of_router(to);
    packet.edit().flits = static_cast<std::uint16_t>(flits);
    return packet.detach();
  }
  void tell(unsigned p, Cycle now) {
    const graph::RouterId to = topology_.far(id_, p).at.router;
    const auto flits = static_cast<unsigned>(1 + CounterRandom(4, id_).bits(now) % 5);
    const PacketIndex packet = make(wrong_ == Wrong::for_another ? id_ : to, flits, now);
    if (wrong_ != Wrong::flits_not_counted) counters_.flits_born += flits;
    for (unsigned f = 0; f < flits; ++f) {
      Flit flit;
      flit.packet = packet;
      flit.sequence = static_cast<std::uint16_t>(f);
      flit.flags = static_cast<std::uint8_t>(Flit::is_flit | (f == 0 ? Flit::head : 0) |
                                             (f + 1 == flits ? Flit::tail : 0));
      outs_[p].flits.push_back(flit);
    }
  }
  void send(unsigned p, Cycle now) {
    Out& out = outs_[p];
    if (out.flits.empty() || ports_[p].out->ring(0).credit_at() > now) return;
    ports_[p].out->send(now, 0, out.flits.front());
    out.flits.pop_front();
    ++counters_.flits;
  }
  void take(unsigned p, Cycle now) {
    const FlitSlot& front = ports_[p].in->ring(0).front();
    if (!front.holds_flit() || front.cycle() > now) return;
    const Flit flit = front.flit();
    ports_[p].in->pop(now, 0);
    ++counters_.flits_ended;
    if (flit.is_head()) outs_[p].head = now;
    if (!flit.is_tail() || wrong_ == Wrong::never_ends) return;
    parts_.packets->end(id_, flit.packet, outs_[p].head, now);
    if (wrong_ == Wrong::ends_twice) parts_.packets->end(id_, flit.packet, outs_[p].head, now);
  }

  const graph::RouterId id_;
  const std::vector<router::RouterPort> ports_;
  const router::RouterParts parts_;
  const graph::Topology& topology_;
  const Wrong wrong_;
  std::vector<Out> outs_;
  ArrivalCalendar calendar_;
  Waker self_;
  router::RouterCounters counters_;
};

std::unique_ptr<VcRig> telling(Wrong wrong, ProcessMode processes = ProcessMode::one_for_all,
                               std::uint64_t shuffle = 0) {
  NetworkConfig config = torus(4);
  config.link_latency_cycles = 3;
  config.process_mode = processes;
  config.shuffle_seed = shuffle;
  auto rig = std::make_unique<VcRig>(config);
  rig->parts->custom.router_kind.name = "telling router";
  const graph::Topology& topology = rig->plan.topology;
  rig->parts->custom.router_kind.make = [&topology, wrong](graph::RouterId id,
                                                           const std::vector<router::RouterPort>& ports,
                                                           const router::RouterParts& parts) {
    return make_in<TellingRouter>(*parts.arena, id, ports, parts, topology, id == 5 ? wrong : Wrong::nothing);
  };
  rig->build([](NodeId) { return nullptr; });
  return rig;
}

std::string packets_of(const VcRig& rig) {
  std::ostringstream out;
  for (const auto& [id, p] : rig.by_packet())
    out << packet_name(id) << ' ' << p.destination.name() << ' ' << p.created << ' ' << p.head_cycle << ' '
        << p.tail_cycle << ' ' << p.flits << '\n';
  return out.str();
}

}  // namespace

TEST_CASE("packets created and consumed by routers: conservation and fates hold in every cycle") {
  const auto rig = telling(Wrong::nothing);
  LoadedNetwork& loaded = *rig->loaded;
  std::uint64_t most = 0;
  for (Cycle end = 1; end < 400; ++end) {
    loaded.run_to(end);
    loaded.check_conservation();
    const observe::PacketFates fates = loaded.accounts().fates();
    REQUIRE(fates.born == 0);
    REQUIRE(fates.delivered == 0);
    REQUIRE(fates.born_at_routers == fates.ended_at_routers + fates.under_way);
    most = std::max(most, fates.under_way);
  }
  CHECK(most > 20);
  CHECK(rig->run_until_idle(30000));
  CHECK(loaded.accounts().packets_born_at_routers() > 500);
  CHECK(loaded.accounts().packets_ended_at_routers() == loaded.accounts().packets_born_at_routers());
  CHECK(rig->delivered.size() == loaded.accounts().packets_born_at_routers());
  CHECK(loaded.pool().in_use() == 0);
  for (const observe::DeliveredPacket& packet : rig->delivered) {
    CHECK(packet.source.is_router());
    CHECK(packet.head_cycle >= packet.created + 1 + 3);
    CHECK(packet.tail_cycle >= packet.head_cycle + packet.flits - 1);
    const graph::RouterId from = packet.source.router(), to = packet.destination.router();
    bool neighbours = false;
    for (unsigned p = 0; p < rig->plan.topology.ports(from); ++p)
      neighbours |= rig->plan.topology.far(from, p).at.router == to;
    CHECK(neighbours);
  }
  observe::Results results("test", "", 1);
  CHECK_NOTHROW(loaded.accounts().fates().add_to(results, "network"));
}

TEST_CASE("packets created by routers are the same in any order of modules") {
  const auto play = [](ProcessMode processes, std::uint64_t shuffle) {
    return tsuji::test::forked([&] {
      const auto rig = telling(Wrong::nothing, processes, shuffle);
      rig->loaded->run_to(600);
      return packets_of(*rig);
    });
  };
  const std::string expected = play(ProcessMode::one_for_all, 0);
  CHECK(std::count(expected.begin(), expected.end(), '\n') > 500);
  CHECK(play(ProcessMode::process_each, 0) == expected);
  CHECK(play(ProcessMode::one_for_all, 7) == expected);
}

TEST_CASE("wrong accounts of a router's packets stop the run, each with its own error") {
  const auto said = [](Wrong wrong) {
    return tsuji::test::forked([&] {
      const auto rig = telling(wrong);
      rig->loaded->run_to(300);
      rig->loaded->check_conservation();
      observe::Results results("test", "", 1);
      rig->loaded->accounts().fates().add_to(results, "network");
      return std::string("nothing");
    });
  };
  using Catch::Contains;
  CHECK_THAT(said(Wrong::nothing), Contains("nothing"));
  CHECK_THAT(said(Wrong::flits_not_counted), Contains("packets of routers") && Contains("flits born"));
  CHECK_THAT(said(Wrong::for_another), Contains("packet r5.") && Contains("ends here and is for r5"));
  CHECK_THAT(said(Wrong::ends_twice), Contains("twice, or was never injected"));
  CHECK_THAT(said(Wrong::never_ends), Contains("network") && Contains("packets were born"));
  CHECK_THAT(said(Wrong::never_born), Contains("packet r5.77") && Contains("twice, or was never injected"));
}

namespace {

/// A routing of nodes that also sends control packets to a neighbour, and there to the control port.
ScriptedRouting with_control(const VcRig& rig) {
  const routing::Routing& nodes = *rig.plan.routing;
  const routing::VcMask all = routing::vc_range(0, rig.config.network.vcs);
  ScriptedRouting routing(all, [&nodes, &topology = rig.plan.topology, all](const routing::RouteQuery& query,
                                                                            routing::RouteSet& candidates) {
    if (!query.destination.is_router()) return nodes.route(query, candidates);
    const graph::RouterId to = query.destination.router();
    if (to == query.router) return candidates.add(topology.ports(to), all);
    for (unsigned p = 0; p < topology.ports(query.router); ++p) {
      const graph::Topology::Far& far = topology.far(query.router, p);
      if (far.kind == graph::Topology::Far::Kind::router && far.at.router == to)
        return candidates.add(p, all);
    }
  });
  routing.injection = [&nodes, all](End source, End destination) {
    return source.is_router() ? all : nodes.injection_vcs(source, destination);
  };
  routing.needed = nodes.vcs_needed();
  routing.promised.always_leads_on = nodes.promises().always_leads_on;
  return routing;
}

/// A mesh under load whose routers send their neighbours a notice every ten cycles.
struct Controlled {
  explicit Controlled(const NetworkConfig& config) : rig(config), routing(with_control(rig)) {
    rig.route_by(routing);
    rig.parts->make_control = [this](graph::RouterId id) -> std::unique_ptr<traffic::EmissionSource> {
      if (id == 7) return nullptr;
      std::vector<traffic::Emission> list;
      for (Cycle created = 10 + id; created < 400; created += 10) {
        const auto p = static_cast<unsigned>(created / 10 % rig.plan.topology.ports(id));
        const graph::Topology::Far& far = rig.plan.topology.far(id, p);
        if (far.kind != graph::Topology::Far::Kind::router || far.at.router == 7) continue;
        traffic::Emission emission;
        emission.created = created;
        emission.destination = End::of_router(far.at.router);
        emission.packet_class = PacketClass::control;
        emission.flits = static_cast<std::uint16_t>(1 + created / 10 % 3);
        emission.payload_bytes = 0;
        list.push_back(emission);
        ++sent;
      }
      return std::make_unique<traffic::ListedEmissions>(std::move(list));
    };
    const TrafficSources sources(load(0.3, 4, 400), TrafficNodes::of(rig.plan.topology), 1);
    rig.build([&sources](NodeId node) { return sources.source(node); });
  }
  VcRig rig;
  ScriptedRouting routing;
  std::uint64_t sent = 0;
};

NetworkConfig mesh() {
  NetworkConfig config = torus(4);
  config.topology.kind = "mesh";
  config.link_latency_cycles = 2;
  return config;
}

}  // namespace

TEST_CASE("control packets between virtual-channel routers contend with others, and every account holds") {
  Controlled net(mesh());
  LoadedNetwork& loaded = *net.rig.loaded;
  PacketLedger ledger(loaded.network(), loaded.pool());
  for (Cycle end = 1; end < 500; ++end) {
    loaded.run_to(end);
    loaded.check_conservation();
    const observe::PacketFates fates = loaded.accounts().fates();
    REQUIRE(fates.born + fates.born_at_routers == fates.delivered + fates.ended_at_routers + fates.under_way);
  }
  REQUIRE(net.rig.run_until_idle(30000));
  CHECK(net.sent > 200);
  CHECK(loaded.accounts().packets_born_at_routers() == net.sent);
  CHECK(loaded.accounts().packets_ended_at_routers() == net.sent);
  CHECK(loaded.accounts().packets_born() > 200);
  CHECK(loaded.accounts().packets_delivered() == loaded.accounts().packets_born());
  CHECK(loaded.pool().in_use() == 0);
  std::uint64_t control = 0;
  for (const observe::DeliveredPacket& packet : net.rig.delivered) {
    Cycle sum = 0;
    for (const Cycle part : ledger.take(packet)) sum += part;
    CHECK(sum == packet.tail_cycle - packet.created);
    if (!packet.destination.is_router()) continue;
    ++control;
    CHECK(packet.hops == 2);
  }
  CHECK(control == net.sent);
}

TEST_CASE("a control port queries the routing that its router currently uses, as the router's nodes do") {
  Controlled net(mesh());
  LoadedNetwork& loaded = *net.rig.loaded;
  std::set<End> asked;
  ScriptedRouting next = with_control(net.rig);
  next.injection = [&asked, inject = next.injection](End source, End destination) {
    asked.insert(source);
    return inject(source, destination);
  };
  loaded.run_to(200);
  loaded.changes().exchange_routing(5, {&next, 1});
  REQUIRE(net.rig.run_until_idle(30000));
  CHECK(asked == std::set<End>{5, End::of_router(5)});
  CHECK(loaded.accounts().packets_ended_at_routers() == net.sent);
}

TEST_CASE("control packets that failing links drop are dropped packets, with their accounts") {
  NetworkConfig config = mesh();
  config.link_faults = "3@60:90,8@120,11@200:300";
  Controlled net(config);
  LoadedNetwork& loaded = *net.rig.loaded;
  std::uint64_t control = 0;
  loaded.supervisor().tell_of_drops([&control](const Packet& packet, NetworkDropCause,
                                               const VcNetwork::InputPlace&,
                                               Cycle) { control += packet.source.is_router() ? 1 : 0; });
  for (Cycle end = 1; end < 700; ++end) {
    loaded.run_to(end);
    loaded.check_conservation();
  }
  CHECK(net.rig.run_until_idle(30000));
  CHECK(control > 3);
  CHECK(loaded.accounts().packets_born_at_routers() ==
        loaded.accounts().packets_ended_at_routers() + control);
  CHECK(loaded.pool().in_use() == 0);
}

TEST_CASE("control packets are the same in any order of modules and with windows") {
  const auto play = [](ProcessMode processes, std::uint64_t shuffle) {
    return tsuji::test::forked([&] {
      NetworkConfig config = mesh();
      config.process_mode = processes;
      config.shuffle_seed = shuffle;
      Controlled net(config);
      net.rig.loaded->run_to(900);
      return packets_of(net.rig);
    });
  };
  const std::string expected = play(ProcessMode::one_for_all, 0);
  CHECK(std::count(expected.begin(), expected.end(), '\n') > 400);
  CHECK(play(ProcessMode::process_each, 0) == expected);
  CHECK(play(ProcessMode::one_for_all, 7) == expected);
}
