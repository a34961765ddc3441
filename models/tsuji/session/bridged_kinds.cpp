// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/bridged_kinds.h"

#include "tsuji/core/error.h"
#include "tsuji/machines/cenju4/vc_machine.h"
#include "tsuji/machines/grouped/grouped_machine.h"
#include "tsuji/machines/tree/tree_machine.h"

namespace tsuji::session {
namespace {

using Parts = machines::BridgedNodes::Parts;
using network::NetworkConfig;

class Alone final : public BridgedKind {
 public:
  void validate(const NetworkConfig& network, const NetworkWorkload& workload) const override {
    machines::VcMachine::validate(network, workload.cenju4);
  }
  machines::Cenju4Config complete(machines::Cenju4Config nodes, const NetworkConfig& network,
                                  const graph::Topology& topology, const NetworkWorkload&) const override {
    return machines::VcMachine::complete_config(nodes, network, topology);
  }
  std::unique_ptr<machines::BridgedNodes> make(const Parts& parts, const network::NetworkPlan&,
                                               const NetworkWorkload&) const override {
    return std::make_unique<machines::VcMachine>(parts);
  }
};

class InGroups final : public BridgedKind {
 public:
  void validate(const NetworkConfig& network, const NetworkWorkload& workload) const override {
    machines::GroupedMachine::validate(network, workload.cenju4, workload.groups);
  }
  machines::Cenju4Config complete(machines::Cenju4Config nodes, const NetworkConfig& network,
                                  const graph::Topology& topology,
                                  const NetworkWorkload& workload) const override {
    return machines::GroupedMachine::complete_config(std::move(nodes), network, topology, workload.groups);
  }
  std::unique_ptr<machines::BridgedNodes> make(const Parts& parts, const network::NetworkPlan&,
                                               const NetworkWorkload& workload) const override {
    return std::make_unique<machines::GroupedMachine>(parts, workload.groups);
  }
  std::string headline(const NetworkWorkload& workload) const override {
    return " in groups of " + std::to_string(workload.groups.members);
  }
  std::string hops_meaning() const override { return "routers and switches visited, mean"; }
};

class OnTree final : public BridgedKind {
 public:
  void validate(const NetworkConfig& network, const NetworkWorkload& workload) const override {
    machines::TreeMachine::validate(network, workload.cenju4, workload.tree);
  }
  machines::Cenju4Config complete(machines::Cenju4Config nodes, const NetworkConfig& network,
                                  const graph::Topology& topology,
                                  const NetworkWorkload& workload) const override {
    return machines::TreeMachine::complete_config(nodes, network, topology, workload.tree);
  }
  std::unique_ptr<machines::BridgedNodes> make(const Parts& parts, const network::NetworkPlan& plan,
                                               const NetworkWorkload& workload) const override {
    return std::make_unique<machines::TreeMachine>(parts, workload.tree, plan.faults);
  }
  unsigned own_vcs() const override { return machines::TreeConfig::vcs; }
  std::string headline(const NetworkWorkload&) const override { return " with a tree of units"; }
};

}  // namespace

const BridgedKind& bridged_kind(NicKind kind) {
  static const Alone alone;
  static const InGroups in_groups;
  static const OnTree on_tree;
  switch (kind) {
    case NicKind::cenju4:
      return alone;
    case NicKind::cenju4_groups:
      return in_groups;
    case NicKind::cenju4_tree:
      return on_tree;
    case NicKind::packetizer:
      break;
  }
  throw ModelError("session", "nic.kind packetizer has no Cenju-4 nodes");
}

}  // namespace tsuji::session
