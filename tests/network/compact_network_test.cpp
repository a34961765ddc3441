// SPDX-License-Identifier: Apache-2.0
// Compact tables in a whole network: packets take the tables' hops, and drain far above saturation.

#include <vector>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "tsuji/routing/compact/compact.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using routing::CompactEscape;

namespace {

NetworkConfig compact_network(unsigned nodes, CompactEscape escape, unsigned wire_length = 3) {
  NetworkConfig config;
  config.topology.kind = "random_grid";
  auto& graph = config.topology.of<graph::RandomGraphConfig>();
  graph.nodes = nodes;
  graph.wire_length = wire_length;
  config.routing.kind = "compact";
  config.routing.kinds.of<routing::CompactRoutingConfig>().escape = escape;
  config.network.vcs = escape == CompactEscape::tree ? 2 : 6;
  config.network.buffer_flits = 4;
  config.network.router.atomic_vcs = true;
  return config;
}

/// Number of links on the tables' path, followed hop by hop.
unsigned links_by_tables(const VcRig& rig, NodeId from, NodeId to) {
  const routing::CompactTables& tables = static_cast<const routing::Compact&>(*rig.plan.routing).tables();
  graph::RouterId at = rig.plan.topology.node(from).inject.router;
  const graph::RouterId end = rig.plan.topology.node(to).eject.router;
  unsigned links = 0;
  for (; at != end; ++links)
    at = rig.plan.topology.far(at, tables.entries(at)[tables.choose(at, end)].port).at.router;
  return links;
}

/// Sends one packet for each pair. Beside a tree, only a packet alone surely stays off the escape channel, so
/// there each source waits for the delivery of its previous packet.
void check_every_pair(unsigned nodes, CompactEscape escape) {
  VcRig rig(compact_network(nodes, escape));
  std::vector<VcRig::Send> sends;
  const Cycle apart = escape == CompactEscape::tree ? 200 : 20;
  for (NodeId offset = 1; offset < nodes; ++offset)
    for (NodeId from = 0; from < nodes; ++from) {
      const Cycle created = escape == CompactEscape::tree ? 1 + (std::uint64_t{from} * nodes + offset) * apart
                                                          : 1 + offset * apart;
      sends.push_back({from, (from + offset) % nodes, created, 1});
    }
  rig.build(sends);
  const Cycle end = 200 * std::uint64_t{nodes} * nodes + 10'000;
  REQUIRE(rig.run_until_idle(end));
  REQUIRE(rig.delivered.size() == sends.size());
  for (const observe::DeliveredPacket& packet : rig.delivered)
    REQUIRE(packet.hops == 1 + links_by_tables(rig, packet.source.node(), packet.destination.node()));
  rig.loaded->check_conservation();
}

/// Offers at least three times what the network accepts, with the smallest buffers: every packet arrives.
void check_drain(CompactEscape escape, unsigned nodes, Cycle last_cycle, std::uint64_t packets) {
  NetworkConfig config = compact_network(nodes, escape, 4);
  config.network.buffer_flits = 1;
  config.network.vcs = 2;
  if (escape == CompactEscape::layers) {
    config.network.vcs = 16;  // the fewest that suffice
    const graph::Topology topology = make_topology(config.topology, 1);
    config.network.vcs = make_routing(config.routing, topology, 16)->vcs_needed();
  }
  VcRig rig(config);
  constexpr double offered = 0.9;
  rig.build(load(offered, 4, last_cycle), 7);
  rig.loaded->run_to(last_cycle);
  const double accepted =
      4.0 * static_cast<double>(rig.delivered.size()) / static_cast<double>(nodes * last_cycle);
  CHECK(offered > 3 * accepted);
  REQUIRE(rig.run_until_idle(1000 * last_cycle));
  CHECK(rig.delivered.size() >= packets);
  rig.loaded->check_conservation();
  CHECK(rig.loaded->network().flits_in_flight() == 0);
}

}  // namespace

TEST_CASE("packets take the hops of compact tables for every pair of 64 nodes, in layers") {
  check_every_pair(64, CompactEscape::layers);
}

TEST_CASE("packets take the hops of compact tables for every pair of 256 nodes, in layers") {
  check_every_pair(256, CompactEscape::layers);
}

TEST_CASE("packets take the hops of compact tables for every pair of 64 nodes, beside an escape tree") {
  check_every_pair(64, CompactEscape::tree);
}

TEST_CASE("packets take the hops of compact tables for every pair of 256 nodes, beside an escape tree") {
  check_every_pair(256, CompactEscape::tree);
}

TEST_CASE("compact tables drain a network far above saturation with the smallest buffers, in layers") {
  check_drain(CompactEscape::layers, 64, 1000, 10'000);
}

TEST_CASE(
    "compact tables drain a network far above saturation with the smallest buffers, beside an escape tree") {
  check_drain(CompactEscape::tree, 64, 1000, 10'000);
}

TEST_CASE("compact tables drain a million packets in layers", "[.][long]") {
  check_drain(CompactEscape::layers, 256, 18'000, 1'000'000);
}

TEST_CASE("compact tables drain a million packets beside an escape tree", "[.][long]") {
  check_drain(CompactEscape::tree, 256, 18'000, 1'000'000);
}
