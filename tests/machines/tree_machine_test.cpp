// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_machine.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machines/machines.h"
#include "machines/mixed_protocols.h"
#include "machines/rank_sets.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/network/config/network_plan.h"

// Whole Cenju-4 nodes on a virtual-channel network whose tree units multicast and synchronize.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::machines;
using tsuji::test::forked;
using tsuji::test::mixed_memory;
using tsuji::test::mixed_nodes;
using tsuji::test::mixed_on_stages;
using tsuji::test::parsed;
using Json = nlohmann::ordered_json;

namespace {

using Body = tsuji::test::Script::Body;

struct Setting {
  std::string topology = "torus", routing = "detour_ud";
  std::vector<unsigned> radices = {6, 6};
  bool hardware = true;  ///< look-up and prediction
  ProcessMode processes = ProcessMode::one_for_all;
  std::uint64_t shuffle_seed = 0;
  unsigned fifo_packets = 2;
  std::string faults = {};  ///< link.faults, with retry
};

NetworkConfig network_of(const Setting& setting) {
  NetworkConfig config;
  config.topology.kind = setting.topology;
  if (setting.topology != "fat_tree") config.topology.of<graph::CubeConfig>().radices = setting.radices;
  config.routing.kind = setting.routing;
  config.network.vcs = 5;
  config.network.own_vcs = TreeConfig::vcs;
  config.clock_period_ps = 12500;
  config.link_faults = setting.faults;
  config.process_mode = setting.processes;
  config.shuffle_seed = setting.shuffle_seed;
  if (setting.routing == "detour_ud") config.dead.links = {0};
  if (setting.hardware) {
    config.lookup.kind = "cached";
    config.network.router.prediction.kind = "latest_port";
  }
  config.resolve();
  config.validate();
  return config;
}

TreeConfig tree_of(const Setting& setting) {
  TreeConfig tree;
  tree.fifo_packets = setting.fifo_packets;
  return tree;
}

/// A machine with its parts.
struct OnTree {
  explicit OnTree(const Setting& setting, const Cenju4Config& of_nodes)
      : network(network_of(setting)),
        plan(network),
        tree(tree_of(setting)),
        nodes(TreeMachine::complete_config(of_nodes, network, plan.topology, tree)) {
    TreeMachine::Parts parts{network, plan.topology, *plan.routing, nodes, bridge};
    if (!setting.faults.empty()) parts.retry.timeout_cycles = 2000;
    machine = std::make_unique<TreeMachine>(parts, tree, plan.faults);
    job = std::make_unique<platform::Cenju4Job>(*machine);
  }
  void run(const Body& body) { tsuji::test::run_script(*job, body); }

  const NetworkConfig network;
  const NetworkPlan plan;
  const TreeConfig tree;
  const Cenju4Config nodes;
  const traffic::LinkBridgeConfig bridge;
  std::unique_ptr<TreeMachine> machine;
  std::unique_ptr<platform::Cenju4Job> job;
};

std::string mixed_on_tree(const Setting& setting, std::uint64_t seed) {
  OnTree own(setting, mixed_nodes());
  Json facts{{"memory", mixed_memory(*own.job, seed)}, {"end", own.job->end_cycle()}};
  const TreeCounters units = own.machine->units().counters();
  facts["units"] = {units.multicasts, units.synchronizations, units.to_units};
  facts["flits left"] = own.machine->metrics().flits_in_flight_at_end;
  const TreeCounters counters = own.machine->units().counters();
  facts["changes"] = counters.changes;
  facts["sent again"] = counters.sent_again;
  return facts.dump();
}

}  // namespace

TEST_CASE("a program of all protocols ends with the same memory on Cenju-4's switches and on a tree") {
  constexpr std::uint64_t seed = 31;
  const Json stages = parsed(forked([&] { return mixed_on_stages(36, seed); }));
  REQUIRE(stages["memory"]["problem"] == "");
  Setting setting;
  setting.fifo_packets = GENERATE(1U, 2U);
  setting.hardware = setting.fifo_packets == 2;
  const Json tree = parsed(forked([&] { return mixed_on_tree(setting, seed); }));
  CHECK((tree["memory"] == stages["memory"]));
  CHECK(tree["flits left"] == 0);
  CHECK(tree["units"][0] > 20);
  CHECK(tree["units"][1] > 36);
}

namespace {

/// Each link of a 6x6 torus dies and returns, three links at a time, in a part of a run that lasts until
/// `end`.
std::string dying_links(Cycle end) {
  std::string text;
  for (unsigned link = 0; link < 72; ++link) {
    const Cycle from = end / 20 + link / 3 * end / 30;
    text += (text.empty() ? "" : ",") + std::to_string(link * 5 % 72) + '@' + std::to_string(from) + ':' +
            std::to_string(from + end / 50);
  }
  return text;
}

/// The 6x6 torus whose links die and return during the program of all protocols.
Setting dying(std::uint64_t seed) {
  Setting setting;
  setting.routing = "dimension_order";
  setting.hardware = false;
  const Json calm = parsed(forked([&] { return mixed_on_tree(setting, seed); }));
  setting.faults = dying_links(calm["end"].get<Cycle>());
  return setting;
}

}  // namespace

TEST_CASE(
    "a program of all protocols ends with the same memory on Cenju-4's switches and on a tree that changes") {
  constexpr std::uint64_t seed = 31;
  const Json stages = parsed(forked([&] { return mixed_on_stages(36, seed); }));
  const Json tree = parsed(forked([&] { return mixed_on_tree(dying(seed), seed); }));
  CHECK((tree["memory"] == stages["memory"]));
  CHECK(tree["flits left"] == 0);
  CHECK(tree["changes"] > 20);
  CHECK(tree["sent again"] > 0);
}

TEST_CASE("the order of modules changes no result on a tree that changes") {
  Setting setting = dying(5);
  const std::string usual = forked([&] { return mixed_on_tree(setting, 5); });
  CHECK(parsed(usual)["memory"]["problem"] == "");
  setting.processes = ProcessMode::process_each;
  setting.shuffle_seed = 23;
  CHECK(forked([&] { return mixed_on_tree(setting, 5); }) == usual);
}

TEST_CASE("on a tree that changes barriers of random sets release no member early") {
  Setting setting = dying(7);
  const std::string problem = forked([&] {
    OnTree own(setting, tsuji::test::small_machine(2));
    const tsuji::test::BarrierPlan plan(own.machine->nodes());
    tsuji::test::BarrierLog log(plan);
    own.run([&](host::RankRuntime& rank) { tsuji::test::play_barriers(rank, plan, log); });
    if (log.left.size() < 1000) return std::string("too few");
    if (own.machine->units().counters().changes < 5) return std::string("too few changes");
    return log.wrong.empty() ? std::string("none") : log.wrong.front();
  });
  CHECK(problem == "none");
}

TEST_CASE("a member that is never reconnected ends the run with the unit that keeps its multicast") {
  Setting setting;
  setting.routing = "dimension_order";
  setting.hardware = false;
  setting.radices = {3, 3};
  for (unsigned link = 0; link < 18; ++link) {
    const graph::Topology topology = make_topology(network_of(Setting(setting)).topology, 1);
    const graph::RouterLink& ends = topology.links()[link];
    if (ends.a.router == 4 || ends.b.router == 4)
      setting.faults += (setting.faults.empty() ? "" : ",") + std::to_string(link) + "@10";
  }
  const std::string text = forked([&] {
    Cenju4Config nodes = tsuji::test::small_machine(2);
    OnTree own(setting, nodes);
    const tsuji::test::MulticastPlan plan(own.machine->nodes(), 10);
    own.run([&](host::RankRuntime& rank) { tsuji::test::play_multicasts(rank, plan); });
    return std::string("ended");
  });
  CAPTURE(text);
  CHECK(text.find("wait forever") != std::string::npos);
  CHECK(text.find("the unit of router 4 holds") != std::string::npos);
  CHECK(text.find("no living link joins it to the tree") != std::string::npos);
}

TEST_CASE("on a tree barriers of random sets that cross each other release no member early") {
  Setting setting;
  setting.fifo_packets = GENERATE(1U, 2U);
  const std::string problem = forked([&] {
    OnTree own(setting, tsuji::test::small_machine(2));
    const tsuji::test::BarrierPlan plan(own.machine->nodes());
    tsuji::test::BarrierLog log(plan);
    own.run([&](host::RankRuntime& rank) { tsuji::test::play_barriers(rank, plan, log); });
    if (log.left.size() < 1000) return std::string("too few");
    return log.wrong.empty() ? std::string("none") : log.wrong.front();
  });
  CHECK(problem == "none");
}

TEST_CASE("on a tree multicasts to random sets reach exactly their members") {
  const std::string problem = forked([] {
    Setting setting;
    setting.topology = "fat_tree";
    setting.routing = "auto";  // 64 nodes; the routers above the lowest have none
    setting.hardware = false;
    Cenju4Config nodes = tsuji::test::small_machine(2);
    nodes.library.heap_bytes = 4 << 20;
    OnTree own(setting, nodes);
    const tsuji::test::MulticastPlan plan(own.machine->nodes(), 40);
    own.run([&](host::RankRuntime& rank) { tsuji::test::play_multicasts(rank, plan); });
    return std::string("none");
  });
  CHECK(problem == "none");
}

TEST_CASE("on a tree of 81 nodes multicasts go to both groups of a map, and barriers are hierarchical") {
  const std::string problem = forked([] {
    Setting setting;
    setting.radices = {9, 9};
    Cenju4Config nodes = tsuji::test::small_machine(2);
    nodes.library.heap_bytes = 4 << 20;
    OnTree own(setting, nodes);
    const tsuji::test::MulticastPlan plan(own.machine->nodes(), 40);
    own.run([&](host::RankRuntime& rank) { tsuji::test::play_multicasts(rank, plan); });
    if (own.machine->units().counters().synchronizations != 0) return std::string("synchronizations");
    return std::string("none");
  });
  CHECK(problem == "none");
}

TEST_CASE("on a tree the order of modules changes no result") {
  Setting setting;
  setting.radices = {4, 4};
  const std::string usual = forked([&] { return mixed_on_tree(setting, 5); });
  CHECK(parsed(usual)["memory"]["problem"] == "");
  setting.processes = ProcessMode::process_each;
  CHECK(forked([&] { return mixed_on_tree(setting, 5); }) == usual);
  setting.shuffle_seed = 23;
  CHECK(forked([&] { return mixed_on_tree(setting, 5); }) == usual);
}

TEST_CASE("run_for: packets on a tree are accounted for whenever a run stops") {
  const bool changes = GENERATE(false, true);
  const std::string busy = forked([&] {
    OnTree own(changes ? dying(7) : Setting(), tsuji::test::small_machine(2));
    const tsuji::test::BarrierPlan plan(own.machine->nodes());
    tsuji::test::BarrierLog log(plan);
    const unsigned slices = tsuji::test::run_in_slices(*own.machine, *own.job, [&](host::RankRuntime& rank) {
      tsuji::test::play_barriers(rank, plan, log);
    });
    if (!log.wrong.empty()) return log.wrong.front();
    return std::to_string(slices);
  });
  CAPTURE(busy);
  CHECK(std::stoul(busy) > 500);
}

TEST_CASE("run_for: copies of multicasts on a tree are accounted for whenever a run stops") {
  const std::string busy = forked([] {
    OnTree own(Setting(), tsuji::test::small_machine(2));
    const tsuji::test::MulticastPlan plan(own.machine->nodes(), 40);
    return std::to_string(tsuji::test::run_in_slices(
        *own.machine, *own.job, [&](host::RankRuntime& rank) { tsuji::test::play_multicasts(rank, plan); }));
  });
  CAPTURE(busy);
  CHECK(std::stoul(busy) > 500);
}

TEST_CASE("run_for: a packet that a tree's channel loses is missed, in spite of all copies before it") {
  const std::string text = forked([] {
    OnTree own(Setting(), tsuji::test::small_machine(2));
    tsuji::test::LosesOne loses(20);
    tsuji::test::lose_one_on("to_node3", loses);
    const tsuji::test::MulticastPlan plan(own.machine->nodes(), 40);
    own.job->load([&](host::RankRuntime& runtime) {
      return std::make_unique<tsuji::test::Script>(
          runtime, [&](host::RankRuntime& rank) { tsuji::test::play_multicasts(rank, plan); });
    });
    return tsuji::test::failure_in_slices(*own.machine, 3000);
  });
  CHECK_THAT(text, Catch::Contains("are under way"));
}
