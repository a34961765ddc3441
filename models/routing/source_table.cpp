#include "tsuji/routing/source_table.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/paths.h"
#include "tsuji/routing/acyclic_graph.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {

using graph::Topology;

namespace {

constexpr unsigned most_layers = 16;
constexpr std::uint16_t no_port = 0xFFFF;

/// Router numbers by falling distance; those that cannot reach the destination, and itself, left out.
std::vector<RouterId> farthest_first(const std::vector<std::uint16_t>& hops) {
  std::vector<RouterId> order;
  for (RouterId router = 0; router < hops.size(); ++router)
    if (hops[router] != graph::unreachable && hops[router] != 0) order.push_back(router);
  std::stable_sort(order.begin(), order.end(), [&](RouterId a, RouterId b) { return hops[a] > hops[b]; });
  return order;
}

}  // namespace

/// Finds trees and layers.
class SourceTable::Builder {
 public:
  Builder(SourceTable& table, const Topology& topology)
      : table_(table),
        topology_(topology),
        sends_(topology.routers(), 0),
        receives_(topology.routers(), 0),
        trees_(topology.routers()) {
    for (const graph::NodePorts& node : table.nodes_) {
      sends_[node.inject.router] = 1;
      receives_[node.eject.router] = 1;
    }
  }

  void find_trees(const SourceTableConfig& config);
  /// Gives the number of layers.
  unsigned find_layers();
  /// For every router and destination the layers from which the path can be completed.
  std::vector<LayerMask> find_starts(unsigned layers) const;

 private:
  void require_connected(RouterId to, const std::vector<std::uint16_t>& hops) const;
  std::vector<std::uint64_t> uses_of_turns(unsigned layer) const;
  bool choose_turns(unsigned layer, const std::vector<std::uint64_t>& uses);
  std::uint32_t channel(RouterId router, unsigned port) const {
    const std::uint32_t link = topology_.far(router, port).link;
    return 2 * link + (topology_.links()[link].a == graph::PortRef{router, port} ? 0 : 1);
  }
  /// The port of the next router where a packet for `to` comes in, and the turn that it takes there.
  graph::PortRef next(RouterId here, RouterId to) const {
    return topology_.far(here, table_.next_port_[table_.pair(here, to)]).at;
  }
  std::size_t turn_at(graph::PortRef at, RouterId to) const {
    return table_.turn(at.router, at.port, table_.next_port_[table_.pair(at.router, to)]);
  }

  SourceTable& table_;
  const Topology& topology_;
  std::vector<std::uint8_t> sends_, receives_;
  std::vector<std::vector<RouterId>> trees_;  ///< per destination, its sources, farthest first
};

void SourceTable::Builder::find_trees(const SourceTableConfig& config) {
  table_.next_port_.assign(std::size_t{table_.routers_} * table_.routers_, no_port);
  std::vector<std::pair<RouterId, unsigned>> nearer;  // neighbour and port
  for (RouterId to = 0; to < table_.routers_; ++to) {
    if (receives_[to] == 0) continue;
    const std::vector<std::uint16_t> hops = graph::hops_to(topology_, to);
    require_connected(to, hops);
    trees_[to] = farthest_first(hops);
    for (RouterId here : trees_[to]) {
      nearer.clear();
      for (unsigned port = 0; port < topology_.ports(here); ++port) {
        const Topology::Far& far = topology_.far(here, port);
        if (far.kind == Topology::Far::Kind::router && far.sends && hops[far.at.router] + 1 == hops[here])
          nearer.emplace_back(far.at.router, port);
      }
      std::sort(nearer.begin(), nearer.end());
      const std::size_t drawn =
          config.random_ties ? CounterRandom(config.seed, table_.pair(here, to)).below(nearer.size()) : 0;
      table_.next_port_[table_.pair(here, to)] = static_cast<std::uint16_t>(nearer[drawn].second);
    }
  }
}

void SourceTable::Builder::require_connected(RouterId to, const std::vector<std::uint16_t>& hops) const {
  for (RouterId from = 0; from < table_.routers_; ++from) {
    if (sends_[from] == 0 || hops[from] != graph::unreachable) continue;
    throw ConfigError("routing.kind", "source_table",
                      "there is no route from router " + std::to_string(from) + " to " + std::to_string(to),
                      "a connected topology");
  }
}

/// How many paths that have come into `layer` turn where, if they could stay in it. The turns of lower layers
/// are chosen already.
std::vector<std::uint64_t> SourceTable::Builder::uses_of_turns(unsigned layer) const {
  std::vector<std::uint64_t> uses(table_.turns_.size(), 0);
  std::vector<std::uint64_t> paths;  // router * (layer + 1) + layer it is in: paths that leave a router
  for (RouterId to = 0; to < table_.routers_; ++to) {
    paths.assign(std::size_t{table_.routers_} * (layer + 1), 0);
    for (RouterId here : trees_[to]) {
      std::uint64_t* leaving = &paths[std::size_t{here} * (layer + 1)];
      leaving[0] += sends_[here];
      const graph::PortRef at = next(here, to);
      if (at.router == to) continue;
      const std::size_t turn = turn_at(at, to);
      std::uint64_t* behind = &paths[std::size_t{at.router} * (layer + 1)];
      for (unsigned k = 0; k < layer; ++k)
        behind[(table_.turns_[turn] >> k & 1) != 0 ? k : k + 1] += leaving[k];
      behind[layer] += leaving[layer];
      uses[turn] += leaving[layer];
    }
  }
  return uses;
}

/// Puts turns into the layer, those with most uses first, as long as they close no cycle. True if all that
/// are used found place.
bool SourceTable::Builder::choose_turns(unsigned layer, const std::vector<std::uint64_t>& uses) {
  struct Turn {
    std::size_t index;
    std::uint32_t from, to;  ///< channels
  };
  std::vector<Turn> turns;
  for (RouterId router = 0; router < table_.routers_; ++router) {
    for (unsigned in = 0; in < topology_.ports(router); ++in) {
      const Topology::Far& before = topology_.far(router, in);
      if (before.kind != Topology::Far::Kind::router || !before.receives) continue;
      for (unsigned out = 0; out < topology_.ports(router); ++out) {
        const Topology::Far& after = topology_.far(router, out);
        if (in == out || after.kind != Topology::Far::Kind::router || !after.sends) continue;
        turns.push_back(
            {table_.turn(router, in, out), channel(before.at.router, before.at.port), channel(router, out)});
      }
    }
  }
  std::stable_sort(turns.begin(), turns.end(),
                   [&](const Turn& a, const Turn& b) { return uses[a.index] > uses[b.index]; });
  AcyclicGraph graph(2 * topology_.links().size());
  bool all = true;
  for (const Turn& turn : turns) {
    if (graph.add_path({turn.from, turn.to}))
      table_.turns_[turn.index] |= static_cast<LayerMask>(1U << layer);
    else if (uses[turn.index] > 0)
      all = false;
  }
  return all;
}

unsigned SourceTable::Builder::find_layers() {
  for (unsigned layer = 0; layer < most_layers; ++layer)
    if (choose_turns(layer, uses_of_turns(layer))) return layer + 1;
  throw ConfigError("routing.kind", "source_table",
                    "needs more than " + std::to_string(most_layers) + " layers on " + topology_.name(),
                    "another routing");
}

std::vector<SourceTable::LayerMask> SourceTable::Builder::find_starts(unsigned layers) const {
  std::vector<LayerMask> starts(table_.next_port_.size(), 0);
  for (RouterId to = 0; to < table_.routers_; ++to) {
    for (auto here = trees_[to].rbegin(); here != trees_[to].rend(); ++here) {
      LayerMask& start = starts[table_.pair(*here, to)];
      const graph::PortRef at = next(*here, to);
      if (at.router == to) {
        start = vc_range(0, layers);
        continue;
      }
      const LayerMask then = starts[table_.pair(at.router, to)],
                      stays = table_.turns_[turn_at(at, to)] & then;
      for (unsigned k = 0; k < layers; ++k)
        if ((stays >> k & 1) != 0 || then >> (k + 1) != 0) start |= static_cast<LayerMask>(1U << k);
      if ((start & 1) == 0 && sends_[*here] != 0)
        throw ModelError("source_table", "a path cannot be completed from the lowest layer");
    }
  }
  return starts;
}

SourceTable::SourceTable(const Topology& topology, unsigned vcs, const SourceTableConfig& config)
    : all_(require_vcs("source_table", vcs, 1)), routers_(topology.routers()) {
  require_table_size("source_table", topology);
  for (NodeId node = 0; node < topology.nodes(); ++node) nodes_.push_back(topology.node(node));
  std::size_t turns = 0;
  for (RouterId router = 0; router < routers_; ++router) {
    ports_.push_back(static_cast<std::uint16_t>(topology.ports(router)));
    first_turn_.push_back(turns);
    first_port_.push_back(static_cast<std::uint32_t>(from_node_.size()));
    turns += std::size_t{ports_.back()} * ports_.back();
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      from_node_.push_back(topology.far(router, port).kind == Topology::Far::Kind::node);
      far_.push_back(topology.far(router, port).at);
    }
  }
  turns_.assign(turns, 0);
  Builder builder(*this, topology);
  builder.find_trees(config);
  const unsigned layers = builder.find_layers();
  share_vcs(layers, builder.find_starts(layers), vcs);
}

void SourceTable::share_vcs(unsigned layers, const std::vector<LayerMask>& starts, unsigned vcs) {
  require_vcs("source_table", vcs, layers);
  std::vector<std::uint64_t> paths(layers, 0);
  for (LayerMask start : starts)
    for (unsigned layer = 0; layer < layers; ++layer) paths[layer] += start >> layer & 1;
  std::vector<unsigned> count(layers, 1);
  for (unsigned spare = vcs - layers; spare > 0; --spare) {
    unsigned fullest = 0;
    for (unsigned layer = 1; layer < layers; ++layer)
      if (paths[layer] * count[fullest] > paths[fullest] * count[layer]) fullest = layer;
    ++count[fullest];
  }
  unsigned first = 0;
  for (unsigned layer = 0; layer < layers; ++layer) {
    layer_vcs_.push_back(vc_range(first, count[layer]));
    first += count[layer];
    above_vcs_.push_back(vc_range(first, vcs - first));
    layer_of_vc_.resize(first, static_cast<std::uint8_t>(layer));
  }
  for (LayerMask start : starts) {
    good_vcs_.push_back(0);
    for (unsigned layer = 0; layer < layers; ++layer)
      if ((start >> layer & 1) != 0) good_vcs_.back() |= layer_vcs_[layer];
  }
}

void SourceTable::route(const RouteQuery& query, RouteSet& candidates) const {
  const RouteCandidate entry = table_entry(query.router, query.in_port, query.destination);
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
  if (in_vc >= layer_of_vc_.size()) return {0, 0};  // of a node's port only
  const unsigned layer = layer_of_vc_[in_vc];
  const bool stays = (turns_[turn(router, in_port, out_port)] >> layer & 1) != 0;
  return {stays ? layer_vcs_[layer] : VcMask{0}, above_vcs_[layer]};
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
    hops.push_back({candidates[0].port, layer_vcs_[layer_of_vc_[lowest]]});
    query.in_vc = lowest;
    const graph::PortRef next = far_[first_port_[query.router] + candidates[0].port];
    query.router = next.router;
    query.in_port = next.port;
  }
  hops.push_back({candidates[0].port, all_});
  return hops;
}

void SourceTableConfig::add_keys(config::KeyTable& keys) {
  keys.add_choice("routing.ties", random_ties, {{"random", true}, {"fixed", false}},
                  "choice among routes of equal length; dimension_order: random for each packet, or up; "
                  "source_table: random for each "
                  "entry, or the lowest neighbour");
  keys.add("routing.seed", seed, {0, ~0ULL}, "", "source_table: seed of random ties");
  keys.only_with("routing.seed", {{"routing.ties", {"random"}}});
}

std::unique_ptr<const Routing> SourceTableConfig::make(const RoutingParts& parts) const {
  return std::make_unique<SourceTable>(parts.topology, parts.vcs, *this);
}

void add_source_table(RoutingKinds& kinds) {
  kinds.add<SourceTableConfig>("source_table", {{"table"}});
}

}  // namespace tsuji::routing
