// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/routing/compact/compact_tables.h"
#include "tsuji/routing/compact/compact_ways.h"
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

/// Ways of compact tables (Compact Tables; rooms/routing.md, Compact tables) on any graph of two-way links
/// whose routers have coordinates, with dead links and routers. One port for each router and destination,
/// made free of deadlock (rooms/routing.md, Where the paper is silent, 12) by
///   layers  TurnLayers: packets begin in layer 0 and rise by one where a turn is not in their layer. As many
///           virtual channels as layers; others go to the layers with the most hops a channel.
///   tree    virtual channel 0 is an escape channel (rank 1) on a spanning tree, the others are for the
///   tables'
///           ways (rank 0). A head on the escape channel stays there. Two virtual channels.
/// A byte for each pair of routers, beside the tables.
class Compact final : public Routing, public TableImage {
 public:
  std::string stands_for() const override { return "compact routing tables (Compact Tables)"; }
  /// ConfigError: those of CompactTables; one-way links, 255 ports or more between routers (routing.kind);
  /// too few virtual channels (router.vcs).
  Compact(const graph::Topology& topology, unsigned vcs, const CompactRoutingConfig& config = {},
          const graph::FaultSet& faults = {});

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return layers_ ? layers_->layers() : 2; }
  unsigned max_candidates() const override { return layers_ ? 1 : 2; }
  /// The way over the tree may lead back to where a head came from by the tables. A head behind the tail of
  /// another packet cannot ask for its escape channel.
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
  /// The packet's own layer if its turn belongs to that, else the next one.
  VcMap vc_map(RouterId router, std::uint32_t in_port, std::uint32_t in_vc,
               std::uint32_t out_port) const override;

  /// Of a node that receives; graph::none: out of reach.
  RouterId router_of(NodeId destination) const { return ways_.eject(destination).router; }
  /// With `tree`: the head has come on the escape channel, so the tree alone leads it on.
  bool escaped(const RouteQuery& query) const {
    return tree_.has_value() && query.in_vc == 0 && !from_node(query.router, query.in_port);
  }
  const CompactTables& tables() const { return tables_; }
  const CompactWays& ways() const { return ways_; }
  /// Of `layers`; else null.
  const TurnLayers* layers() const { return layers_ ? &*layers_ : nullptr; }
  /// Of `tree`; else null.
  const EscapeTree* tree() const { return tree_ ? &*tree_ : nullptr; }

 private:
  Compact(const graph::Topology& topology, unsigned vcs, const CompactRoutingConfig& config,
          const graph::LivingNetwork& network);
  bool from_node(RouterId router, unsigned port) const { return from_node_[first_port_[router] + port] != 0; }

  VcMask all_;
  CompactTables tables_;
  CompactWays ways_;
  std::vector<std::uint32_t> first_port_;  ///< per router, into from_node_
  std::vector<std::uint8_t> from_node_;    ///< per port
  std::optional<EscapeTree> tree_;
  std::optional<TurnLayers> layers_;
  std::optional<LayerVcs> layer_vcs_;
};

}  // namespace tsuji::routing
