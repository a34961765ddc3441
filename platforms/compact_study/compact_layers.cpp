// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "platforms/compact_study/compact_study.h"
#include "tsuji/results/results.h"
#include "tsuji/routing/escape_tree.h"
#include "tsuji/routing/lash_layers.h"
#include "tsuji/routing/source_table.h"

namespace tsuji::platform {
namespace {

using routing::RouterId;
using routing::TurnLayers;

/// The shortest paths of the routing's tables, in the form that TurnLayers takes; refers to the routing.
TurnLayers::Paths paths_of(const graph::Topology& topology, const routing::SourceTable& routing) {
  TurnLayers::Paths paths;
  paths.sends.assign(topology.routers(), 0);
  std::vector<NodeId> node_at(topology.routers(), graph::none);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    paths.sends[topology.node(node).inject.router] = 1;
    node_at[topology.node(node).eject.router] = node;
  }
  paths.ports = [&routing, node_at](RouterId to, std::vector<std::uint16_t>& ports) {
    if (node_at[to] == graph::none) return;
    for (RouterId router = 0; router < ports.size(); ++router)
      if (router != to) ports[router] = routing.table_entry(router, 0, node_at[to]).port;
  };
  return paths;
}

void add_bits(observe::ResultTable& table, unsigned seed, const std::string& scheme,
              const routing::TableBits& bits) {
  table.row({seed, scheme, bits.table, bits.state, bits.all(), bits.comparators, bits.header});
}

}  // namespace

void run_compact_layers(const CompactStudy& study, const RunOptions& options, observe::Results& results) {
  constexpr unsigned vcs = 16;
  observe::ResultTable& layers = results.table("layers", {{"seed", ""},
                                                          {"entries", "entries"},
                                                          {"compact", "layers"},
                                                          {"compact_lash", "layers"},
                                                          {"tree_intervals", "intervals"},
                                                          {"source_table", "layers"},
                                                          {"shortest_lash", "layers"}});
  observe::ResultTable& bits = results.table("bits", {{"seed", ""},
                                                      {"scheme", ""},
                                                      {"table", "bits"},
                                                      {"state", "bits"},
                                                      {"all", "bits"},
                                                      {"comparators", "bits"},
                                                      {"header", "bits"}});
  for_each_graph(study, options, results, [&](unsigned seed, const std::function<void(double)>&) {
    const graph::Topology topology = make_study_topology(study, seed);
    const graph::LivingNetwork network(topology, {});
    const routing::CompactTables tables(topology, network, study.routing);
    const routing::CompactRoutes routes(topology, network, tables);
    const TurnLayers compact(topology, routes.paths(), "compact");
    const routing::EscapeTree tree(topology, network);
    const routing::SourceTable source(topology, vcs);
    const unsigned lash = lash_layers(topology, paths_of(topology, source));
    layers.row({seed, tables.capacity(), compact.layers(), lash_layers(topology, routes.paths()),
                tree.most_intervals(), source.layers(), lash});
    const routing::TableBitsOf of(tables.space(), degree_of(topology));
    add_bits(bits, seed, "compact with layers", of.compact_with_layers(tables.capacity(), compact.layers()));
    add_bits(bits, seed, "compact with tree", of.compact_with_tree(tables.capacity()));
    add_bits(bits, seed, "full table", of.full());
    add_bits(bits, seed, "source_table", of.source_table(source.layers()));
    add_bits(bits, seed, "up_down", of.up_down());
    add_bits(bits, seed, "lash", of.lash(lash));
  });
  results.headline("Layers and bits of schemes against deadlock");
}

}  // namespace tsuji::platform
