// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/routing/capacity/capacity_bound.h"
#include "tsuji/routing/capacity/port_numbers.h"

namespace tsuji::routing {

/// For each destination the links that packets for it may use anywhere: the union of the candidates of all
/// heads, including those in recovery. A split of the packets over their candidates is a flow in this graph,
/// so a bound for all flows holds for all splits.
class CandidateGraphs {
 public:
  CandidateGraphs(const graph::Topology& topology, const Routing& routing, const CapacityConfig& config);

  /// Adds the graph of a destination. Returns "" or the reason why that is not possible.
  std::string add(NodeId destination, const std::vector<NodeId>& sources, const std::vector<double>& demand);

  struct Edge {
    std::uint32_t port;  ///< output port
    std::uint32_t to;    ///< router, as numbered by Graph
  };
  struct Graph {
    /// Index into the routers' demands and first edges. The destination comes first; in an acyclic graph each
    /// router comes after those that its edges go to.
    std::uint32_t first_router, routers;
    bool has_circle;
  };
  const std::vector<Graph>& graphs() const { return graphs_; }
  double demand(const Graph& graph, std::uint32_t router) const {
    return demands_[graph.first_router + router];
  }
  const Edge* begin(const Graph& graph, std::uint32_t router) const {
    return edges_.data() + first_edge_[graph.first_router + router];
  }
  const Edge* end(const Graph& graph, std::uint32_t router) const {
    return edges_.data() + first_edge_[graph.first_router + router + 1];
  }
  const std::vector<bool>& used() const { return used_; }  ///< [port]: a packet can leave by it
  std::uint64_t edges() const { return edges_.size(); }

 private:
  struct Head {
    graph::PortRef at;
    std::uint32_t vc;
    PacketClass packet_class;
  };
  void explore(RouteQuery packet, const std::vector<NodeId>& sources);
  void enter(graph::PortRef at, VcMask vcs, PacketClass packet_class);
  void follow(RouteQuery& query, const Head& head);
  std::string order(RouterId destination, const std::vector<NodeId>& sources);
  void number(RouterId from);

  const graph::Topology& topology_;
  const Routing& routing_;
  const CapacityConfig& config_;
  const PortNumbers numbers_;
  const bool recovers_;
  std::vector<PacketId> packets_;  ///< a packet for each outcome of the routing's random choices
  std::uint64_t questions_ = 0;

  std::vector<Graph> graphs_;
  std::vector<double> demands_;
  std::vector<std::uint32_t> first_edge_;
  std::vector<Edge> edges_;
  std::vector<bool> used_;

  std::vector<Head> heads_;  ///< heads to be routed
  /// [port, virtual channel and class]: the last walk that reached it.
  std::vector<std::uint32_t> head_walk_;
  std::uint32_t walk_ = 0;
  struct Link {
    graph::PortRef from;
    RouterId to;
  };
  std::vector<Link> links_;                           ///< links for this destination
  std::vector<std::uint32_t> link_walk_;              ///< [port]: the last destination with that link
  std::vector<std::vector<std::uint32_t>> links_of_;  ///< [router]: indices into links_
  std::vector<std::uint32_t> place_;                  ///< [router]: number in the graph
  std::vector<RouterId> numbered_;
};

}  // namespace tsuji::routing
