// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "instruments/levels.h"
#include "network/drawn_network.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/pick.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/instruments/packet_ledger.h"
#include "tsuji/instruments/port_waits.h"
#include "tsuji/instruments/vc_network_waves.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/results/results.h"
#include "tsuji/router/allocators/kinds.h"
#include "tsuji/traffic/link_bridge.h"

// Networks of neighbourhoods: every packet, every count in any cycle and every report is that of routers,
// links and nodes in modules of their own.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::router::Switching;
using tsuji::test::pick;

namespace {

/// More virtual channels than a word has bits for the five ports of a router, of which nodes have few or
/// many.
void widen(VcNetworkConfig& n, CounterRandom& random) {
  n.vcs = 13 + static_cast<unsigned>(random.below(3));
  if (n.node_vcs == 0 && random.below(2) == 0) n.node_vcs = 1 + static_cast<unsigned>(random.below(16));
}

/// Times of routers beside those of the stages.
void draw_times(std::uint64_t seed, VcNetworkConfig& n) {
  CounterRandom random(seed, 25);
  if (n.router.prediction.on()) return;
  n.router.vc_change_cycles = pick<Cycle>(random, {0, 0, 1, 1, 2, 70});
  n.router.block_timeout_cycles = pick<Cycle>(random, {0, 0, 3, 10, 30, 300});
  n.router.hop_limit = pick<Cycle>(random, {0, 0, 1, 3});
}

/// Some networks have Detour-UD, whose adaptive virtual channels deadlock.
void draw_recovery(std::uint64_t seed, NetworkConfig& config) {
  CounterRandom random(seed, 26);
  if (random.below(4) != 0) return;
  VcNetworkConfig& n = config.network;
  config.topology.kind = pick<std::string>(random, {"torus", "torus", "mesh"});
  config.topology.of<graph::CubeConfig>().radices =
      pick<std::vector<unsigned>>(random, {{4, 4}, {5, 3}, {3, 3, 2}});
  config.routing.kind = "detour_ud";
  n.vcs = 2 + static_cast<unsigned>(random.below(3));
  n.rc_cycles = std::max<Cycle>(n.rc_cycles, 1);
  n.router.prediction.kind = "none";
  n.router.block_timeout_cycles = pick<Cycle>(random, {1, 8, 20, 60, 250});
  n.router.hop_limit = pick<Cycle>(random, {0, 2, 6});
  n.table_cycles = pick<Cycle>(random, {1, 5, 5, 90});
  n.table_ports = 1 + static_cast<unsigned>(random.below(3));
  n.table_pipelined = random.below(2) == 0;
  config.dead.random_links = static_cast<unsigned>(random.below(3));
  config.dead.random_routers = static_cast<unsigned>(random.below(3));
  config.dead.seed = seed;
}

/// Some networks have look-up hardware in their switches, whose answers come soon, long after the slots of
/// stages, or in the order of the memory's accesses.
void draw_lookup(std::uint64_t seed, NetworkConfig& config) {
  CounterRandom random(seed, 28);
  const std::string& topology = config.topology.kind;
  const bool in_tables = config.routing.kind == NetworkConfig{}.routing.kind &&
                         (topology == "mesh" || topology == "torus" || topology == "fly");
  if (random.below(2) != 0 || !in_tables || config.network.router.prediction.on()) return;
  lookup::LookupConfig& lookup = config.lookup;
  config.network.rc_cycles = 1;
  // Routers without other times have a cycle of their own.
  router::VcRouterConfig& router = config.network.router;
  if (random.below(2) == 0) {
    router.vc_change_cycles = 0;
    router.block_timeout_cycles = 0;
    router.hop_limit = 0;
  }
  lookup.kind = pick<std::string>(random, {"cached", "cached", "cam", "ideal"});
  lookup.timing.hash_cycles = 1 + random.below(3);
  lookup.timing.cache_cycles = 1 + random.below(3);
  lookup.timing.cam_cycles = pick<Cycle>(random, {1, 4, 25, 90});
  lookup.timing.cam_of_switch = lookup.kind == "cam" && random.below(2) == 0;
  lookup.timing.cam_pipelined = lookup.kind == "cached" || random.below(2) == 0;
  lookup.timing.blocking = random.below(3) == 0;
  lookup.cache.entries = pick<unsigned>(random, {1, 4, 64});
  lookup.cache.ways = std::min(lookup.cache.entries, pick<unsigned>(random, {1, 4}));
  lookup.warm = pick(random, {lookup::WarmCaches::none, lookup::WarmCaches::all});
}

/// Detour-UD as if its words were read without a table.
class WithoutTables final : public routing::Routing {
 public:
  explicit WithoutTables(const routing::Routing& behind) : behind_(behind) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    behind_.route(query, candidates);
  }
  routing::VcMask injection_vcs(End source, End destination) const override {
    return behind_.injection_vcs(source, destination);
  }
  unsigned vcs_needed() const override { return behind_.vcs_needed(); }
  unsigned max_candidates() const override { return behind_.max_candidates(); }
  routing::RoutingPromises promises() const override { return behind_.promises(); }
  const routing::DeadlockRecovery* recovery() const override { return behind_.recovery(); }

 private:
  const routing::Routing& behind_;
};

/// A network with drawn times, buffers, topologies and routings.
NetworkConfig network_of(std::uint64_t seed) {
  CounterRandom random(seed, 24);
  NetworkConfig config = drawn(seed);
  VcNetworkConfig& n = config.network;
  config.link_latency_cycles = random.below(8) == 0 ? 40 : 1 + random.below(4);
  n.flit_cycles = 1;
  n.rc_cycles = random.below(4);
  n.credit_latency_cycles = random.below(3);
  n.credit_process_cycles = random.below(3);
  if (random.below(4) == 0) n.node_credit_process_cycles = random.below(4);
  if (random.below(4) == 0) n.node_vcs = 1 + static_cast<unsigned>(random.below(4));
  n.first_injection_vc = static_cast<unsigned>(random.below(2));
  n.fec_cycles = random.below(3);
  n.router.va_cycles = 1 + random.below(3);
  n.router.atomic_vcs = random.below(4) == 0;
  n.router.selection = pick(random, {router::Selection::first, router::Selection::most_credits,
                                     router::Selection::round_robin, router::Selection::random});
  if (random.below(3) == 0) {
    n.router.switching = Switching::virtual_cut_through;
    n.buffer_flits = 5 + static_cast<unsigned>(random.below(4));
  }
  const bool wide = random.below(4) == 0;
  if (random.below(3) == 0) {
    n.router.prediction.kind = pick<std::string>(
        random, {"latest_port", "last_destination", "finite_context", "always_miss", "oracle"});
    n.router.prediction.check = router::PredictionCheck::kill;
  }
  switch (random.below(8)) {
    case 6:
      config.topology.kind = "dragonfly";
      config.routing.kind = pick(random, {"minimal", "valiant", "ugal", "par", "in_transit"});
      n.vcs = 5;
      break;
    case 7:
      config.topology.kind = "hyperx";
      config.topology.of<graph::HyperXConfig>().radices = {3, 3};
      config.routing.kind = pick(random, {"ugal", "dal", "omni_war"});
      n.vcs = 4 + static_cast<unsigned>(random.below(3));
      if (config.routing.kind == "dal" && n.router.switching == Switching::wormhole)
        n.router.atomic_vcs = true;
      break;
    case 0:
      config.topology.kind = "fat_tree";
      if (n.router.prediction.on() && random.below(3) != 0) {
        // As many links up as down: straight on for each input alone, up for several if there are fewer.
        const bool straight = random.below(2) == 0;
        n.router.prediction.kind = straight ? "straight" : "up";
        if (!straight) config.topology.of<graph::FatTreeConfig>().up_links = 2;
      }
      break;
    case 1:
      config.topology.kind = "fly";
      break;
    case 2:
      config.topology.kind = "torus";
      config.topology.of<graph::CubeConfig>().radices = {5, 4, 3};
      n.vcs = 2 + static_cast<unsigned>(random.below(3));
      break;
    case 3:
      config.topology.of<graph::CubeConfig>().radices = {9, 8};
      break;
    default:
      config.topology.of<graph::CubeConfig>().radices = {4, 3};
      if (n.router.prediction.on() && random.below(2) == 0) n.router.prediction.kind = "straight";
      if (random.below(2) == 0) {
        config.routing.kind = "duato";
        n.vcs = 2 + static_cast<unsigned>(random.below(3));
        if (n.router.switching == Switching::wormhole) n.router.atomic_vcs = true;
      }
  }
  if (wide) widen(n, random);
  // Most networks have stages of a cycle, for which routers have a cycle of their own.
  if (random.below(3) == 0) n.rc_cycles = n.router.va_cycles = 1;
  if (wide && random.below(2) == 0) {  // more than 127 virtual channels
    n.vcs = 16;
    n.node_vcs = 0;
    config.topology.of<graph::DragonflyConfig>().nodes_per_router = 4;
    config.topology.of<graph::HyperXConfig>().nodes_per_router = 8;
  }
  draw_times(seed, n);
  draw_recovery(seed, config);
  draw_lookup(seed, config);
  return config;
}

bool recovers_from_deadlock(std::uint64_t seed) {
  return network_of(seed).routing.kind == "detour_ud";
}

bool looks_up(std::uint64_t seed) {
  return network_of(seed).lookup.in_switch();
}

TrafficConfig traffic_of(std::uint64_t seed) {
  TrafficConfig traffic = lengths(0.1 + 0.07 * static_cast<double>(seed % 10), 700);
  if (seed % 5 == 0) traffic.kind = "closed_loop";
  return traffic;
}

/// Some nodes repeat what is not acknowledged in time, most of it too early.
traffic::RetryConfig retry_of(std::uint64_t seed) {
  CounterRandom random(seed, 27);
  traffic::RetryConfig retry;
  if (random.below(4) != 0) return retry;
  retry.timeout_cycles = pick<Cycle>(random, {1, 15, 40, 100, 700});
  retry.ack_flits = 1 + static_cast<unsigned>(random.below(2));
  retry.most_tries = pick<unsigned>(random, {1, 2, 3, 8});
  return retry;
}

struct How {
  bool dense = true;
  bool ahead = true;
  unsigned threads = 1;
  bool records = false;  ///< with the parts of each packet's latency
  bool waits = false;    ///< with the states of all input virtual channels
  bool ends = false;     ///< the records end after the first cycles
  bool pauses = true;    ///< outputs pause when their virtual channel changes
};

std::string predictions(const VcRig& rig) {
  const VcNetwork& network = rig.loaded->network();
  if (!rig.config.network.router.prediction.on()) return "";
  std::string text;
  const auto add = [&text](const router::PredictionCounters& counters) {
    for (const std::uint64_t visits : counters.visits) text += std::to_string(visits) + " ";
    text += std::to_string(counters.kept_flits) + " " + std::to_string(counters.saved_cycles) + "; ";
  };
  add(network.prediction_counters());
  for (graph::RouterId id = 0; id < network.routers(); ++id) {
    add(network.prediction_counters(id));
    for (unsigned port = 0; port < network.router(id).ports(); ++port)
      add(network.prediction_counters_at({id, port}));
    text += std::to_string(network.router(id).predicting()->predictor_bits()) + " ";
  }
  return text;
}

std::string totals(const VcRig& rig) {
  const NetworkAccounts& accounts = rig.loaded->accounts();
  observe::NetworkMetrics metrics;
  accounts.add_counters(metrics);
  std::string text = std::to_string(metrics.packets_sent) + " " + std::to_string(metrics.flit_hops) + " " +
                     std::to_string(metrics.flits_in_flight_at_end) + " " +
                     std::to_string(accounts.flits_ejected_in_window()) + " " +
                     std::to_string(accounts.flits_sent()) + " " +
                     std::to_string(accounts.packets_under_way()) + " " +
                     std::to_string(accounts.packets_not_ended()) + ": ";
  accounts.for_each_link([&](const observe::LinkLoad& load) { text += std::to_string(load.flits) + " "; });
  return text;
}

std::string counts(const VcRig& rig) {
  std::string text = totals(rig);
  const router::RouterCounters routers = rig.loaded->network().counters();
  text += "timeouts=" + std::to_string(routers.timeouts) + " far=" + std::to_string(routers.over_hop_limit) +
          " late=" + std::to_string(routers.recoveries) +
          " lost=" + std::to_string(routers.recoveries_by_hops) +
          " reads=" + std::to_string(rig.loaded->network().table_counters().reads) +
          " read waits=" + std::to_string(rig.loaded->network().table_counters().wait_cycles) + " ";
  if (rig.loaded->lookup() != nullptr) {
    const lookup::LookupCounters all = rig.loaded->lookup()->counters();
    text += " looked up=" + std::to_string(all.cache.lookups) + " hits=" + std::to_string(all.cache.hits) +
            " misses=" + std::to_string(all.cache.misses) +
            " memory waits=" + std::to_string(all.cam_wait_sum);
    for (const std::uint64_t count :
         {all.cache.fills, all.cache.evictions, all.cam_accesses, all.cam_wait_most})
      text += " " + std::to_string(count);
  }
  for (graph::RouterId id = 0; id < rig.loaded->network().routers(); ++id) {
    const router::RouterCounters own = rig.loaded->network().counters(id);
    text += std::to_string(own.flits) + " " + std::to_string(own.timeouts) + " ";
  }
  for (const VcNetwork::ChannelUse& use : rig.loaded->network().channel_uses())
    text += std::to_string(use.sent) + "/" + std::to_string(use.place.to_node ? 0 : use.held) + "/" +
            std::to_string(use.vcs * use.depth_flits) + " ";
  return text + "; " + predictions(rig);
}

/// Counters of packets repeated, messages given up and messages lost.
std::string repeats(const VcRig& rig) {
  if (rig.loaded->retry() == nullptr) return "";
  observe::Results results("test", "", 1, {});
  rig.loaded->retry()->add_to(results);
  const nlohmann::ordered_json metrics = results.to_json()["metrics"];
  std::string text;
  for (const char* metric : {"packets_repeated", "acks_sent", "duplicates", "given_up", "packets_lost"})
    text += std::string(" ") + metric + "=" + metrics[metric]["value"].dump();
  return text + " of " + std::to_string(rig.loaded->retry()->messages_born()) + ", kept " +
         std::to_string(rig.loaded->retry()->messages_kept()) + "; ";
}

/// State of every input virtual channel between two cycles.
std::string states(const VcRig& rig) {
  const VcNetwork& network = rig.loaded->network();
  std::string text;
  for (graph::RouterId id = 0; id < network.routers(); ++id) {
    const router::FlitRouter& router = network.router(id);
    for (unsigned port = 0; port < router.ports(); ++port) {
      for (unsigned vc = 0; vc < router.output(port).vcs; ++vc)
        text += std::to_string(router.room(port, vc)) + " ";
      for (unsigned vc = 0; vc < router.vcs(port); ++vc) {
        const router::VcView view = router.view(port, vc);
        text += std::to_string(static_cast<unsigned>(view.state)) + (view.has_flit ? "f " : " ");
        if (view.state == router::VcState::idle) continue;
        text += packet_name(rig.loaded->pool().at(view.packet).id) + " " + std::to_string(view.blocked_since);
        if (view.state == router::VcState::active)
          text += " " + std::to_string(view.out_port) + "." + std::to_string(view.out_vc);
        if (view.state == router::VcState::waiting)
          for (const routing::RouteCandidate& one : router.candidates(port, vc))
            text += " " + std::to_string(one.port) + ":" + std::to_string(one.vcs);
        text += "; ";
      }
    }
  }
  return text;
}

/// Cycles of each input virtual channel by state.
std::string waits(instruments::PortWaits& waits, Cycle now) {
  waits.settle(now);
  std::string text = std::to_string(waits.flits_held());
  for (const std::uint64_t sum : waits.sums()) text += " " + std::to_string(sum);
  waits.for_each([&](const graph::PortRef& port, unsigned vc, const instruments::PortWaits::Cycles& cycles) {
    text += "; " + std::to_string(port.router) + "." + std::to_string(port.port) + "." + std::to_string(vc);
    for (const std::uint64_t state : cycles) text += " " + std::to_string(state);
  });
  return text + "; ";
}

/// Counts after some cycles that are drawn, the state of all routers, and "PACKET injected head tail hops; "
/// for each packet.
std::string deliveries(std::uint64_t seed, const How& how) {
  return tsuji::test::forked([=] {
    NetworkConfig config = network_of(seed);
    if (!how.pauses) config.network.router.vc_change_cycles = 0;
    VcRig rig(config);
    const WithoutTables without_tables(*rig.plan.routing);
    const bool recovers = rig.plan.routing->recovery() != nullptr;
    if (recovers && seed % 3 == 0) rig.route_by(without_tables);
    const bool dense = how.dense && !((recovers || config.lookup.in_switch()) && how.waits);
    rig.run_ahead(how.ahead);
    rig.parts->only_results = how.dense;
    rig.parts->threads = how.threads;
    rig.parts->heads_are_observed = how.records;
    rig.parts->counts_waits = how.waits;
    rig.parts->retry = retry_of(seed);
    rig.build(traffic_of(seed), seed);
    if (rig.loaded->network().is_dense() != dense) throw std::logic_error("another driver");
    if (rig.loaded->domain().lanes() > how.threads) throw std::logic_error("too many lanes");
    std::unique_ptr<instruments::PacketLedger> ledger;
    std::unique_ptr<instruments::PortWaits> port_waits;
    if (how.records)
      ledger =
          std::make_unique<instruments::PacketLedger>(rig.loaded->network(), rig.loaded->pool_of_heads());
    if (how.waits) port_waits = std::make_unique<instruments::PortWaits>(rig.loaded->network());
    std::string text;
    CounterRandom random(seed, 15);
    bool windowed = false;
    for (Cycle stop = 50 + random.below(100); stop < 800; stop += 1 + random.below(200)) {
      rig.loaded->run_to(stop);
      rig.loaded->check_conservation();
      text += std::to_string(rig.loaded->now()) + ": " + counts(rig) + states(rig) + repeats(rig);
      if (port_waits) text += waits(*port_waits, rig.loaded->now());
      if (!windowed) rig.loaded->accounts().set_window(stop + seed % 3, 400 + seed % 300);
      windowed = true;
      if (how.ends && ledger) {
        ledger->detach();
        ledger.reset();
      }
    }
    if (seed % 5 != 0) {
      // The last of many waits for an acknowledgement are long.
      if (!rig.run_until_idle(rig.loaded->retry() == nullptr ? 400'000 : 4'000'000))
        throw std::logic_error("does not drain");
      if (rig.loaded->pool().in_use() != 0) throw std::logic_error("packets are left in the pool");
    }
    rig.loaded->check_conservation();
    for (const auto& [id, packet] : rig.by_packet()) {
      text += packet_name(id) + " " + std::to_string(packet.injected) + " " +
              std::to_string(packet.head_cycle) + " " + std::to_string(packet.tail_cycle) + " " +
              std::to_string(packet.hops) + "; ";
      if (!ledger) continue;
      for (const Cycle part : ledger->take(packet)) text += " " + std::to_string(part);
    }
    // Without the cycle: a credit on a wire is an event of the kernel in a dense network only.
    return text + counts(rig) + repeats(rig);
  });
}

/// A network interface in front of a bridge: it sends packets to drawn nodes at drawn times, and frees the
/// place of a packet that it receives after a time of the packet.
class Interface final : public Clocked {
 public:
  Interface(VcRig& rig, NodeId node, std::uint64_t seed, Cycle slowest, PacketLink& out, PacketLink& in)
      : Clocked(rig.loaded->domain()),
        pool_(rig.loaded->pool()),
        node_(node),
        seed_(seed),
        slowest_(slowest),
        out_(out),
        in_(in),
        random_(seed, 1000 + node) {
    out_.bind_sender(*this);
    in_.bind_receiver(*this, 1, 1 + static_cast<unsigned>(seed % 2), 0);
    for (NodeId other = 0; other < rig.plan.topology.nodes(); ++other)
      if (rig.plan.nodes.state(other) == workload::NodeState::living) living_.push_back(other);
    if (rig.plan.nodes.state(node) != workload::NodeState::living) left_ = 0;
    wake_at(1 + random_.below(80));
  }
  void step(Cycle now) override {
    PacketTransfer transfer;
    Cycle arrival = 0;
    while (in_.receive(now, transfer, arrival)) {
      const PacketId id = transfer.packet->id;
      text_ += std::to_string(now) + " " + packet_name(id) + "; ";
      in_.release(0, now + transfer.packet->flits + CounterRandom(seed_, id).below(slowest_ + 1));
      transfer.packet.reset();
    }
    if (left_ == 0 || now < next_) return;
    next_ = now + 1;
    if ((out_.room(now) & 1U) != 0) send(now);
    if (left_ != 0) wake_at(next_);
  }
  /// Cycle and name of each packet that has come.
  const std::string& text() const { return text_; }

 private:
  void send(Cycle now) {
    PacketRef reference = pool_.make_bare();
    Packet& packet = reference.edit();
    packet.id = packet_id(node_, serial_++);
    packet.created = now;
    packet.source = node_;
    // Half of the packets go to two nodes.
    std::size_t to = random_.below(random_.below(2) == 0 ? living_.size() : 2);
    if (living_[to] == node_) to = (to + 1) % living_.size();
    packet.destination = living_[to];
    packet.flits = static_cast<std::uint16_t>(1 + random_.below(5));
    next_ = now + packet.flits + (random_.below(3) == 0 ? random_.below(60) : 0);
    out_.send(now, {std::move(reference), 1, 0});
    --left_;
  }

  PacketPool& pool_;
  const NodeId node_;
  std::vector<NodeId> living_;
  const std::uint64_t seed_;
  const Cycle slowest_;
  PacketLink &out_, &in_;
  CounterRandom random_;
  unsigned left_ = 25;
  std::uint32_t serial_ = 0;
  Cycle next_ = 0;
  std::string text_;
};

/// A network of network_of() in which packets fit into a buffer and hold the switch.
NetworkConfig whole_network_of(std::uint64_t seed) {
  CounterRandom random(seed, 28);
  NetworkConfig config = network_of(seed);
  VcNetworkConfig& n = config.network;
  n.buffer_flits = 5 + static_cast<unsigned>(random.below(8));
  n.router.switching = Switching::virtual_cut_through;
  n.router.switch_hold = router::SwitchHold::packet;
  n.router.prediction.kind = "none";
  n.router.vc_change_cycles = n.router.block_timeout_cycles = n.router.hop_limit = 0;
  if (config.routing.kind == "detour_ud") config.routing.kind = "dimension_order";
  config.dead = {};
  n.vcs = std::min(n.vcs, 5U);
  return config;
}

/// deliveries() of a network with bridges, whose interfaces take up to `slowest` cycles for a packet.
/// `whole`: of whole_network_of().
std::string bridged_deliveries(std::uint64_t seed, const How& how, Cycle slowest, bool whole = false) {
  return tsuji::test::forked([=] {
    VcRig rig(whole ? whole_network_of(seed) : network_of(seed));
    const unsigned nodes = rig.plan.topology.nodes();
    traffic::LinkBridgeConfig bridge;
    bridge.fifo_packets = 1 + static_cast<unsigned>(seed % 3);
    bridge.ready_packets = 1 + static_cast<unsigned>(seed / 3 % 2);
    std::vector<std::unique_ptr<PacketLink>> from(nodes), to(nodes);
    rig.parts->sources_have_channels = true;
    rig.parts->only_results = how.dense;
    rig.parts->heads_are_observed = how.records;
    rig.parts->counts_waits = how.waits;
    if (!whole) rig.parts->retry = retry_of(seed);
    rig.build([&](NodeId node) {
      const std::string name = std::to_string(node);
      from[node] = std::make_unique<PacketLink>(("from" + name).c_str(), 1 + seed % 3);
      to[node] = std::make_unique<PacketLink>(("to" + name).c_str(), 1 + seed / 3 % 3);
      return std::make_unique<traffic::LinkBridge>(bridge, *from[node], *to[node], node, nodes);
    });
    const bool counts_no_waits = rig.plan.routing->recovery() != nullptr || rig.config.lookup.in_switch();
    if (rig.loaded->network().is_dense() != (how.dense && !(counts_no_waits && how.waits)))
      throw std::logic_error("another driver");
    std::vector<std::unique_ptr<Interface>> interfaces;
    for (NodeId node = 0; node < nodes; ++node)
      interfaces.push_back(std::make_unique<Interface>(rig, node, seed, slowest, *from[node], *to[node]));
    std::unique_ptr<instruments::PacketLedger> ledger;
    std::unique_ptr<instruments::PortWaits> port_waits;
    if (how.records)
      ledger =
          std::make_unique<instruments::PacketLedger>(rig.loaded->network(), rig.loaded->pool_of_heads());
    if (how.waits) port_waits = std::make_unique<instruments::PortWaits>(rig.loaded->network());
    std::string text;
    CounterRandom random(seed, 15);
    for (Cycle stop = 50 + random.below(100); stop < 1500; stop += 1 + random.below(200)) {
      // A machine runs the kernel itself.
      if (seed % 2 == 0) {
        rig.loaded->run_to(stop);
      } else {
        const auto until = rig.loaded->domain().time_of(stop) - sc_core::sc_time::from_value(1);
        run_for(until - sc_core::sc_time_stamp());
      }
      rig.loaded->check_conservation();
      text += std::to_string(stop) + ": " + (whole ? totals(rig) : counts(rig) + states(rig) + repeats(rig));
      std::vector<PacketId> in_flight;
      rig.loaded->network().visit_packets_in_flight([&](PacketIndex packet) {
        if (!whole) in_flight.push_back(rig.loaded->pool().at(packet).id);
      });
      std::sort(in_flight.begin(), in_flight.end());
      for (const PacketId packet : in_flight) text += packet_name(packet) + " ";
      if (port_waits) text += waits(*port_waits, rig.loaded->now());
    }
    rig.loaded->run_to(20'000);
    rig.loaded->check_conservation();
    for (const auto& [id, packet] : rig.by_packet()) {
      text += packet_name(id) + " " + std::to_string(packet.injected) + " " +
              std::to_string(packet.head_cycle) + " " + std::to_string(packet.tail_cycle) + "; ";
      if (!ledger) continue;
      for (const Cycle part : ledger->take(packet)) text += " " + std::to_string(part);
    }
    for (const auto& one : interfaces) text += one->text();
    // Routers count whole packets with their heads, of which some may be in flight.
    return text + (whole ? totals(rig) : counts(rig) + repeats(rig));
  });
}

/// All changes in a waveform of all or some routers, in any part of the run, and where a packet went.
std::string waves_of(std::uint64_t seed, bool dense) {
  return tsuji::test::forked([=] {
    CounterRandom random(seed, 16);
    NetworkConfig config = network_of(seed);
    config.network.router.prediction.kind = "none";
    VcRig rig(config);
    rig.run_ahead(random.below(2) == 0);
    rig.parts->only_results = dense;
    rig.parts->cycles_are_shown = true;
    rig.parts->retry = retry_of(seed);
    rig.build(traffic_of(seed), seed);
    if (rig.loaded->network().is_dense() !=
        (dense && config.routing.kind != "detour_ud" && !config.lookup.in_switch()))
      throw std::logic_error("another driver");
    instruments::VcNetworkWavesConfig shown;
    const std::size_t routers = rig.loaded->network().routers();
    for (std::uint64_t count = random.below(4); count > 0; --count)
      shown.routers.push_back(static_cast<graph::RouterId>(random.below(routers)));
    if (random.below(3) == 0) shown.first_cycle = 90;
    if (random.below(3) == 0) shown.last_cycle = 300;
    instruments::test::Levels levels;
    instruments::FollowedPackets followed({{}}, shown.first_cycle);
    instruments::VcNetworkWaves waves(
        {rig.loaded->network(), rig.loaded->pool(), rig.loaded->domain(), levels, followed}, shown);
    const Cycle stops = 200 + random.below(400), step = 1 + random.below(90);
    for (Cycle stop = 1; stop < stops; stop += step) {
      rig.loaded->run_to(stop);
      waves.advance(stop);
    }
    waves.finish();
    if (levels.late != 0) throw std::logic_error("changes are late");
    std::string text = "to " + std::to_string(levels.passed());
    for (const instruments::FollowedPacket* const packet : followed.found())
      text += packet->heading() + " " + std::to_string(packet->from()) + " " + std::to_string(packet->to());
    levels.for_each([&](const std::string& path, const instruments::test::Levels::Signal& signal) {
      text += "; " + path + ":";
      std::pair<std::uint64_t, std::string> before;
      for (const auto& [time, level] : signal.changes) {
        if (level != before)
          text += " " + std::to_string(time) + "=" + std::to_string(level.first) + level.second;
        before = level;
      }
    });
    return text;
  });
}

/// Ever upwards around the rings of a torus, first in dimension 0: packets wait for each other in circles.
class Upwards final : public routing::Routing {
 public:
  explicit Upwards(const graph::Topology& topology) : topology_(topology) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    const graph::PortRef& eject = topology_.node(query.destination.node()).eject;
    candidates.clear();
    candidates.add(query.router == eject.router ? eject.port : next(query.router, eject.router), 1);
  }
  routing::VcMask injection_vcs(End, End) const override { return 1; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 1; }
  routing::RoutingPromises promises() const override {
    routing::RoutingPromises promises;
    promises.place_decides = promises.always_leads_on = true;
    return promises;
  }

 private:
  unsigned next(graph::RouterId here, graph::RouterId to) const {
    const graph::Coordinates begin = topology_.coordinates(here), end = topology_.coordinates(to);
    std::vector<unsigned> at(begin.begin(), begin.end());
    const std::size_t dimension = at[0] == end[0] ? 1 : 0;
    at[dimension] = (at[dimension] + 1) % 4;
    unsigned port = 0;
    while (topology_.far(here, port).kind != graph::Topology::Far::Kind::router ||
           topology_.coordinates(topology_.far(here, port).at.router) != at)
      ++port;
    return port;
  }
  const graph::Topology& topology_;
};

/// Where the texts begin to differ, with what comes before and after; empty: nowhere.
std::string first_difference(const std::string& one, const std::string& other) {
  const auto places = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  if (places.first == one.end() && places.second == other.end()) return "";
  const auto at = static_cast<std::size_t>(places.first - one.begin()),
             from = at - std::min<std::size_t>(at, 160);
  return one.substr(from, 260) + " | " + other.substr(from, 260);
}

/// The last number after `name` in a text of deliveries().
std::uint64_t last_count(const std::string& text, const std::string& name) {
  const std::size_t at = text.rfind(name);
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size()));
}

void compare_dense(std::uint64_t first, std::uint64_t last) {
  unsigned on_threads = 0, with_pauses = 0;
  std::uint64_t timeouts = 0, far = 0, late = 0, lost = 0, reads = 0, read_waits = 0;
  std::uint64_t repeated = 0, duplicates = 0, given_up = 0, messages_lost = 0;
  std::uint64_t hits = 0, misses = 0, memory_waits = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const std::string expected = deliveries(seed, {false});
    CAPTURE(seed, expected.substr(0, 200));
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    REQUIRE(expected.size() > 3000);
    timeouts += last_count(expected, "timeouts=");
    far += last_count(expected, "far=");
    late += last_count(expected, "late=");
    lost += last_count(expected, "lost=");
    reads += last_count(expected, " reads=");
    read_waits += last_count(expected, "read waits=");
    repeated += last_count(expected, "packets_repeated=");
    duplicates += last_count(expected, "duplicates=");
    given_up += last_count(expected, "given_up=");
    hits += last_count(expected, "hits=");
    misses += last_count(expected, "misses=");
    memory_waits += last_count(expected, "memory waits=");
    messages_lost += last_count(expected, "packets_lost=");
    if (seed % 4 == 0 && deliveries(seed, {true, true, 1, false, false, false, false}) != expected)
      ++with_pauses;
    CHECK(first_difference(expected, deliveries(seed, {true})) == "");
    if (seed % 8 == 0) CHECK(first_difference(expected, deliveries(seed, {true, false})) == "");
    if (const bool records = seed % 3 != 1, waits = seed % 3 != 2; seed % 2 == 0) {
      const std::string watched = deliveries(seed, {false, true, 1, records, waits});
      CHECK(first_difference(watched, deliveries(seed, {true, true, 1, records, waits})) == "");
    }
    if (seed % 6 != 1) continue;  // threads take turns on a busy machine, and then take long
    const std::string threads = deliveries(seed, {true, true, 2 + static_cast<unsigned>(seed / 6 % 2)});
    if (threads.rfind("exception: --threads", 0) == 0) continue;  // no windows
    CHECK(first_difference(expected, threads) == "");
    ++on_threads;
    const bool waits = !recovers_from_deadlock(seed) && !looks_up(seed);
    const How watched{true, true, 3, true, waits};
    CHECK(first_difference(deliveries(seed, {false, true, 1, true, waits}), deliveries(seed, watched)) == "");
  }
  CHECK(on_threads > (last - first) / 20);
  // What is compared happens.
  CHECK(with_pauses > (last - first) / 16);
  CHECK(timeouts > 10 * (last - first));
  CHECK(far > last - first);
  CHECK(late > last - first);
  CHECK(lost > last - first);
  CHECK(reads > 10 * (last - first));
  CHECK(read_waits > last - first);
  CHECK(repeated > 10 * (last - first));
  CHECK(duplicates > 10 * (last - first));
  CHECK(given_up > last - first);
  CHECK(hits > 10 * (last - first));
  CHECK(misses > 10 * (last - first));
  CHECK(memory_waits > 10 * (last - first));
  CHECK(messages_lost > 0);
}

/// Of the first 12 networks for which wanted(config, seed) is true.
template <class Wanted>
void compare_predictions(const Wanted& wanted) {
  unsigned compared = 0;
  for (std::uint64_t seed = 1; compared < 12; ++seed) {
    if (!wanted(network_of(seed), seed)) continue;
    ++compared;
    CAPTURE(seed);
    const std::string expected = deliveries(seed, {false});
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    CHECK(first_difference(expected, deliveries(seed, {true})) == "");
  }
}

void compare_bridged(std::uint64_t first, std::uint64_t last) {
  unsigned slower = 0;
  std::uint64_t repeated = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const Cycle slowest = seed % 4 * 15;
    const std::string expected = bridged_deliveries(seed, {false}, slowest);
    CAPTURE(seed, expected.substr(0, 200));
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    REQUIRE(expected.size() > 3000);
    repeated += last_count(expected, "packets_repeated=");
    CHECK(first_difference(expected, bridged_deliveries(seed, {true}, slowest)) == "");
    if (seed % 4 == 3 && bridged_deliveries(seed, {true}, 0) != expected) ++slower;
    const bool records = seed % 3 != 1, waits = seed % 3 != 2;
    const How watched{false, true, 1, records, waits}, densely{true, true, 1, records, waits};
    if (seed % 2 == 0)
      CHECK(first_difference(bridged_deliveries(seed, watched, slowest),
                             bridged_deliveries(seed, densely, slowest)) == "");
  }
  // What is compared happens.
  CHECK(slower > (last - first) / 5);
  CHECK(repeated > 10 * (last - first));
}

void compare_whole_bridged(std::uint64_t first, std::uint64_t last) {
  unsigned slower = 0, compared = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const Cycle slowest = seed % 4 * 15;
    const std::string expected = bridged_deliveries(seed, {false}, slowest, true);
    CAPTURE(seed, expected.substr(0, 200));
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    const std::string dense = bridged_deliveries(seed, {true}, slowest, true);
    if (dense == "exception: another driver") continue;  // too many virtual channels
    ++compared;
    CHECK(first_difference(expected, dense) == "");
    if (seed % 4 == 3 && bridged_deliveries(seed, {true}, 0, true) != expected) ++slower;
  }
  CHECK(compared > (last - first) / 2);
  CHECK(slower > (last - first) / 10);
}

}  // namespace

TEST_CASE("dense: packets and counts and reports are those of modules") {
  compare_dense(1, 60);
}

TEST_CASE("dense: packets and counts and reports are those of modules in thousands of networks",
          "[.][long]") {
  compare_dense(60, 3000);
}

TEST_CASE("dense: predictions of one output by several inputs are those of modules") {
  compare_predictions([](const NetworkConfig& config, std::uint64_t) {
    return config.topology.kind == "fat_tree" && config.network.router.prediction.kind == "up";
  });
}

TEST_CASE("dense: predictions long after the last request of their output are those of modules") {
  compare_predictions([](const NetworkConfig& config, std::uint64_t seed) {
    const std::string& kind = config.network.router.prediction.kind;
    return (kind == "straight" || kind == "up") && seed % 10 < 2;  // little load
  });
}

TEST_CASE("dense: nodes with bridges, whose interfaces have no room at times, are those of modules") {
  compare_bridged(1, 60);
}

TEST_CASE("dense: nodes with bridges pass whole packets as modules pass flits") {
  compare_whole_bridged(1, 100);
}

TEST_CASE("dense: nodes with bridges are those of modules in thousands of networks", "[.][long]") {
  compare_bridged(60, 2000);
  compare_whole_bridged(100, 3000);
}

TEST_CASE("dense: heads in recovery leave the queues of other threads") {
  for (const std::uint64_t seed : {151, 319}) {
    CAPTURE(seed);
    const std::string expected = deliveries(seed, {false});
    REQUIRE(last_count(expected, "late=") > 0);
    CHECK(first_difference(expected, deliveries(seed, {true, true, 2})) == "");
    CHECK(first_difference(expected, deliveries(seed, {true, true, 3})) == "");
  }
}

TEST_CASE("dense: records that end while heads are under way change nothing") {
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    CAPTURE(seed);
    const How ends{true, true, 1, true, false, true};
    CHECK(first_difference(deliveries(seed, {false}), deliveries(seed, ends)) == "");
  }
}

TEST_CASE("dense: a source continues in the cycle after its message is lost at another node") {
  const auto run = [](std::uint64_t seed, bool dense) {
    return tsuji::test::forked([=] {
      NetworkConfig config = torus(4);
      config.routing.kind = "duato";
      config.network.vcs = 5;
      config.network.router.atomic_vcs = true;
      VcRig rig(config);
      rig.parts->only_results = dense;
      rig.parts->retry.timeout_cycles = 1;
      rig.parts->retry.most_tries = 1;
      TrafficConfig traffic = lengths(0.6, never);
      traffic.kind = "closed_loop";
      rig.build(traffic, seed);
      if (rig.loaded->network().is_dense() != dense) throw std::logic_error("another driver");
      std::string text;
      for (Cycle stop = 1; stop < 2000; stop += 7) {
        rig.loaded->run_to(stop);
        text += repeats(rig) + counts(rig);
      }
      return text;
    });
  };
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const std::string expected = run(seed, false);
    lost += last_count(expected, "packets_lost=");
    CHECK(first_difference(expected, run(seed, true)) == "");
  }
  CHECK(lost > 3);
}

TEST_CASE("dense: the watchdog says the same in the same cycle") {
  const auto failure = [](std::uint64_t seed, bool dense, bool whole_packets) {
    return tsuji::test::forked([=] {
      NetworkConfig config = torus(4);
      config.network.buffer_flits = (whole_packets ? 8 : 2) + static_cast<unsigned>(seed % 3);
      if (whole_packets) {
        config.network.router.switching = Switching::virtual_cut_through;
        config.network.router.switch_hold = router::SwitchHold::packet;
      }
      config.watchdog_cycles = 500 + seed;
      VcRig rig(config);
      const Upwards routing(rig.plan.topology);
      rig.route_by(routing);
      rig.parts->only_results = dense;
      rig.parts->flits_are_observed = !dense;
      rig.build(load(1, 8, never), seed);
      if (rig.loaded->network().is_dense() != dense) throw std::logic_error("another driver");
      try {
        rig.loaded->run_to(20'000);
      } catch (const ModelError& error) {
        return std::string(error.what());
      }
      return std::string("no deadlock");
    });
  };
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const bool whole_packets = seed % 2 == 0;
    const std::string expected = failure(seed, false, whole_packets);
    CAPTURE(seed);
    CHECK(expected.find("wait for each other in a cycle") != std::string::npos);
    CHECK(first_difference(expected, failure(seed, true, whole_packets)) == "");
  }
}

TEST_CASE("dense: the watchdog waits for a memory that takes longer than it") {
  const std::string packets = tsuji::test::forked([] {
    NetworkConfig config = torus(4);
    config.lookup.kind = "cam";
    config.lookup.timing.cam_cycles = 3000;
    config.watchdog_cycles = 100;
    VcRig rig(config);
    rig.parts->only_results = true;
    rig.build(load(0.001, 1, 2000), 1);
    if (!rig.loaded->network().is_dense()) throw std::logic_error("another driver");
    if (!rig.run_until_idle(100'000)) throw std::logic_error("does not drain");
    return std::to_string(rig.by_packet().size());
  });
  CHECK(packets.find("exception") == std::string::npos);
  CHECK(packets != "0");
}

TEST_CASE("dense: where nothing needs modules or what only other drivers have") {
  const auto dense = [](const auto& change) {
    VcRig rig(torus(4));
    rig.parts->only_results = true;
    change(*rig.parts, const_cast<NetworkConfig&>(rig.config));
    return rig.parts->runs_densely();
  };
  const auto of_router = [&](const auto& change) {
    return dense([&](LoadedParts&, NetworkConfig& config) { change(config.network.router); });
  };
  CHECK(of_router([](router::VcRouterConfig&) {}));
  CHECK(of_router([](router::VcRouterConfig& r) { r.switching = Switching::virtual_cut_through; }));
  CHECK(of_router([](router::VcRouterConfig& r) { r.atomic_vcs = true; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.switching = Switching::store_and_forward; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.switch_hold = router::SwitchHold::packet; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.va_cycles = 0; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.input_speedup = 2; }));
  CHECK(of_router([](router::VcRouterConfig& r) { r.vc_change_cycles = 1; }));
  CHECK(of_router([](router::VcRouterConfig& r) { r.block_timeout_cycles = 9; }));
  CHECK(of_router([](router::VcRouterConfig& r) { r.hop_limit = 9; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.sa_allocator = "separable"; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.va_allocator = "separable"; }));
  CHECK_FALSE(of_router(
      [](router::VcRouterConfig& r) { r.va_allocators.of<router::IslipConfig>().islip_iterations = 2; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.va_requests = router::VaRequests::all; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.route_at = router::RouteAt::arrival; }));
  const auto predicts = [&](router::PredictionCheck check, bool serial, const auto& change) {
    return dense([&](LoadedParts& parts, NetworkConfig& config) {
      config.network.router.prediction.kind = "straight";
      config.network.router.prediction.check = check;
      config.network.router.prediction.serial = serial;
      change(parts, config.network.router.prediction);
    });
  };
  const auto unchanged = [](LoadedParts&, router::PredictionConfig&) {};
  CHECK(predicts(router::PredictionCheck::kill, false, unchanged));
  CHECK_FALSE(predicts(router::PredictionCheck::wait, false, unchanged));
  CHECK_FALSE(predicts(router::PredictionCheck::kill, true, unchanged));
  CHECK(predicts(router::PredictionCheck::kill, false, [](LoadedParts& parts, router::PredictionConfig&) {
    parts.heads_are_observed = parts.counts_waits = true;
  }));
  const auto predicts_late = [&](const auto& change) {
    return of_router([&](router::VcRouterConfig& r) {
      r.prediction.kind = "straight";
      change(r);
    });
  };
  CHECK_FALSE(predicts_late([](router::VcRouterConfig& r) { r.block_timeout_cycles = 9; }));
  CHECK_FALSE(predicts_late([](router::VcRouterConfig& r) { r.hop_limit = 9; }));
  const auto recovers = [](const auto& change, const char* predictor = "none") {
    NetworkConfig config = torus(4);
    config.routing.kind = "detour_ud";
    config.dead.random_routers = 1;
    config.network.router.prediction.kind = predictor;
    VcRig rig(config);
    rig.parts->only_results = true;
    change(*rig.parts, const_cast<NetworkConfig&>(rig.config));
    return rig.parts->runs_densely();
  };
  const auto looks_up = [&](const char* kind, const auto& change) {
    return dense([&](LoadedParts& parts, NetworkConfig& config) {
      config.network.rc_cycles = 1;
      config.lookup.kind = kind;
      change(parts, config);
    });
  };
  const auto no_change = [](LoadedParts&, NetworkConfig&) {};
  for (const char* kind : {"cam", "cached", "ideal"}) CHECK(looks_up(kind, no_change));
  const auto shares = [](LoadedParts&, NetworkConfig& config) { config.lookup.timing.cam_of_switch = true; };
  CHECK(looks_up("cam", shares));
  CHECK_FALSE(looks_up("cached", shares));  // answers come after the requests
  CHECK_FALSE(looks_up("cached", [](LoadedParts&, NetworkConfig& config) {
    config.lookup.model = lookup::LookupModel::modules;
  }));
  CHECK(looks_up("cached", [](LoadedParts& parts, NetworkConfig&) { parts.heads_are_observed = true; }));
  CHECK_FALSE(looks_up("cached", [](LoadedParts& parts, NetworkConfig&) { parts.cycles_are_shown = true; }));
  CHECK_FALSE(looks_up("cached", [](LoadedParts& parts, NetworkConfig&) { parts.counts_waits = true; }));
  CHECK_FALSE(looks_up("cached", [](LoadedParts&, NetworkConfig& config) {
    config.network.router.switching = Switching::virtual_cut_through;
    config.network.router.switch_hold = router::SwitchHold::packet;
  }));
  CHECK_FALSE(looks_up("cached", [](LoadedParts&, NetworkConfig& config) {
    config.network.router.prediction.kind = "straight";
  }));
  CHECK(recovers(no_change));
  CHECK_FALSE(recovers(no_change, "latest_port"));
  CHECK(recovers([](LoadedParts& parts, NetworkConfig&) { parts.heads_are_observed = true; }));
  CHECK_FALSE(recovers([](LoadedParts& parts, NetworkConfig&) { parts.cycles_are_shown = true; }));
  CHECK_FALSE(recovers([](LoadedParts& parts, NetworkConfig&) { parts.counts_waits = true; }));
  CHECK_FALSE(recovers([](LoadedParts&, NetworkConfig& c) { c.classify_timeouts = true; }));
  CHECK_FALSE(recovers([](LoadedParts&, NetworkConfig& c) { c.network.table_cycles = 200; }));
  CHECK_FALSE(recovers([](LoadedParts&, NetworkConfig& c) { c.dead.events = "router 3 dies at 100"; }));
  CHECK_FALSE(of_router(
      [](router::VcRouterConfig& r) { r.va_input_arbiter = router::VaInputArbiter::ports_and_vcs; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.uturn_node = false; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.network.flit_cycles = 2; }));
  CHECK(dense([](LoadedParts&, NetworkConfig& c) { c.network.vcs = 16; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.ejects_by_class = true; }));
  const auto of_ports = [](unsigned ports, unsigned vcs, const char* predictor = "none") {
    NetworkConfig config;
    config.network.router.prediction.kind = predictor;
    config.topology.kind = "hyperx";
    config.topology.of<graph::HyperXConfig>().radices = {ports};  // with one for the node
    config.network.vcs = vcs;
    VcRig rig(config);
    rig.parts->only_results = true;
    return rig.parts->runs_densely();
  };
  CHECK(of_ports(63, 4));
  CHECK(of_ports(64, 3));
  CHECK(of_ports(48, 5));  // twelve ports a word
  CHECK_FALSE(of_ports(64, 4));
  CHECK_FALSE(of_ports(49, 5));
  CHECK(of_ports(63, 1, "latest_port"));
  CHECK_FALSE(of_ports(64, 1, "latest_port"));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.network.rc_cycles = 200; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.network.buffer_flits = 5000; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.link_faults = "0@10"; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.classify_timeouts = true; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.network.errors.bit_error_rate = 1e-9; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.shuffle_seed = 3; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.process_mode = ProcessMode::process_each; }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) { parts.only_results = false; }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) { parts.flits_are_observed = true; }));
  CHECK(dense([](LoadedParts& parts, NetworkConfig&) { parts.cycles_are_shown = true; }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) {
    parts.cycles_are_shown = true;
    parts.threads = 2;
  }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig& c) {
    parts.cycles_are_shown = true;
    c.network.router.prediction.kind = "latest_port";
  }));
  CHECK(dense([](LoadedParts& parts, NetworkConfig&) { parts.threads = 2; }));
  CHECK(dense(
      [](LoadedParts& parts, NetworkConfig&) { parts.heads_are_observed = parts.counts_waits = true; }));
  CHECK(dense([](LoadedParts& parts, NetworkConfig&) {
    parts.heads_are_observed = true;
    parts.threads = 2;
  }));
  CHECK(dense([](LoadedParts& parts, NetworkConfig&) { parts.sources_have_channels = true; }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) {
    parts.sources_have_channels = parts.cycles_are_shown = true;
  }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) { parts.ports_wake_each_other = true; }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) {
    parts.make_control = [](graph::RouterId) { return nullptr; };
  }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) {
    parts.custom.over_pins.nodes = [](NodeId) { return false; };
  }));
}

TEST_CASE("dense: waveforms of all routers or some, of the whole run or a part, are those of modules") {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const std::string expected = waves_of(seed, false);
    CAPTURE(seed, expected.substr(0, 200));
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    REQUIRE(expected.size() > 1000);
    CHECK(first_difference(expected, waves_of(seed, true)) == "");
  }
}

TEST_CASE("dense: a use of modules or channels is refused with what to set") {
  VcRig rig(torus(4));
  rig.parts->only_results = true;
  rig.build(load(0.1, 1, 100));
  CHECK_THROWS_WITH(rig.loaded->network().channels(), Catch::Contains("LoadedParts::only_results"));
  CHECK_THROWS_WITH(rig.loaded->network().module(0), Catch::Contains("InstrumentKind::sees_flits()"));
  CHECK_THROWS_WITH(rig.loaded->network().link(0), Catch::Contains("no modules"));
  CHECK_THROWS_WITH(instruments::PacketLedger(rig.loaded->network(), rig.loaded->pool()),
                    Catch::Contains("built for it"));
  CHECK_THROWS_WITH(instruments::PortWaits(rig.loaded->network()).settle(1),
                    Catch::Contains("count the states of their ports"));
}
