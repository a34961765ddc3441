#include "routing/source_table.h"

#include <algorithm>

#include "core/error.h"
#include "graph/paths.h"
#include "routing/acyclic_graph.h"
#include "routing/checks.h"

namespace tsuji::routing {

using graph::Topology;

namespace {

constexpr unsigned most_layers = 255;

}  // namespace

SourceTable::SourceTable(const Topology& topology, unsigned vcs, const SourceTableConfig& config)
    : all_(require_vcs("source_table", vcs, 1)), routers_(topology.routers()) {
  require_table_size("source_table", topology);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    source_router_.push_back(topology.node(node).inject.router);
    node_.push_back(topology.node(node).eject);
  }
  for (RouterId router = 0; router < routers_; ++router) {
    behind_.emplace_back();
    for (unsigned port = 0; port < topology.ports(router); ++port)
      behind_.back().push_back(topology.far(router, port).at.router);
  }
  find_next_ports(topology, config);
  share_vcs(find_layers(topology), vcs);
}

void SourceTable::find_next_ports(const Topology& topology, const SourceTableConfig& config) {
  next_port_.assign(std::size_t{routers_} * routers_, 0xFFFF);
  std::vector<std::uint8_t> wanted(routers_, 0);
  for (const graph::PortRef& at : node_) wanted[at.router] = 1;
  std::vector<std::pair<RouterId, unsigned>> nearer;  // neighbour and port
  for (RouterId to = 0; to < routers_; ++to) {
    if (wanted[to] == 0) continue;
    const std::vector<std::uint16_t> hops = graph::hops_to(topology, to);
    for (RouterId here = 0; here < routers_; ++here) {
      if (here == to || hops[here] == graph::unreachable) continue;
      nearer.clear();
      for (unsigned port = 0; port < topology.ports(here); ++port) {
        const Topology::Far& far = topology.far(here, port);
        if (far.kind == Topology::Far::Kind::router && far.sends && hops[far.at.router] + 1 == hops[here])
          nearer.emplace_back(far.at.router, port);
      }
      const auto chosen =
          config.random_ties
              ? nearer.begin() + static_cast<std::ptrdiff_t>(
                                     CounterRandom(config.seed, pair(here, to)).below(nearer.size()))
              : std::min_element(nearer.begin(), nearer.end());
      next_port_[pair(here, to)] = static_cast<std::uint16_t>(chosen->second);
    }
  }
}

/// Gives every pair of routers with nodes its layer, and tells how many paths each layer has.
std::vector<std::uint64_t> SourceTable::find_layers(const Topology& topology) {
  layer_.assign(std::size_t{routers_} * routers_, 0);
  std::vector<std::uint8_t> sends(routers_, 0), receives(routers_, 0);
  for (RouterId router : source_router_) sends[router] = 1;
  for (const graph::PortRef& at : node_) receives[at.router] = 1;

  std::vector<AcyclicGraph> graphs;
  std::vector<std::uint64_t> paths;
  std::vector<std::uint32_t> channels;
  for (RouterId from = 0; from < routers_; ++from) {
    for (RouterId to = 0; to < routers_; ++to) {
      if (sends[from] == 0 || receives[to] == 0 || from == to) continue;
      channels.clear();
      for (RouterId here = from; here != to;) {
        const unsigned port = next_port_[pair(here, to)];
        if (port == 0xFFFF)
          throw ConfigError(
              "routing.kind", "source_table",
              "there is no way from router " + std::to_string(from) + " to " + std::to_string(to),
              "a connected topology");
        const Topology::Far& far = topology.far(here, port);
        channels.push_back(2 * far.link + (topology.links()[far.link].a.router == here ? 0 : 1));
        here = far.at.router;
      }
      std::size_t layer = 0;
      while (layer < graphs.size() && !graphs[layer].add_path(channels)) ++layer;
      if (layer == graphs.size()) {
        if (layer == most_layers)
          throw ConfigError("routing.kind", "source_table", "needs more than 255 layers", "another routing");
        graphs.emplace_back(2 * topology.links().size());
        graphs.back().add_path(channels);
        paths.push_back(0);
      }
      ++paths[layer];
      layer_[pair(from, to)] = static_cast<std::uint8_t>(layer);
    }
  }
  if (paths.empty()) paths.push_back(0);  // all nodes at one router
  return paths;
}

void SourceTable::share_vcs(const std::vector<std::uint64_t>& paths_of_layer, unsigned vcs) {
  const auto layers = static_cast<unsigned>(paths_of_layer.size());
  require_vcs("source_table", vcs, layers);
  std::vector<unsigned> count(layers, 1);
  for (unsigned spare = vcs - layers; spare > 0; --spare) {
    unsigned fullest = 0;
    for (unsigned layer = 1; layer < layers; ++layer)
      if (paths_of_layer[layer] * count[fullest] > paths_of_layer[fullest] * count[layer]) fullest = layer;
    ++count[fullest];
  }
  unsigned first = 0;
  for (unsigned layer = 0; layer < layers; first += count[layer], ++layer)
    layer_vcs_.push_back(vc_range(first, count[layer]));
}

void SourceTable::route(const RouteQuery& query, RouteSet& ways) const {
  ways.clear();
  const graph::PortRef to = node_[query.destination];
  if (to.router == query.router)
    ways.add(to.port, all_);
  else
    ways.add(next_port_[pair(query.router, to.router)],
             layer_vcs_[layer_[pair(source_router_[query.source], to.router)]]);
}

std::vector<SourceTable::Hop> SourceTable::path(NodeId source, NodeId destination) const {
  const graph::PortRef to = node_[destination];
  const VcMask vcs = layer_vcs_[layer_[pair(source_router_[source], to.router)]];
  std::vector<Hop> hops;
  for (RouterId here = source_router_[source]; here != to.router; here = behind_[here][hops.back().port])
    hops.push_back({next_port_[pair(here, to.router)], vcs});
  hops.push_back({static_cast<std::uint16_t>(to.port), all_});
  return hops;
}

}  // namespace tsuji::routing
