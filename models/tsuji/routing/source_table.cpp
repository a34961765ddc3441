// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/source_table.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/paths.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {

using graph::Topology;

/// Computes the trees, and the layers in which packets may begin.
class SourceTable::Builder {
 public:
  Builder(SourceTable& table, const Topology& topology)
      : table_(table), topology_(topology), sends_(topology.routers(), 0), receives_(topology.routers(), 0) {
    for (const graph::NodePorts& node : table.nodes_) {
      sends_[node.inject.router] = 1;
      receives_[node.eject.router] = 1;
    }
  }

  void find_trees(const SourceTableConfig& config);
  TurnLayers find_layers() const {
    return {topology_, {[this](RouterId to, auto& ports) { read_ports(to, ports); }, sends_}, "source_table"};
  }
  /// For every router and destination, the layers from which the path can be completed.
  std::vector<LayerMask> find_starts() const;

 private:
  std::vector<Cycle> costs_to(RouterId to, const SourceTableConfig& config) const;
  Cycle cost_of(std::uint32_t link, const SourceTableConfig& config) const {
    return config.router_cost_cycles ? topology_.links()[link].latency_cycles + *config.router_cost_cycles
                                     : 1;
  }
  void require_connected(RouterId to, const std::vector<Cycle>& costs) const;
  void read_ports(RouterId to, std::vector<std::uint16_t>& ports) const {
    for (RouterId here = 0; here < table_.routers_; ++here)
      ports[here] = table_.next_port_[table_.pair(here, to)];
  }
  void add_starts(const PathTree& tree, std::vector<LayerMask>& starts) const;

  SourceTable& table_;
  const Topology& topology_;
  std::vector<std::uint8_t> sends_, receives_;
};

void SourceTable::Builder::find_trees(const SourceTableConfig& config) {
  table_.next_port_.assign(std::size_t{table_.routers_} * table_.routers_, no_port);
  std::vector<std::pair<RouterId, unsigned>> nearer;  // neighbour and port
  for (RouterId to = 0; to < table_.routers_; ++to) {
    if (receives_[to] == 0) continue;
    const std::vector<Cycle> costs = costs_to(to, config);
    require_connected(to, costs);
    for (RouterId here = 0; here < table_.routers_; ++here) {
      if (here == to || costs[here] == graph::unreachable_cycles) continue;
      nearer.clear();
      for (unsigned port = 0; port < topology_.ports(here); ++port) {
        const Topology::Far& far = topology_.far(here, port);
        if (far.kind == Topology::Far::Kind::router && far.sends &&
            costs[far.at.router] + cost_of(far.link, config) == costs[here])
          nearer.emplace_back(far.at.router, port);
      }
      std::sort(nearer.begin(), nearer.end());
      const std::size_t drawn = config.random_ties.value_or(true)
                                    ? CounterRandom(config.seed, table_.pair(here, to)).below(nearer.size())
                                    : 0;
      table_.next_port_[table_.pair(here, to)] = static_cast<std::uint16_t>(nearer[drawn].second);
    }
  }
}

/// Cost of the shortest path from each router; links count 1 each unless latencies count.
std::vector<Cycle> SourceTable::Builder::costs_to(RouterId to, const SourceTableConfig& config) const {
  if (config.router_cost_cycles) return graph::cycles_to(topology_, to, *config.router_cost_cycles);
  std::vector<Cycle> costs;
  for (const std::uint16_t hops : graph::hops_to(topology_, to))
    costs.push_back(hops == graph::unreachable ? graph::unreachable_cycles : hops);
  return costs;
}

void SourceTable::Builder::require_connected(RouterId to, const std::vector<Cycle>& costs) const {
  for (RouterId from = 0; from < table_.routers_; ++from) {
    if (sends_[from] == 0 || costs[from] != graph::unreachable_cycles) continue;
    throw ConfigError("routing.kind", "source_table",
                      "there is no route from router " + std::to_string(from) + " to " + std::to_string(to),
                      "a connected topology");
  }
}

void SourceTable::Builder::add_starts(const PathTree& tree, std::vector<LayerMask>& starts) const {
  const unsigned layers = table_.layers_->layers();
  const std::vector<RouterId>& order = tree.farthest_first();
  for (auto here = order.rbegin(); here != order.rend(); ++here) {
    LayerMask& start = starts[table_.pair(*here, tree.root())];
    const graph::PortRef at = tree.next(*here);
    if (at.router == tree.root()) {
      start = vc_range(0, layers);
      continue;
    }
    const LayerMask then = starts[table_.pair(at.router, tree.root())],
                    stays = table_.layers_->of(at.router, at.port, tree.port(at.router)) & then;
    for (unsigned k = 0; k < layers; ++k)
      if ((stays >> k & 1) != 0 || then >> (k + 1) != 0) start |= static_cast<LayerMask>(1U << k);
    if ((start & 1) == 0 && sends_[*here] != 0)
      throw ModelError("source_table", "a path cannot be completed from the lowest layer");
  }
}

std::vector<SourceTable::LayerMask> SourceTable::Builder::find_starts() const {
  std::vector<LayerMask> starts(table_.next_port_.size(), 0);
  std::vector<std::uint16_t> ports(table_.routers_);
  PathTree tree(topology_);
  for (RouterId to = 0; to < table_.routers_; ++to) {
    read_ports(to, ports);
    tree.grow(to, ports);
    add_starts(tree, starts);
  }
  return starts;
}

SourceTable::SourceTable(const Topology& topology, unsigned vcs, const SourceTableConfig& config)
    : all_(require_vcs("source_table", vcs, 1)), routers_(topology.routers()) {
  require_table_size("source_table", topology);
  for (NodeId node = 0; node < topology.nodes(); ++node) nodes_.push_back(topology.node(node));
  for (RouterId router = 0; router < routers_; ++router) {
    first_port_.push_back(static_cast<std::uint32_t>(from_node_.size()));
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      from_node_.push_back(topology.far(router, port).kind == Topology::Far::Kind::node);
      far_.push_back(topology.far(router, port).at);
    }
  }
  Builder builder(*this, topology);
  builder.find_trees(config);
  layers_.emplace(builder.find_layers());
  share_vcs(builder.find_starts(), vcs);
}

void SourceTable::share_vcs(const std::vector<LayerMask>& starts, unsigned vcs) {
  const unsigned layers = layers_->layers();
  std::vector<std::uint64_t> paths(layers, 0);
  for (LayerMask start : starts)
    for (unsigned layer = 0; layer < layers; ++layer) paths[layer] += start >> layer & 1;
  layer_vcs_.emplace("source_table", vcs, paths);
  for (LayerMask start : starts) {
    good_vcs_.push_back(0);
    for (unsigned layer = 0; layer < layers; ++layer)
      if ((start >> layer & 1) != 0) good_vcs_.back() |= layer_vcs_->of(layer);
  }
}

void SourceTable::route(const RouteQuery& query, RouteSet& candidates) const {
  const RouteCandidate entry = table_entry(query.router, query.in_port, query.destination.node());
  candidates.clear();
  candidates.add(entry.port, vc_map(query.router, query.in_port, query.in_vc, entry.port).of(entry.vcs));
}

RouteCandidate SourceTable::table_entry(RouterId router, std::uint32_t, NodeId destination) const {
  const graph::PortRef to = nodes_[destination].eject;
  if (to.router == router) return {static_cast<std::uint16_t>(to.port), all_, 0};
  const std::size_t index = pair(router, to.router);
  return {next_port_[index], good_vcs_[index], 0};
}

VcMap SourceTable::vc_map(RouterId router, std::uint32_t in_port, std::uint32_t in_vc,
                          std::uint32_t out_port) const {
  const std::uint8_t* const from_node = &from_node_[first_port_[router]];
  if (from_node[in_port] != 0 || from_node[out_port] != 0) return {};
  if (!layer_vcs_->knows(in_vc)) return {0, 0};  // only from a node's port
  const unsigned layer = layer_vcs_->layer(in_vc);
  const bool stays = layers_->has(layer, router, in_port, out_port);
  return {stays ? layer_vcs_->of(layer) : VcMask{0}, layer_vcs_->above(layer)};
}

std::vector<SourceTable::Hop> SourceTable::path(NodeId source, NodeId destination) const {
  RouteQuery query;
  query.router = nodes_[source].inject.router;
  query.in_port = nodes_[source].inject.port;
  query.destination = destination;
  std::vector<Hop> hops;
  RouteSet candidates;
  for (;;) {
    route(query, candidates);
    if (query.router == nodes_[destination].eject.router) break;
    const auto lowest = static_cast<unsigned>(__builtin_ctz(candidates[0].vcs));
    hops.push_back({candidates[0].port, layer_vcs_->of(layer_vcs_->layer(lowest))});
    query.in_vc = lowest;
    const graph::PortRef next = far_[first_port_[query.router] + candidates[0].port];
    query.router = next.router;
    query.in_port = next.port;
  }
  hops.push_back({candidates[0].port, all_});
  return hops;
}

void SourceTableConfig::add_keys(config::KeyTable& keys) {
  keys.add_choice("routing.ties", random_ties,
                  {{"auto", std::optional<bool>()}, {"random", true}, {"fixed", false}},
                  "choice among routes of equal length; random: for each packet with dimension_order, for "
                  "each table entry with source_table; fixed: towards higher coordinates with "
                  "dimension_order, the lowest neighbour with source_table; auto: fixed for dimension_order "
                  "with look-up hardware, whose tables hold one route, else random");
  keys.add("routing.seed", seed, {0, ~0ULL}, "",
           "source_table: seed of the random choice among routes of equal length");
  keys.add("routing.router_cost_cycles", router_cost_cycles, {0, 1'000'000}, "hops", "cycles",
           "source_table: paths are those of the fewest cycles, with this number for each router beside the "
           "latency of each link; hops: those of the fewest links");
  keys.only_with("routing.seed", {{"routing.ties", {"auto", "random"}}});
}

std::unique_ptr<const Routing> SourceTableConfig::make(const RoutingParts& parts) const {
  return std::make_unique<SourceTable>(parts.topology, parts.vcs, *this);
}

void add_source_table(RoutingKinds& kinds) {
  kinds.add<SourceTableConfig>("source_table", {{"table"}});
}

}  // namespace tsuji::routing
