#pragma once

#include <vector>

#include "routing/routing.h"

namespace tsuji::routing {

struct SourceTableConfig {
  /// Among equally short ways: the lowest neighbour (decisions.md, compact 2), or one drawn for each router
  /// and destination.
  bool random_ties = false;
  std::uint64_t seed = 1;  ///< of the draws
};

/// Shortest paths on any topology, made free of deadlock by layers as LASH does (decisions.md, compact 4):
/// each path is put into the first layer whose channel dependency graph stays acyclic with it, and a packet
/// stays in its layer's virtual channels all the way. Minimal. Virtual channels beyond the number of layers
/// go to the layers with most paths. The next hop depends on the destination only and the layer on the pair,
/// so the tables take 3 bytes for each pair of routers; `path()` is the list of (port, layer) that a source
/// would send.
class SourceTable final : public Routing {
 public:
  SourceTable(const graph::Topology& topology, unsigned vcs, const SourceTableConfig& config = {});

  void route(const RouteQuery& query, RouteSet& ways) const override;
  VcMask injection_vcs(NodeId, NodeId) const override { return all_; }
  unsigned vcs_needed() const override { return static_cast<unsigned>(layer_vcs_.size()); }
  unsigned max_candidates() const override { return 1; }

  unsigned layers() const { return vcs_needed(); }
  struct Hop {
    std::uint16_t port;
    VcMask vcs;
  };
  /// What a packet does at each router from source to destination, the node's port last.
  std::vector<Hop> path(NodeId source, NodeId destination) const;

 private:
  std::size_t pair(RouterId from, RouterId to) const { return std::size_t{from} * routers_ + to; }
  void find_next_ports(const graph::Topology& topology, const SourceTableConfig& config);
  std::vector<std::uint64_t> find_layers(const graph::Topology& topology);
  void share_vcs(const std::vector<std::uint64_t>& paths_of_layer, unsigned vcs);

  VcMask all_;
  unsigned routers_;
  std::vector<RouterId> source_router_;   ///< per node
  std::vector<graph::PortRef> node_;      ///< per node, where it ejects
  std::vector<std::uint16_t> next_port_;  ///< per router and destination's router
  std::vector<std::uint8_t> layer_;       ///< per source's and destination's router
  std::vector<VcMask> layer_vcs_;
  std::vector<std::vector<RouterId>> behind_;  ///< per router and port, for path()
};

}  // namespace tsuji::routing
