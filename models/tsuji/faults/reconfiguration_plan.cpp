// SPDX-License-Identifier: Apache-2.0
#include "tsuji/faults/reconfiguration_plan.h"

#include <algorithm>
#include <utility>

namespace tsuji::faults {

using graph::none;
using graph::RouterId;

namespace {

/// The priority list may have no living router under intermediate knowledge, which mixes faults of different
/// times.
RouterId root_of(const graph::Topology& topology, const graph::LivingNetwork& network,
                 const graph::FaultRegions& regions, const std::vector<RouterId>& priority) {
  const bool any = std::any_of(priority.begin(), priority.end(),
                               [&network](RouterId router) { return network.lives(router); });
  return graph::choose_root(topology, network, regions, any ? priority : std::vector<RouterId>());
}

}  // namespace

ReconfigurationPlan::ReconfigurationPlan(const graph::Topology& topology, LinkStates states,
                                         const routing::DetourConfig& config)
    : topology_(topology),
      config_(config),
      states_(std::move(states)),
      network_(topology, states_.faults()),
      regions_(topology, network_, config.region_distance),
      root_(root_of(topology, network_, regions_, config.root_priority)),
      parent_ports_(topology.routers(), none),
      child_ports_(topology.routers()) {
  count_faults(topology);
  graph::BreadthFirst search;
  find_parents(topology, graph::UpDownOrder(network_.hops_to(root_, search)));
}

/// A router without a living link counts as one fault, and its links as none.
void ReconfigurationPlan::count_faults(const graph::Topology& topology) {
  std::vector<unsigned> living_links(topology.routers(), 0);
  for (std::uint32_t link = 0; link < topology.links().size(); ++link) {
    if (!states_.lives(link)) continue;
    ++living_links[topology.links()[link].a.router];
    ++living_links[topology.links()[link].b.router];
  }
  for (unsigned links : living_links) control_flits_ += links == 0 ? 1 : 0;
  for (std::uint32_t link = 0; link < topology.links().size(); ++link) {
    const graph::RouterLink& ends = topology.links()[link];
    const bool alone = living_links[ends.a.router] != 0 && living_links[ends.b.router] != 0;
    control_flits_ += !states_.lives(link) && alone ? 1 : 0;
  }
}

void ReconfigurationPlan::find_parents(const graph::Topology& topology, const graph::UpDownOrder& order) {
  for (RouterId router = 0; router < topology.routers(); ++router) {
    if (!lives(router) || router == root_) continue;
    for (unsigned port = 0; parent_ports_[router] == none; ++port) {
      const RouterId far = port < network_.ports() ? network_.neighbour(router, port) : none;
      if (far == none || order.level(far) >= order.level(router)) continue;
      parent_ports_[router] = port;
      child_ports_[far].push_back(topology.far(router, port).at.port);
    }
  }
}

const std::shared_ptr<const routing::DetourGeneration>& ReconfigurationPlan::generation() const {
  if (!generation_)
    generation_ = std::make_shared<const routing::DetourGeneration>(topology_, states_.faults(), config_);
  return generation_;
}

std::shared_ptr<const ReconfigurationPlan> PlanBook::plan(const LinkStates& states) {
  const auto found = plans_.find(states);
  if (found != plans_.end())
    if (auto plan = found->second.lock()) return plan;
  for (auto it = plans_.begin(); it != plans_.end();)
    it = it->second.expired() ? plans_.erase(it) : std::next(it);
  auto plan = std::make_shared<const ReconfigurationPlan>(topology_, states, config_);
  plans_[states] = plan;
  return plan;
}

std::shared_ptr<const ReconfigurationPlan> PlanBook::joined(
    const std::shared_ptr<const ReconfigurationPlan>& known, const std::shared_ptr<const LinkStates>& news) {
  if (news.get() == &known->states()) return known;
  if (last_.known.lock() == known && last_.news.lock() == news)
    if (auto both = last_.both.lock()) return both;
  LinkStates states = *news;
  states.merge(known->states());
  auto both = plan(states);
  last_ = {known, news, both};
  return both;
}

}  // namespace tsuji::faults
