// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/graph/topology.h"
#include "tsuji/router/router_kinds.h"
#include "tsuji/routing/routing.h"

namespace tsuji::network {

struct VcNetworkConfig {
  static constexpr Cycle most_link_cycles = 1'000'000;

  router::VcRouterConfig router;
  std::string router_kind = "vc";  ///< a word of `router_kinds`
  router::RouterKinds router_kinds = router::router_kinds();
  unsigned vcs = 4;       ///< virtual channels of links between routers, 1..16
  unsigned node_vcs = 0;  ///< virtual channels of links to nodes; 0: as between routers
  /// Of `vcs`, the last ones, which the routing of nodes does not have: those of a machine's own packets.
  unsigned own_vcs = 0;
  unsigned first_injection_vc = 1;  ///< 0 or 1 (where there is one): channel of a source's first packet
  unsigned buffer_flits = 8;        ///< input buffer of each virtual channel
  Cycle rc_cycles = 1;              ///< route computation by a router's own table or function
  Cycle table_cycles = 5;           ///< read of a routing's table, behind rc_cycles (Routing::table_reads)
  unsigned table_ports = 2;         ///< read ports of such a table
  bool table_pipelined = true;      ///< a read port takes a read in every cycle
  Cycle flit_cycles = 1;            ///< time of a flit on a link
  bool whole_flit = false;          ///< routers act on a flit's last word, not on its first
  Cycle credit_latency_cycles = 0;  ///< latency of a credit; 0: latency of its link
  Cycle credit_process_cycles = 1;  ///< acceptance of a credit at the sender
  /// Acceptance of a credit at a node, for its injection channel; none: credit_process_cycles.
  std::optional<Cycle> node_credit_process_cycles;
  Cycle inject_latency_cycles = 1;  ///< node to router
  Cycle eject_latency_cycles = 1;   ///< router to node

  unsigned vcs_of_routing() const { return vcs - own_vcs; }
  unsigned vcs_of_nodes() const { return node_vcs == 0 ? vcs : node_vcs; }
  Cycle credit_process_cycles_of_nodes() const {
    return node_credit_process_cycles.value_or(credit_process_cycles);
  }
  Cycle router_cycles() const { return rc_cycles + router.allocate_and_traverse(); }
  router::RouterKind make_router_kind() const { return router_kinds.make(router_kind, router); }
  /// Binds the keys link.* of these fields.
  void add_link_keys(config::KeyTable& keys);
  /// Binds the keys router.* and prediction.*; router.kind where there are several.
  void add_router_keys(config::KeyTable& keys);
  void validate() const;  ///< throws ConfigError
  /// Checks against topology and routing: ConfigError where the router does not fit them (too few virtual
  /// channels are the routing's own refusal).
  void validate_with(const graph::Topology& topology, const routing::Routing& routing) const;
};

/// The output port that a static predictor names for each input port of a router. ConfigError of
/// prediction.kind on a topology that has none.
std::vector<unsigned> predictor_table(const VcNetworkConfig& config, const graph::Topology& topology,
                                      graph::RouterId id, router::PredictorTable table);

}  // namespace tsuji::network
