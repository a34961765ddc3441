// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/routing/routing.h"
#include "tsuji/routing/turn_layers.h"

namespace tsuji::routing {

struct SourceTableConfig {
  /// Selection among equally short routes: the lowest neighbour (rooms/routing.md, Where the paper is silent,
  /// 4), or one drawn for each router and destination.
  std::optional<bool> random_ties;  ///< empty: true
  std::uint64_t seed = 1;           ///< seed of the random choices
  /// Paths are shortest in cycles: the latency of each link, and this number for each router. Empty: in
  /// links.
  std::optional<std::uint64_t> router_cost_cycles = {};

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// Shortest-path routing on any topology, by links or by their latencies. Layers of virtual channels, each
/// with an acyclic channel dependency graph, make it free of deadlock (rooms/routing.md, Where the paper is
/// silent, 5). Minimal by links unless latencies count.
///
/// All paths to a destination form a tree; the layers are TurnLayers. A packet stays in its layer as long as
/// the layer contains its next turn, otherwise it continues in a higher one. LASH, from which this is
/// derived, keeps a path in one layer, and needs 7 layers where 3 suffice here (256 routers, random,
/// 6-regular). A packet may begin in any layer from which its path can be completed.
///
/// Needs one virtual channel per layer; further ones go to the layers in which most paths can begin. Memory:
/// 4 bytes for each pair of routers.
class SourceTable final : public Routing, public TableImage {
 public:
  std::string stands_for() const override {
    return "tables of shortest paths, in layers of virtual channels";
  }
  SourceTable(const graph::Topology& topology, unsigned vcs, const SourceTableConfig& config = {});

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return layers_->layers(); }
  unsigned max_candidates() const override { return 1; }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    return all;
  }
  const TableImage* table_image() const override { return this; }

  TableForm table_form() const override { return TableForm::port_and_vc_map; }
  /// The port, and the virtual channels from which the path can be completed.
  RouteCandidate table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const override;
  /// The packet's layer if that contains its turn, otherwise the layers above it.
  VcMap vc_map(RouterId router, std::uint32_t in_port, std::uint32_t in_vc,
               std::uint32_t out_port) const override;

  unsigned layers() const { return vcs_needed(); }
  struct Hop {
    std::uint16_t port;
    VcMask vcs;
  };
  /// Hops of a packet that begins in the lowest layer, from source to destination, with the node's port last:
  /// the source's table of ports and classes.
  std::vector<Hop> path(NodeId source, NodeId destination) const;

 private:
  using LayerMask = TurnLayers::LayerMask;
  class Builder;

  std::size_t pair(RouterId here, RouterId to) const { return std::size_t{here} * routers_ + to; }
  void share_vcs(const std::vector<LayerMask>& starts, unsigned vcs);

  VcMask all_;
  unsigned routers_;
  std::vector<graph::NodePorts> nodes_;
  std::vector<std::uint16_t> next_port_;  ///< [router][destination's router]
  /// [router][destination's router]: virtual channels from which the path can be completed.
  std::vector<VcMask> good_vcs_;
  std::optional<TurnLayers> layers_;  ///< set by the constructor, like the next member
  std::optional<LayerVcs> layer_vcs_;
  std::vector<std::uint32_t> first_port_;  ///< [router]: index into the next two
  std::vector<std::uint8_t> from_node_;    ///< [port]
  std::vector<graph::PortRef> far_;        ///< [port], for path()
};

}  // namespace tsuji::routing
