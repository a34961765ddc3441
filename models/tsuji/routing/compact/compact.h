// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/routing/compact/compact_routes.h"
#include "tsuji/routing/compact/compact_tables.h"
#include "tsuji/routing/escape_tree.h"
#include "tsuji/routing/routing.h"
#include "tsuji/routing/routing_kinds.h"
#include "tsuji/routing/turn_layers.h"

namespace tsuji::routing {

enum class CompactEscape : std::uint8_t {
  layers,  ///< TurnLayers
  tree     ///< an escape channel on an EscapeTree
};

struct CompactRoutingConfig : CompactConfig {
  CompactEscape escape = CompactEscape::layers;

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// Routing by compact tables (Compact Tables; rooms/routing.md, Compact tables) on any graph of two-way links
/// whose routers have coordinates, with dead links and routers. One port for each pair of router and
/// destination; freedom from deadlock (rooms/routing.md, Where the paper is silent, 12) by
///   layers  TurnLayers: packets begin in layer 0 and rise by one if a turn is not in their layer.
///           One virtual channel per layer; further ones go to the layers with the most hops per channel.
///   tree    virtual channel 0 is an escape channel (rank 1) on a spanning tree, the others follow the tables
///           (rank 0). A head on the escape channel stays there. Two virtual channels.
/// Memory: a byte for each pair of routers, in addition to the tables.
class Compact final : public Routing, public TableImage {
 public:
  std::string stands_for() const override { return "compact routing tables (Compact Tables)"; }
  /// ConfigError: those of CompactTables; one-way links, 255 or more ports between routers (routing.kind);
  /// too few virtual channels (router.vcs).
  Compact(const graph::Topology& topology, unsigned vcs, const CompactRoutingConfig& config = {},
          const graph::FaultSet& faults = {});

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return layers_ ? layers_->layers() : 2; }
  unsigned max_candidates() const override { return layers_ ? 1 : 2; }
  /// The tree may route a head back to the router that it came from by the tables. A head queued after the
  /// tail of another packet cannot request its escape channel.
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    all.turns_back = all.needs_atomic_vcs = tree_.has_value();
    return all;
  }
  const TableImage* table_image() const override { return layers_ ? this : nullptr; }

  TableForm table_form() const override { return TableForm::port_and_vc_map; }
  /// The port, and all virtual channels.
  RouteCandidate table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const override;
  /// The packet's layer if that contains its turn, otherwise the next one.
  VcMap vc_map(RouterId router, std::uint32_t in_port, std::uint32_t in_vc,
               std::uint32_t out_port) const override;

  /// Router of a node that receives packets; graph::none: not reachable.
  RouterId router_of(NodeId destination) const { return routes_.eject(destination).router; }
  /// With `tree`: returns true if the head has come on the escape channel, so that only the tree routes it.
  bool escaped(const RouteQuery& query) const {
    return tree_.has_value() && query.in_vc == 0 && !from_node(query.router, query.in_port);
  }
  const CompactTables& tables() const { return tables_; }
  const CompactRoutes& routes() const { return routes_; }
  /// The layers of turns, with kind `layers`; null with `tree`.
  const TurnLayers* layers() const { return layers_ ? &*layers_ : nullptr; }
  /// The spanning tree of the escape channel, with kind `tree`; null with `layers`.
  const EscapeTree* tree() const { return tree_ ? &*tree_ : nullptr; }

 private:
  Compact(const graph::Topology& topology, unsigned vcs, const CompactRoutingConfig& config,
          const graph::LivingNetwork& network);
  bool from_node(RouterId router, unsigned port) const { return from_node_[first_port_[router] + port] != 0; }

  VcMask all_;
  CompactTables tables_;
  CompactRoutes routes_;
  std::vector<std::uint32_t> first_port_;  ///< [router]: index into from_node_
  std::vector<std::uint8_t> from_node_;    ///< [port]
  std::optional<EscapeTree> tree_;
  std::optional<TurnLayers> layers_;
  std::optional<LayerVcs> layer_vcs_;
};

}  // namespace tsuji::routing
