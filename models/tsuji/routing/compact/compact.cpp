// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/compact/compact.h"

#include "tsuji/core/error.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {
namespace {

constexpr VcMask escape_vc = 1;

const graph::Topology& checked(const graph::Topology& topology) {
  for (const graph::RouterLink& link : topology.links())
    if (link.one_way) refuse_topology("compact", topology, "a topology without one-way links");
  return topology;
}

}  // namespace

Compact::Compact(const graph::Topology& topology, unsigned vcs, const CompactRoutingConfig& config,
                 const graph::FaultSet& faults)
    : Compact(topology, vcs, config, graph::LivingNetwork(checked(topology), faults)) {}

Compact::Compact(const graph::Topology& topology, unsigned vcs, const CompactRoutingConfig& config,
                 const graph::LivingNetwork& network)
    : all_(require_vcs("compact", vcs, config.escape == CompactEscape::tree ? 2 : 1)),
      tables_(topology, network, config),
      routes_(topology, network, tables_) {
  for (RouterId router = 0; router < topology.routers(); ++router) {
    first_port_.push_back(static_cast<std::uint32_t>(from_node_.size()));
    for (unsigned port = 0; port < topology.ports(router); ++port)
      from_node_.push_back(topology.far(router, port).kind == graph::Topology::Far::Kind::node);
  }
  if (config.escape == CompactEscape::tree) {
    tree_.emplace(topology, network);
  } else {
    layers_.emplace(topology, routes_.paths(), "compact");
    layer_vcs_.emplace("compact", vcs, layers_->hops());
  }
}

void Compact::route(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  const graph::PortRef& to = routes_.eject(query.destination.node());
  if (to.router == query.router) return candidates.add(to.port, all_);
  if (to.router == graph::none) return;
  const unsigned port = routes_.port(query.router, to.router);
  if (layers_) return candidates.add(port, vc_map(query.router, query.in_port, query.in_vc, port).of(all_));
  if (!escaped(query)) candidates.add(port, static_cast<VcMask>(all_ & ~escape_vc));
  candidates.add(tree_->port(query.router, to.router), escape_vc, 1);
}

RouteCandidate Compact::table_entry(RouterId router, std::uint32_t, NodeId destination) const {
  const graph::PortRef& to = routes_.eject(destination);
  if (to.router == router) return {static_cast<std::uint16_t>(to.port), all_, 0};
  if (to.router == graph::none) return {0, 0, 0};
  const unsigned port = routes_.port(router, to.router);
  if (port == CompactRoutes::no_port) return {0, 0, 0};
  return {static_cast<std::uint16_t>(port), all_, 0};
}

VcMap Compact::vc_map(RouterId router, std::uint32_t in_port, std::uint32_t in_vc,
                      std::uint32_t out_port) const {
  if (from_node(router, out_port)) return {};
  if (from_node(router, in_port)) return {layer_vcs_->of(0), 0};
  if (!layer_vcs_->knows(in_vc)) return {0, 0};  // only from a node's port
  const unsigned layer = layer_vcs_->layer(in_vc);
  if (layers_->has(layer, router, in_port, out_port)) return {layer_vcs_->of(layer), 0};
  return {layer + 1 < layer_vcs_->layers() ? layer_vcs_->of(layer + 1) : VcMask{0}, 0};
}

void CompactRoutingConfig::add_keys(config::KeyTable& keys) {
  keys.add("routing.entries", entries, {1, CompactTables::most_routers}, "auto", "entries",
           "compact: largest number of table entries of a router; auto: the smallest power of two that is at "
           "least twice the mandatory entries");
  keys.add_choice("routing.room", room, {{"free", CompactRoom::free}, {"needed", CompactRoom::needed}},
                  "compact: condition for adding a path to the tables; free: each of its routers has a free "
                  "entry; needed: each of its routers has a free entry or already holds the destination");
  keys.add_choice(
      "routing.distance", distance,
      {{"euclid", CoordinateDistance::euclid},
       {"manhattan", CoordinateDistance::manhattan},
       {"wrapped", CoordinateDistance::wrapped}},
      "compact: metric between coordinates; wrapped: Manhattan distance with wrap-around in each ring");
  keys.add_choice("routing.escape", escape,
                  {{"layers", CompactEscape::layers}, {"tree", CompactEscape::tree}},
                  "compact: deadlock avoidance; layers: layers of virtual channels; tree: an escape channel "
                  "on a spanning tree");
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
