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

/// A machine of whole Cenju-4 nodes behind bridges that `nic.kind` chooses.
class BridgedKind {
 public:
  virtual ~BridgedKind() = default;
  /// Checks before the topology is known: ConfigError for what the library or the network cannot do.
  virtual void validate(const network::NetworkConfig& network, const NetworkWorkload& workload) const = 0;
  /// The nodes with what follows from the network; ConfigError where it does not fit.
  virtual machines::Cenju4Config complete(machines::Cenju4Config nodes, const network::NetworkConfig& network,
                                          const graph::Topology& topology,
                                          const NetworkWorkload& workload) const = 0;
  virtual std::unique_ptr<machines::BridgedNodes> make(const machines::BridgedNodes::Parts& parts,
                                                       const network::NetworkPlan& plan,
                                                       const NetworkWorkload& workload) const = 0;
  /// Virtual channels between routers that the nodes' routing does not have.
  virtual unsigned own_vcs() const { return 0; }
  /// Behind "Cenju-4 nodes" in a headline.
  virtual std::string headline(const NetworkWorkload&) const { return ""; }
  virtual std::string hops_meaning() const { return "routers visited, mean"; }
};

/// Of any kind but plain.
const BridgedKind& bridged_kind(NicKind kind);

}  // namespace tsuji::session
