// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/machines/cenju4/bridged_nodes.h"
#include "tsuji/session/network_faults.h"
#include "tsuji/session/network_workload.h"

namespace tsuji::session {

/// Machine of whole Cenju-4 nodes that bridges connect to the network, selected by `nic.kind`.
class BridgedKind {
 public:
  virtual ~BridgedKind() = default;
  /// Checks before the topology is known. ConfigError for features that the library or the network does not
  /// support.
  virtual void validate(const network::NetworkConfig& network, const NetworkWorkload& workload) const = 0;
  /// Completes the nodes' configuration by values of the network; ConfigError if they do not fit.
  virtual machines::Cenju4Config complete(machines::Cenju4Config nodes, const network::NetworkConfig& network,
                                          const graph::Topology& topology,
                                          const NetworkWorkload& workload) const = 0;
  virtual std::unique_ptr<machines::BridgedNodes> make(const machines::BridgedNodes::Parts& parts,
                                                       const network::NetworkPlan& plan,
                                                       const NetworkWorkload& workload) const = 0;
  /// Number of virtual channels between routers that the nodes' routing does not use.
  virtual unsigned own_vcs() const { return 0; }
  /// Text after "Cenju-4 nodes" in a headline.
  virtual std::string headline(const NetworkWorkload&) const { return ""; }
  virtual std::string hops_meaning() const { return "routers visited, mean"; }
};

/// Requires a kind other than `packetizer`.
const BridgedKind& bridged_kind(NicKind kind);

}  // namespace tsuji::session
