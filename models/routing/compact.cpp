#include "tsuji/routing/compact.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/nearest_entry.h"

namespace tsuji::routing {
namespace {

constexpr std::uint8_t no_way = 0xFF;
constexpr VcMask escape_vc = 1;

const graph::Topology& checked(const graph::Topology& topology) {
  for (const graph::RouterLink& link : topology.links()) {
    if (link.one_way) refuse_topology("compact", topology, "a topology without one-way links");
    if (std::max(link.a.port, link.b.port) >= no_way)
      refuse_topology("compact", topology, "routers with at most 255 ports to others");
  }
  return topology;
}

}  // namespace

Compact::Compact(const graph::Topology& topology, unsigned vcs, const CompactRoutingConfig& config,
                 const graph::FaultSet& faults)
    : Compact(topology, vcs, config, graph::LivingNetwork(checked(topology), faults)) {}

Compact::Compact(const graph::Topology& topology, unsigned vcs, const CompactRoutingConfig& config,
                 const graph::LivingNetwork& network)
    : all_(require_vcs("compact", vcs, config.escape == CompactEscape::tree ? 2 : 1)),
      tables_(topology, network, config) {
  find_nodes(topology, network);
  find_ports(network);
  if (config.escape == CompactEscape::tree) {
    tree_.emplace(topology, network);
  } else {
    layers_.emplace(find_layers(topology));
    layer_vcs_.emplace("compact", vcs, layers_->hops());
  }
}

void Compact::find_nodes(const graph::Topology& topology, const graph::LivingNetwork& network) {
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const graph::NodePorts& at = topology.node(node);
    injects_.push_back(network.lives(at.inject.router) ? at.inject : graph::PortRef{});
    ejects_.push_back(network.lives(at.eject.router) ? at.eject : graph::PortRef{});
  }
  for (RouterId router = 0; router < topology.routers(); ++router) {
    first_port_.push_back(static_cast<std::uint32_t>(from_node_.size()));
    for (unsigned port = 0; port < topology.ports(router); ++port)
      from_node_.push_back(topology.far(router, port).kind == graph::Topology::Far::Kind::node);
  }
}

void Compact::find_ports(const graph::LivingNetwork& network) {
  ports_.assign(std::size_t{tables_.routers()} * tables_.routers(), no_way);
  CompactChoice choice(tables_);
  for (const CoordinateSpace::Run& run : tables_.space().runs()) {
    for (RouterId router = 0; router < tables_.routers(); ++router) {
      if (!choice.has_entries(router)) continue;
      const std::vector<std::uint32_t>& indices = choice.choose(run, router);
      const CompactTables::Entries entries = tables_.entries(router);
      for (unsigned k = 0; k < run.length; ++k)
        if (run.first + k != router && network.lives(run.first + k))
          ports_[pair(router, run.first + k)] = static_cast<std::uint8_t>(entries[indices[k]].port);
    }
  }
}

TurnLayers Compact::find_layers(const graph::Topology& topology) const {
  TurnLayers::Paths paths;
  paths.sends.assign(tables_.routers(), 0);
  std::vector<bool> receives(tables_.routers(), false);
  for (const graph::PortRef& at : injects_)
    if (at.router != graph::none) paths.sends[at.router] = 1;
  for (const graph::PortRef& at : ejects_)
    if (at.router != graph::none) receives[at.router] = true;
  paths.ports = [&](RouterId to, std::vector<std::uint16_t>& ports) {
    if (!receives[to]) return;
    const std::uint8_t* const row = &ports_[pair(0, to)];
    for (RouterId router = 0; router < tables_.routers(); ++router)
      if (row[router] != no_way) ports[router] = row[router];
  };
  return {topology, paths, "compact"};
}

void Compact::route(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  const graph::PortRef to = ejects_[query.destination];
  if (to.router == query.router) return candidates.add(to.port, all_);
  if (to.router == graph::none) return;
  const unsigned port = ports_[pair(query.router, to.router)];
  if (layers_) return candidates.add(port, vc_map(query.router, query.in_port, query.in_vc, port).of(all_));
  if (from_node(query.router, query.in_port) || query.in_vc != 0)
    candidates.add(port, static_cast<VcMask>(all_ & ~escape_vc));
  candidates.add(tree_->port(query.router, to.router), escape_vc, 1);
}

RouteCandidate Compact::table_entry(RouterId router, std::uint32_t, NodeId destination) const {
  const graph::PortRef to = ejects_[destination];
  if (to.router == router) return {static_cast<std::uint16_t>(to.port), all_, 0};
  if (to.router == graph::none) return {0, 0, 0};
  return {ports_[pair(router, to.router)], all_, 0};
}

VcMap Compact::vc_map(RouterId router, std::uint32_t in_port, std::uint32_t in_vc,
                      std::uint32_t out_port) const {
  if (from_node(router, out_port)) return {};
  if (from_node(router, in_port)) return {layer_vcs_->of(0), 0};
  if (!layer_vcs_->knows(in_vc)) return {0, 0};  // of a node's port only
  const unsigned layer = layer_vcs_->layer(in_vc);
  if (layers_->has(layer, router, in_port, out_port)) return {layer_vcs_->of(layer), 0};
  return {layer + 1 < layer_vcs_->layers() ? layer_vcs_->of(layer + 1) : VcMask{0}, 0};
}

void CompactRoutingConfig::add_keys(config::KeyTable& keys) {
  keys.add("routing.entries", entries, {1, CompactTables::most_routers}, "auto", "entries",
           "compact: largest number of entries of a router; auto: the power of two from twice the number on "
           "that a router has to have");
  keys.add_choice("routing.room", room, {{"free", CompactRoom::free}, {"needed", CompactRoom::needed}},
                  "compact: a path comes into the tables where each of its routers has a free entry, or has "
                  "one or holds the destination already");
  keys.add_choice("routing.distance", distance,
                  {{"euclid", CoordinateDistance::euclid},
                   {"manhattan", CoordinateDistance::manhattan},
                   {"wrapped", CoordinateDistance::wrapped}},
                  "compact: distance between coordinates; wrapped: Manhattan, the short way round rings");
  keys.add_choice(
      "routing.escape", escape, {{"layers", CompactEscape::layers}, {"tree", CompactEscape::tree}},
      "compact: freedom from deadlock by layers of virtual channels, or by an escape channel on a "
      "spanning tree");
}

std::unique_ptr<const Routing> CompactRoutingConfig::make(const RoutingParts& parts) const {
  return std::make_unique<Compact>(parts.topology, parts.vcs, *this, parts.faults);
}

void add_compact(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.bears_faults = traits.turns_back = true;
  kinds.add<CompactRoutingConfig>("compact", traits);
}

}  // namespace tsuji::routing
