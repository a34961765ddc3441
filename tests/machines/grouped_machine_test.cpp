// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/grouped/grouped_machine.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machines/machines.h"
#include "machines/mixed_protocols.h"
#include "machines/rank_sets.h"
#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/core/error.h"

// Groups of Cenju-4 nodes on crosspoint switches, joined by gateways over a torus of Detour-UD routers with a
// CAM, caches and prediction.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::machines;
using namespace tsuji::network::test;
using tsuji::test::forked;
using tsuji::test::mixed_memory;
using tsuji::test::mixed_nodes;
using tsuji::test::mixed_on_stages;
using tsuji::test::parsed;
using Json = nlohmann::ordered_json;

namespace {

using Body = tsuji::test::Script::Body;

struct Setting {
  unsigned members = 4;
  unsigned side = 3;   ///< of the torus
  unsigned radix = 4;  ///< of crosspoint switches
  std::string dead_links, events;
  RunOrder order = {};
  Cycle timeout = 0;             ///< of retry
  unsigned gateway_packets = 2;  ///< and of crosspoint FIFOs
  crosspoint::SwitchMode mode = crosspoint::SwitchMode::event_per_packet;
  bool hardware = true;  ///< prediction and look-up hardware
};

NetworkConfig torus_of(const Setting& setting) {
  NetworkConfig config = in_order(torus(setting.side), setting.order);
  config.network.vcs = 4;
  config.clock_period_ps = 12500;
  config.routing.kind = "detour_ud";
  if (setting.hardware) {
    config.lookup.kind = "cached";
    config.network.router.prediction.kind = "latest_port";
  }
  if (!setting.dead_links.empty()) config.dead.links = {0};
  config.dead.events = setting.events;
  config.resolve();
  config.validate();
  return config;
}

GroupsConfig groups_of(const Setting& setting) {
  GroupsConfig groups;
  groups.members = setting.members;
  groups.network.topology.radix = setting.radix;
  groups.network.crosspoint.fifo_packets = setting.gateway_packets;
  groups.network.crosspoint.mode = setting.mode;
  groups.gateway.fifo_packets = setting.gateway_packets;
  groups.resolve();
  groups.validate();
  return groups;
}

/// A machine with its parts.
struct Grouped {
  explicit Grouped(const Setting& setting, Cenju4Config of_nodes = tsuji::test::small_machine(2))
      : network(torus_of(setting)),
        plan(network),
        groups(groups_of(setting)),
        nodes(GroupedMachine::complete_config(std::move(of_nodes), network, plan.topology, groups)),
        reconfiguration(make_reconfiguration(network, plan.topology, *plan.routing)) {
    GroupedMachine::Parts parts{network, plan.topology, *plan.routing, nodes, bridge};
    parts.retry.timeout_cycles = setting.timeout;
    parts.fault_reaction = reconfiguration.get();
    parts.on_delivered = [this](const observe::DeliveredPacket& packet) { delivered.push_back(packet); };
    BridgedNodes::validate_retry(parts.retry, bridge, plan.topology.nodes());
    machine = std::make_unique<GroupedMachine>(parts, groups);
    job = std::make_unique<platform::Cenju4Job>(*machine);
  }
  void run(const Body& body) { tsuji::test::run_script(*job, body); }

  const NetworkConfig network;
  const NetworkPlan plan;
  const GroupsConfig groups;
  const Cenju4Config nodes;
  const traffic::LinkBridgeConfig bridge;
  const std::unique_ptr<Reconfiguration> reconfiguration;
  std::vector<observe::DeliveredPacket> delivered;
  std::unique_ptr<GroupedMachine> machine;
  std::unique_ptr<platform::Cenju4Job> job;
};

using Counts = std::map<std::string, std::uint64_t>;

/// Counters of the five mechanisms and of both halves of all network interfaces.
Counts counts_of(const Grouped& own) {
  const GroupedMachine& machine = *own.machine;
  Counts counts{{"detours", 0}};
  const lookup::LookupCounters looked_up = machine.network().lookup()->counters();
  counts["cache look-ups"] = looked_up.cache.lookups;
  counts["cam accesses"] = looked_up.cam_accesses;
  for (const std::uint64_t visits : machine.network().network().prediction_counters().visits)
    counts["predictions"] += visits;
  // In a torus of 3 routers a side, every router is 1 or 2 links away.
  for (const observe::DeliveredPacket& packet : own.delivered) {
    const unsigned from = packet.source.node(), to = packet.destination.node();
    const unsigned nearest = 1 + (from % 3 != to % 3) + (from / 3 != to / 3);
    counts["detours"] += packet.hops > nearest ? 1 : 0;
  }
  const crosspoint::SwitchCounters switches = machine.switch_counters();
  counts["switch packets"] = switches.packets_received;
  counts["switch copies"] = switches.replicated;
  counts["switch merges"] = switches.merged;
  const GatewayCounters gateways = machine.gateway_counters();
  counts["gateway packets"] = gateways.from_group + gateways.from_others;
  counts["gateway copies"] = gateways.copied;
  counts["releases"] = gateways.released;
  counts["between gateways"] = gateways.to_others;
  const char* const kinds[] = {"single casts", "multicasts", "synchronizations"};
  for (NodeId node = 0; node < machine.nodes(); ++node) {
    const nic::NetworkInterface& interface = machine.node(node).interface();
    for (unsigned kind = 0; kind < 3; ++kind) {
      counts[std::string("sent ") + kinds[kind]] += interface.sender_counters().packets[kind];
      counts[std::string("received ") + kinds[kind]] += interface.receiver_counters().packets[kind];
    }
  }
  return counts;
}

Json since(const Counts& before, const Counts& now) {
  Json events;
  for (const auto& [name, count] : now) events[name] = count - before.at(name);
  return events;
}

/// Node 0 of group 0 puts a word to a node of group 1, past a dead link between the two gateways.
void put_a_word(host::RankRuntime& rank) {
  const host::HeapBlock cell(rank.heap, 8);
  rank.cpu.store(cell.address(), 0);
  if (rank.rank() == 0) rank.paralib.put_word(host::Target::pe(5), cell.address(), 4711);
  if (rank.rank() == 5)
    rank.waiter.until([&] { return rank.cpu.load(cell.address()) == 4711; }, "the word", cell.address());
}

/// Puts a word to all nodes by a multicast.
void multicast_a_word(host::RankRuntime& rank, const std::vector<host::GroupHandle>& all) {
  const host::HeapBlock cell(rank.heap, 8);
  if (rank.rank() == 0) rank.paralib.put_word(host::Target::group(all[0].multicast[0]), cell.address(), 4712);
  rank.waiter.until([&] { return rank.cpu.load(cell.address()) == 4712; }, "the multicast", cell.address());
}

/// Events of a parcel, a multicast and a barrier.
std::string events_of_each_kind() {
  Setting setting;
  setting.dead_links = "0";
  Grouped own(setting);
  std::vector<host::GroupHandle> all(own.machine->nodes());
  own.run([&](host::RankRuntime& rank) {
    std::vector<std::uint32_t> everybody(rank.ranks());
    for (std::uint32_t member = 0; member < rank.ranks(); ++member) everybody[member] = member;
    all[rank.rank()] = rank.paralib.register_group(everybody);
  });
  Json events;
  const auto phase = [&](const char* name, const Body& body) {
    const Counts before = counts_of(own);
    own.run(body);
    events[name] = since(before, counts_of(own));
  };
  phase("parcel", put_a_word);
  phase("multicast", [&](host::RankRuntime& rank) { multicast_a_word(rank, all); });
  phase("barrier", [](host::RankRuntime& rank) { rank.collectives.barrier(); });
  return events.dump();
}

std::string mixed_on_groups(const Setting& setting, std::uint64_t seed) {
  Grouped own(setting, mixed_nodes());
  Json facts{{"memory", mixed_memory(*own.job, seed)}, {"end", own.job->end_cycle()}};
  const GatewayCounters gateways = own.machine->gateway_counters();
  facts["gateways"] = {gateways.from_group, gateways.to_others, gateways.multicasts, gateways.released};
  const observe::PacketFates fates = own.machine->network().accounts().network_fates();
  std::uint64_t dropped = 0;
  for (const auto& [cause, packets] : fates.dropped) dropped += packets;
  facts["dropped"] = dropped;
  facts["flits left"] = own.machine->metrics().flits_in_flight_at_end;
  return facts.dump();
}

/// Puts packets to every other rank as fast as possible, each put followed by a flag word.
void flood(host::RankRuntime& rank, unsigned bytes) {
  const std::uint32_t ranks = rank.ranks();
  const host::HeapBlock data(rank.heap, bytes), anywhere(rank.heap, bytes), flags(rank.heap, 8 * ranks);
  for (std::uint32_t from = 0; from < ranks; ++from) rank.cpu.store(flags.address() + 8 * from, 0);
  rank.collectives.barrier();
  for (std::uint32_t step = 1; step < ranks; ++step) {
    const host::Target to = host::Target::pe((rank.rank() + step) % ranks);
    rank.paralib.put(to, data.address(), anywhere.address(), bytes);
    rank.paralib.put_word(to, flags.address() + 8 * rank.rank(), 1);
  }
  for (std::uint32_t from = 0; from < ranks; ++from) {
    const std::uint64_t flag = flags.address() + 8 * from;
    rank.waiter.until([&] { return from == rank.rank() || rank.cpu.load(flag) == 1; }, "a flag", flag);
  }
  rank.collectives.barrier();
}

}  // namespace

TEST_CASE("a parcel, a multicast and a barrier each pass all five mechanisms and both halves of interfaces") {
  const Json events = parsed(forked(events_of_each_kind));
  CAPTURE(events.dump());
  for (const auto& [name, phase] : events.items()) {
    CAPTURE(name);
    for (const char* mechanism :
         {"cache look-ups", "cam accesses", "predictions", "detours", "switch packets", "gateway packets"})
      CHECK(phase[mechanism] > 0);
  }
  const Json& parcel = events["parcel"];
  CHECK(parcel["sent single casts"] == 1);
  CHECK(parcel["received single casts"] == 1);
  CHECK(parcel["between gateways"] == 1);
  CHECK(parcel["switch packets"] == 4);  // two stages in each group
  const Json& multicast = events["multicast"];
  CHECK(multicast["sent multicasts"] == 1);
  CHECK(multicast["received multicasts"] == 36);
  CHECK(multicast["between gateways"] == 8);  // once for each other group
  CHECK(multicast["gateway copies"] == 7);
  CHECK(multicast["switch copies"] == 4 + 8 * 3);
  const Json& barrier = events["barrier"];
  CHECK(barrier["sent synchronizations"] == 36);
  CHECK(barrier["received synchronizations"] == 36);
  CHECK(barrier["between gateways"] == 9 * 8);
  CHECK(barrier["releases"] == 9);
  CHECK(barrier["switch merges"] > 36);
}

TEST_CASE("a program of all protocols ends with the same memory on Cenju-4's switches and in groups") {
  constexpr std::uint64_t seed = 31;
  const Json stages = parsed(forked([&] { return mixed_on_stages(36, seed); }));
  REQUIRE(stages["memory"]["problem"] == "");
  Setting setting;
  setting.gateway_packets = GENERATE(1U, 2U);
  const Json groups = parsed(forked([&] { return mixed_on_groups(setting, seed); }));
  CHECK((groups["memory"] == stages["memory"]));
  CHECK(groups["flits left"] == 0);
  CHECK(groups["gateways"][0] > 500);
  CHECK(groups["gateways"][2] > 20);
  CHECK(groups["gateways"][3] > 9);
}

TEST_CASE("in groups barriers of random sets that cross each other release no member early") {
  Setting setting;
  setting.gateway_packets = GENERATE(1U, 3U);
  const std::string problem = forked([&] {
    Grouped own(setting);
    const tsuji::test::BarrierPlan plan(own.machine->nodes());
    tsuji::test::BarrierLog log(plan);
    own.run([&](host::RankRuntime& rank) { tsuji::test::play_barriers(rank, plan, log); });
    if (log.left.size() < 1000) return std::string("too few");
    return log.wrong.empty() ? std::string("none") : log.wrong.front();
  });
  CHECK(problem == "none");
}

TEST_CASE("in groups multicasts to random sets reach exactly their members") {
  const std::string problem = forked([&] {
    Setting setting;
    setting.members = 9;  // nodes 63 to 71 are a group, and of two node groups
    setting.dead_links = "0";
    Cenju4Config nodes = tsuji::test::small_machine(2);
    nodes.library.heap_bytes = 4 << 20;
    Grouped own(setting, nodes);
    const tsuji::test::MulticastPlan plan(own.machine->nodes(), 40);
    own.run([&](host::RankRuntime& rank) { tsuji::test::play_multicasts(rank, plan); });
    return std::string("none");
  });
  CHECK(problem == "none");
}

TEST_CASE("in groups neither the order of modules nor the mode of the switches changes results") {
  Setting setting;
  setting.side = 3;
  setting.members = 2;
  const std::string usual = forked([&] { return mixed_on_groups(setting, 5); });
  REQUIRE(parsed(usual)["memory"]["problem"] == "");
  for (const unsigned order : {1U, 2U, 3U}) {
    CAPTURE(order);
    Setting other = setting;
    other.order = run_orders[order];
    if (order == 2) other.mode = crosspoint::SwitchMode::flit_by_flit;
    CHECK((forked([&] { return mixed_on_groups(other, 5); }) == usual));
  }
}

/// 15 nodes and a gateway would fit into four stages of 2x2 switches if nodes shared the gateway's output.
/// Then packets from the gateway would wait for packets to it, and the group would deadlock.
TEST_CASE("groups in which all nodes put to all others at once drain through FIFOs of one packet") {
  const std::string end = forked([] {
    Setting setting;
    setting.members = 15;
    setting.side = 2;
    setting.radix = 2;
    setting.gateway_packets = 1;
    Grouped own(setting);
    own.run([](host::RankRuntime& rank) { flood(rank, 1024); });
    const GatewayCounters gateways = own.machine->gateway_counters();
    return std::to_string(gateways.from_group > 60 * 45 * 5) + " " +
           std::to_string(own.machine->metrics().flits_in_flight_at_end);
  });
  CHECK(end == "1 0");
}

TEST_CASE("groups drain, and every packet arrives once, while links of their network die and return") {
  Setting setting;
  setting.hardware = GENERATE(false, true);
  setting.gateway_packets = 1;
  const Json calm = parsed(forked([&] { return mixed_on_groups(setting, 9); }));
  const auto end = calm["end"].get<std::uint64_t>();
  for (unsigned event = 0; event < 54; ++event) {
    const std::uint64_t from = end / 20 + event * end / 60;
    setting.events += (event == 0 ? "link " : ", link ") + std::to_string(event * 5 % 18) + "@" +
                      std::to_string(from) + ":" + std::to_string(from + end / 80);
  }
  setting.timeout = 3000;
  const Json disturbed = parsed(forked([&] { return mixed_on_groups(setting, 9); }));
  CHECK(disturbed["dropped"] > 3);
  CHECK(disturbed["flits left"] == 0);
  CHECK((disturbed["memory"] == calm["memory"]));
}

TEST_CASE("run_for: packets in groups are accounted for whenever a run stops") {
  const bool multicasts = GENERATE(false, true);
  const std::string busy = forked([&] {
    Grouped own(Setting{});
    const tsuji::test::BarrierPlan barriers(own.machine->nodes());
    tsuji::test::BarrierLog log(barriers);
    const tsuji::test::MulticastPlan plan(own.machine->nodes(), 40);
    const unsigned slices = tsuji::test::run_in_slices(*own.machine, *own.job, [&](host::RankRuntime& rank) {
      if (multicasts) return tsuji::test::play_multicasts(rank, plan);
      tsuji::test::play_barriers(rank, barriers, log);
    });
    return std::to_string(slices);
  });
  CAPTURE(busy);
  CHECK(std::stoul(busy) > 500);
}

TEST_CASE("run_for: a packet that a gateway's channel loses is missed, in spite of all copies before it") {
  const std::string text = forked([] {
    Grouped own(Setting{});
    tsuji::test::LosesOne loses(20);
    own.machine->link_from_others(2).set_probe(&loses);
    const tsuji::test::MulticastPlan plan(own.machine->nodes(), 40);
    own.job->load([&](host::RankRuntime& runtime) {
      return std::make_unique<tsuji::test::Script>(
          runtime, [&](host::RankRuntime& rank) { tsuji::test::play_multicasts(rank, plan); });
    });
    return tsuji::test::failure_in_slices(*own.machine, 3000);
  });
  CHECK_THAT(text, Catch::Contains("are under way"));
}
