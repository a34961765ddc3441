// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/graph/topology.h"
#include "tsuji/link/link_errors.h"
#include "tsuji/router/router_kinds.h"
#include "tsuji/routing/routing.h"

namespace tsuji::network {

struct VcNetworkConfig {
  static constexpr Cycle most_link_cycles = 1'000'000;

  router::VcRouterConfig router;
  std::string router_kind = "vc";  ///< a word of `router_kinds`
  router::RouterKinds router_kinds = router::router_kinds();
  unsigned vcs = 4;       ///< Virtual channels of links between routers, 1..16.
  unsigned node_vcs = 0;  ///< Virtual channels of links to nodes; 0: equal to `vcs`.
  /// Number of virtual channels, the last ones of `vcs`, that the routing of nodes does not use; they carry a
  /// machine's own packets.
  unsigned own_vcs = 0;
  unsigned first_injection_vc = 1;  ///< Virtual channel of a source's first packet: 0, or 1 if there is one.
  unsigned buffer_flits = 8;        ///< Size of the input buffer of each virtual channel.
  Cycle rc_cycles = 1;              ///< Route computation by the router's own table or function.
  /// Latency of reading a routing's table, after rc_cycles (Routing::table_reads).
  Cycle table_cycles = 5;
  unsigned table_ports = 2;         ///< Read ports of that table.
  bool table_pipelined = true;      ///< A read port accepts a read in every cycle.
  Cycle flit_cycles = 1;            ///< Time of a flit on a link.
  bool whole_flit = false;          ///< Routers act on the last word of a flit instead of the first.
  Cycle credit_latency_cycles = 0;  ///< Latency of a credit; 0: the latency of its link.
  Cycle credit_process_cycles = 1;  ///< Time to process a credit at the sender.
  /// Time to process a credit at a node, for its injection channel; empty: credit_process_cycles.
  std::optional<Cycle> node_credit_process_cycles;
  Cycle inject_latency_cycles = 1;  ///< Latency from node to router.
  Cycle eject_latency_cycles = 1;   ///< Latency from router to node.
  LinkErrorConfig errors;           ///< Bit errors and replay on every link.
  Cycle fec_cycles = 0;             ///< Latency of forward error correction on every link.

  unsigned vcs_of_routing() const { return vcs - own_vcs; }
  unsigned vcs_of_nodes() const { return node_vcs == 0 ? vcs : node_vcs; }
  Cycle credit_process_cycles_of_nodes() const {
    return node_credit_process_cycles.value_or(credit_process_cycles);
  }
  Cycle router_cycles() const { return rc_cycles + router.allocate_and_traverse(); }
  router::RouterKind make_router_kind() const { return router_kinds.make(router_kind, router); }
  /// Binds the keys link.* of this struct.
  void add_link_keys(config::KeyTable& keys);
  /// Binds the keys router.* and prediction.*; router.kind if there are several kinds.
  void add_router_keys(config::KeyTable& keys);
  void validate() const;  ///< throws ConfigError
  /// Throws ConfigError if the router does not fit the topology and the routing. A routing itself refuses too
  /// few virtual channels.
  void validate_with(const graph::Topology& topology, const routing::Routing& routing) const;
  /// ConfigError for a router with more ports than the crossbar of a router with a module takes.
  void require_crossbars(const graph::Topology& topology) const;
};

/// Output port that a static predictor assigns to each input port of a router. Throws ConfigError with the
/// key prediction.kind for a topology without such assignments.
std::vector<unsigned> predictor_table(const VcNetworkConfig& config, const graph::Topology& topology,
                                      graph::RouterId id, router::PredictorTable table);

}  // namespace tsuji::network
