// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/routing/compact/compact.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

NetworkConfig grid(routing::CompactEscape escape = routing::CompactEscape::layers) {
  NetworkConfig config;
  config.topology.kind = "random_grid";
  config.topology.of<graph::RandomGraphConfig>().nodes = 64;
  config.topology.of<graph::RandomGraphConfig>().degree = 4;
  config.routing.kind = "compact";
  config.routing.of<routing::CompactRoutingConfig>().entries = 16;
  config.routing.of<routing::CompactRoutingConfig>().escape = escape;
  config.network.router.atomic_vcs = escape == routing::CompactEscape::tree;
  config.network.vcs = 6;
  return config;
}

NetworkConfig searched(unsigned width, bool ends_early = true, const char* kind = "compact") {
  NetworkConfig config = grid();
  config.lookup.kind = kind;
  config.lookup.timing.search.entries_per_cycle = width;
  config.lookup.timing.search.ends_early = ends_early;
  return config;
}

/// Cycles of all searches along a packet's path if no search ends early.
Cycle searches_on_the_way(const VcRig& rig, const routing::Compact& routing, NodeId from, NodeId to,
                          unsigned width) {
  const graph::RouterId end = rig.plan.topology.node(to).eject.router;
  Cycle cycles = 1;  // at the destination's router
  for (graph::RouterId at = rig.plan.topology.node(from).inject.router; at != end;) {
    const auto entries = routing.tables().entries(at);
    cycles += (entries.size() + width - 1) / width + 1;
    at = rig.plan.topology.far(at, entries[routing.tables().choose(at, end)].port).at.router;
  }
  return cycles;
}

}  // namespace

TEST_CASE("at zero load each router adds its search of compact tables") {
  const std::vector<unsigned> widths = {1, 4, 16};
  std::vector<VcRig::Send> packets;
  for (NodeId to = 1; to < 64; ++to) packets.push_back({to % 7 == 3 ? 40U : 0U, to, 500 * to, 4});
  std::vector<std::unique_ptr<VcRig>> rigs;
  rigs.push_back(std::make_unique<VcRig>(grid()));
  for (const unsigned width : widths) rigs.push_back(std::make_unique<VcRig>(searched(width, false)));
  for (const auto& rig : rigs) rig->build(packets);
  for (const auto& rig : rigs) {
    REQUIRE(rig->run_until_idle(60'000));
    REQUIRE(rig->delivered.size() == packets.size());
  }
  const Cycle rc = rigs[0]->config.network.rc_cycles;
  const auto plain = rigs[0]->by_packet();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const VcRig& rig = *rigs[i + 1];
    const routing::Compact routing(rig.plan.topology, 6,
                                   rig.config.routing.of<routing::CompactRoutingConfig>());
    for (const auto& [id, packet] : rig.by_packet()) {
      CAPTURE(widths[i], packet.source.node(), packet.destination.node());
      const Cycle searches =
          searches_on_the_way(rig, routing, packet.source.node(), packet.destination.node(), widths[i]);
      CHECK(packet.hops == plain.at(id).hops);
      CHECK(packet.tail_cycle == plain.at(id).tail_cycle + searches - rc * packet.hops);
    }
  }
}

TEST_CASE("searches of compact tables deliver every packet, in any order of modules") {
  struct Hardware {
    const char* name;
    NetworkConfig config;
  };
  std::vector<Hardware> hardware = {{"early end", searched(4)},
                                    {"cached", searched(4, true, "compact_cached")},
                                    {"one for the switch", searched(4)},
                                    {"tree", grid(routing::CompactEscape::tree)},
                                    {"at arrival", searched(2)}};
  hardware[2].config.lookup.timing.search.of_switch = true;
  hardware[3].config.lookup.kind = "compact";
  hardware[4].config.network.router.route_at = router::RouteAt::arrival;
  struct Run {
    const Hardware* hardware;
    std::unique_ptr<VcRig> rig;
  };
  std::vector<Run> runs;
  for (Hardware& one : hardware) {
    for (const std::uint64_t shuffle : {0, 99}) {
      one.config.shuffle_seed = shuffle;
      one.config.process_mode = shuffle == 0 ? ProcessMode::one_for_all : ProcessMode::process_each;
      runs.push_back({&one, std::make_unique<VcRig>(one.config)});
      runs.back().rig->build(load(0.05, 3, 1000));
    }
  }
  std::map<PacketId, observe::DeliveredPacket> first;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const VcRig& rig = *runs[i].rig;
    CAPTURE(runs[i].hardware->name);
    runs[i].rig->loaded->run_to(40'000);
    CHECK(rig.delivered.size() == rig.loaded->accounts().packets_born());
    rig.loaded->check_conservation();
    const auto found = rig.by_packet();
    CHECK(found.size() > 800);
    const lookup::LookupCounters counters = rig.loaded->lookup()->counters();
    std::uint64_t hops = 0;
    for (const auto& [id, packet] : found) hops += packet.hops;
    const bool tree = runs[i].hardware == &hardware[3];  // here heads on escape channels do not search
    CHECK((tree ? counters.cache.lookups <= hops : counters.cache.lookups == hops));
    CHECK(counters.cam_accesses == 0);
    CHECK(counters.searches ==
          (rig.config.lookup.has_caches() ? counters.cache.misses : counters.cache.lookups));
    if (i % 2 == 0) first = found;
    for (const auto& [id, packet] : found) CHECK(packet.tail_cycle == first.at(id).tail_cycle);
  }
}

TEST_CASE("compact look-up is refused with tables that it cannot search or cache") {
  const auto refused = [](const NetworkConfig& config) {
    const auto error = tsuji::test::thrown<ConfigError>([&] {
      config.validate();
      VcRig rig(config);
      rig.build(std::vector<VcRig::Send>{});
    });
    return error ? error->key() : std::string();
  };
  NetworkConfig other = searched(4);
  other.routing.kind = "source_table";
  CHECK(refused(other) == "lookup.kind");
  NetworkConfig tree = grid(routing::CompactEscape::tree);
  tree.lookup.kind = "compact_cached";
  CHECK(refused(tree) == "lookup.kind");
  NetworkConfig shared = searched(4, true, "compact_cached");
  shared.lookup.timing.search.of_switch = true;
  CHECK(refused(shared) == "lookup.search_unit");
  CHECK(refused(searched(4)).empty());
}
