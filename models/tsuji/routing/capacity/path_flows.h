// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/routing/capacity/capacity_bound.h"
#include "tsuji/routing/capacity/port_numbers.h"

namespace tsuji::routing {

/// Mean number of flits on each output port of the routers, under a routing with one candidate per head.
///
/// If Routing::port_shares() answers, a destination takes one pass over the places of all its packets;
/// otherwise one walk for every source, random outcome and decision.
class PathFlows {
 public:
  PathFlows(const graph::Topology& topology, const Routing& routing, const CapacityConfig& config,
            std::vector<double>& flits);

  /// Adds the packets for a destination to `flits`; `demand` is that of each source. Returns "" or the reason
  /// why that is not possible.
  std::string add(NodeId destination, const std::vector<NodeId>& sources, const std::vector<double>& demand);

 private:
  struct Place {
    graph::PortRef at;
    NodeId source;
    std::uint32_t vc;
    double flits;
    std::uint32_t pending;  ///< number of edges from places that have not been processed
    std::uint32_t first_edge, edges;
  };
  struct Edge {
    std::uint32_t port;  ///< output port
    double share;
    std::uint32_t place;  ///< place at its end; graph::none: the node
  };

  std::string add_places(NodeId destination, const std::vector<NodeId>& sources,
                         const std::vector<double>& demand);
  std::string find_edges(NodeId destination, std::uint32_t place);
  std::uint32_t place_at(graph::PortRef at, std::uint32_t vc, NodeId source);
  std::string push();
  std::string add_walks(NodeId destination, NodeId source, double demand);
  std::string walk(RouteQuery query, double flits);
  std::string decide(RouteQuery& query, double& flits);
  std::string cross(RouteQuery& query, double flits, bool& arrived);
  std::string find_outcomes();
  VcMask injection_vcs(NodeId source, NodeId destination) const;
  std::string count_question();

  const graph::Topology& topology_;
  const Routing& routing_;
  const CapacityConfig& config_;
  const PortNumbers numbers_;
  std::vector<double>& flits_;  ///< [port]
  std::uint64_t questions_ = 0;
  bool by_place_ = true;
  std::vector<Place> places_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> place_of_;  ///< [input port]: index into places_, valid in the pass `pass_of_`
  std::vector<std::uint32_t> pass_of_;
  std::uint32_t pass_ = 0;
  struct Outcome {
    PacketId packet;
    double share;
  };
  std::vector<Outcome> outcomes_;
};

}  // namespace tsuji::routing
