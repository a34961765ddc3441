// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tsuji/faults/link_states.h"
#include "tsuji/routing/detour/detour_generation.h"

namespace tsuji::faults {

/// Everything that follows from a node's knowledge of the links: living part, fault regions, root and tree,
/// and routing tables. Nodes with equal knowledge have equal plans.
class ReconfigurationPlan {
 public:
  /// ConfigError: those of graph::choose_root().
  ReconfigurationPlan(const graph::Topology& topology, LinkStates states,
                      const routing::DetourConfig& config);

  const LinkStates& states() const { return states_; }
  graph::RouterId root() const { return root_; }
  bool lives(graph::RouterId router) const { return network_.lives(router); }
  bool in_region(graph::RouterId router) const { return regions_.in_region(router); }
  /// Port to the parent, one level up; the lowest of several. `none`: the root, and routers outside of the
  /// tree.
  unsigned parent_port(graph::RouterId router) const { return parent_ports_[router]; }
  /// Ports to the children, in the order of their router numbers.
  const std::vector<unsigned>& child_ports(graph::RouterId router) const { return child_ports_[router]; }
  /// Length of a message with this knowledge: one flit, and one for each dead link or router.
  unsigned control_flits() const { return control_flits_; }
  /// Routing tables, computed on first use: knowledge that a restart supersedes never needs them.
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

/// Plans by knowledge, each computed once while it is in use: nodes with equal knowledge share a plan.
class PlanBook {
 public:
  /// `topology` outlives the book and all plans.
  PlanBook(const graph::Topology& topology, const routing::DetourConfig& config)
      : topology_(topology), config_(config) {}
  const graph::Topology& topology() const { return topology_; }
  std::shared_ptr<const ReconfigurationPlan> plan(const LinkStates& states);
  /// Plan of the union of `known` and `news`. The last answer is cached, since news reach thousands of nodes
  /// with equal knowledge.
  std::shared_ptr<const ReconfigurationPlan> joined(const std::shared_ptr<const ReconfigurationPlan>& known,
                                                    const std::shared_ptr<const LinkStates>& news);

 private:
  /// Weak references, since plans hold tables of up to a gigabyte.
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
