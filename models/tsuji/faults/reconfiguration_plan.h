// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tsuji/faults/link_states.h"
#include "tsuji/routing/detour/detour_generation.h"

namespace tsuji::faults {

/// All that follows from what a node knows of the links: who lives, fault regions, the root and its tree, and
/// the routing tables. Equal knowledge gives every node the same plan.
class ReconfigurationPlan {
 public:
  /// ConfigError: those of graph::choose_root().
  ReconfigurationPlan(const graph::Topology& topology, LinkStates states,
                      const routing::DetourConfig& config);

  const LinkStates& states() const { return states_; }
  graph::RouterId root() const { return root_; }
  bool lives(graph::RouterId router) const { return network_.lives(router); }
  bool in_region(graph::RouterId router) const { return regions_.in_region(router); }
  /// The port to the router one level up: the lowest of several. `none`: the root, and routers outside the
  /// tree.
  unsigned parent_port(graph::RouterId router) const { return parent_ports_[router]; }
  /// Ports of those whose parent this router is, in the order of their numbers as routers.
  const std::vector<unsigned>& child_ports(graph::RouterId router) const { return child_ports_[router]; }
  /// Of a message that carries the knowledge: one flit a dead link or router, and one.
  unsigned control_flits() const { return control_flits_; }
  /// Made when it is first asked for: knowledge that a restart overtakes never needs tables.
  const std::shared_ptr<const routing::DetourGeneration>& generation() const;

 private:
  void count_faults(const graph::Topology& topology);
  void find_parents(const graph::Topology& topology, const graph::UpDownOrder& order);

  const graph::Topology& topology_;
  routing::DetourConfig config_;
  LinkStates states_;
  graph::LivingNetwork network_;
  graph::FaultRegions regions_;
  graph::RouterId root_;
  unsigned control_flits_ = 1;
  std::vector<unsigned> parent_ports_;
  std::vector<std::vector<unsigned>> child_ports_;
  mutable std::shared_ptr<const routing::DetourGeneration> generation_;
};

/// Plans by knowledge, each worked out once while anybody holds it: nodes of equal knowledge share theirs.
class PlanBook {
 public:
  /// `topology` outlives the book and all plans.
  PlanBook(const graph::Topology& topology, const routing::DetourConfig& config)
      : topology_(topology), config_(config) {}
  const graph::Topology& topology() const { return topology_; }
  std::shared_ptr<const ReconfigurationPlan> plan(const LinkStates& states);
  /// The plan of all that `known` and `news` know. News reach thousands of nodes that know the same, so the
  /// last answer is kept.
  std::shared_ptr<const ReconfigurationPlan> joined(const std::shared_ptr<const ReconfigurationPlan>& known,
                                                    const std::shared_ptr<const LinkStates>& news);

 private:
  /// Weak: plans hold tables, of up to a gigabyte.
  struct Joined {
    std::weak_ptr<const ReconfigurationPlan> known;
    std::weak_ptr<const LinkStates> news;
    std::weak_ptr<const ReconfigurationPlan> both;
  };

  const graph::Topology& topology_;
  routing::DetourConfig config_;
  std::map<LinkStates, std::weak_ptr<const ReconfigurationPlan>> plans_;
  Joined last_;
};

}  // namespace tsuji::faults
