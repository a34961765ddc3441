// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/machines/tree/node_tree.h"
#include "tsuji/routing/route_hints.h"
#include "tsuji/routing/routing.h"

namespace tsuji::machines {

/// Routing of a network with a virtual channel that is reserved for the tree. Packets of nodes use the
/// routing of nodes, which does not use that channel; packets of units use one link to a neighbour's unit, on
/// that channel.
class TreeChannel final : public routing::Routing,
                          private routing::TableReads,
                          private routing::RouteDecisions,
                          private routing::RouteHints {
 public:
  /// `vc` is the tree's virtual channel; all references outlive the routing. The tree may change between two
  /// cycles; packets of the previous tree are still routed to their neighbours.
  TreeChannel(const routing::Routing& of_nodes, const NodeTree& tree, const graph::Topology& topology,
              unsigned vc)
      : of_nodes_(of_nodes), tree_(tree), topology_(topology), vc_(routing::vc_range(vc, 1)) {}

  std::string stands_for() const override;
  /// Throws ModelError for a packet of a unit whose destination is no neighbour.
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    if (query.destination.is_router()) return route_unit(query, candidates);
    of_nodes_.route(query, candidates);
  }
  routing::VcMask injection_vcs(End source, End destination) const override {
    return source.is_router() ? vc_ : of_nodes_.injection_vcs(source, destination);
  }
  unsigned vcs_needed() const override { return of_nodes_.vcs_needed() + 1; }
  unsigned max_candidates() const override { return of_nodes_.max_candidates(); }
  routing::RoutingPromises promises() const override { return of_nodes_.promises(); }
  const routing::Routing& of_nodes() const override { return of_nodes_; }

  const routing::TableImage* table_image() const override { return of_nodes_.table_image(); }
  const routing::DeadlockRecovery* recovery() const override { return of_nodes_.recovery(); }
  const routing::RandomChoices* random_choices() const override { return of_nodes_.random_choices(); }
  const routing::TableReads* table_reads() const override {
    return of_nodes_.table_reads() == nullptr ? nullptr : this;
  }
  const routing::RouteDecisions* decisions() const override {
    return of_nodes_.decisions() == nullptr ? nullptr : this;
  }
  const routing::RouteHints* hints() const override { return of_nodes_.hints() == nullptr ? nullptr : this; }

 private:
  void route_unit(const routing::RouteQuery& query, routing::RouteSet& candidates) const;
  std::uint32_t port_to(const routing::RouteQuery& query, graph::RouterId to) const;

  // For packets of nodes; packets of units read no table, have no decision and no hint.
  bool reads_table(const routing::RouteQuery& query) const override {
    return !query.destination.is_router() && of_nodes_.table_reads()->reads_table(query);
  }
  bool reads_waiting() const override { return of_nodes_.decisions()->reads_waiting(); }
  routing::Decision decide(const routing::RouteQuery& query,
                           const routing::OutputBuffers& outputs) const override {
    return query.destination.is_router() ? query.decision : of_nodes_.decisions()->decide(query, outputs);
  }
  std::vector<Possible> possible(const routing::RouteQuery& query) const override {
    if (query.destination.is_router()) return {{query.decision, 1.0}};
    return of_nodes_.decisions()->possible(query);
  }
  unsigned bits() const override { return of_nodes_.hints()->bits(); }
  bool may_confirm(graph::RouterId router, std::uint32_t in_port, std::uint32_t out_port) const override {
    return of_nodes_.hints()->may_confirm(router, in_port, out_port);
  }
  bool confirms(const routing::RouteQuery& query, std::uint32_t out_port) const override {
    return !query.destination.is_router() && of_nodes_.hints()->confirms(query, out_port);
  }

  const routing::Routing& of_nodes_;
  const NodeTree& tree_;
  const graph::Topology& topology_;
  const routing::VcMask vc_;
};

}  // namespace tsuji::machines
