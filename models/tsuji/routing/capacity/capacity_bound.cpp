// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/capacity/capacity_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tsuji/routing/capacity/candidate_graphs.h"
#include "tsuji/routing/capacity/path_flows.h"
#include "tsuji/routing/capacity/split_bound.h"

namespace tsuji::routing {
namespace {

using graph::none;
using Far = graph::Topology::Far;

constexpr double within = 0.99;  // share of the highest load at which a channel counts as full

class Calculation {
 public:
  Calculation(const graph::Topology& topology, const Routing& routing, const CapacityConfig& config)
      : topology_(topology),
        routing_(routing),
        config_(config),
        numbers_(topology),
        node_cycles_(relative_cycles(topology.node_class())),
        flit_cycles_(cycles_of_ports()),
        flits_(numbers_.size(), 0.0),
        injected_(topology.nodes(), 0.0),
        ejected_(topology.nodes(), 0.0) {}

  CapacityBound run() {
    bound_.reason = refusal();
    if (!bound_.reason.empty()) return bound_;
    const bool exact = routing_.max_candidates() == 1 && routing_.recovery() == nullptr;
    bound_.reason = exact ? find_loads() : find_split();
    if (bound_.reason.empty() && full_ == 0) bound_.reason = "no packet";
    if (!bound_.reason.empty()) return bound_;
    bound_.kind = exact ? CapacityKind::exact : CapacityKind::upper_bound;
    bound_.is_split = !exact;
    bound_.flits_per_node_cycle = 1 / full_ / static_cast<double>(config_.flit_cycles);
    list_channels();
    std::stable_sort(bound_.full.begin(), bound_.full.end(), is_fuller);
    return bound_;
  }

 private:
  /// Cycles of a flit on a link of a class, in those of a link whose class sets none.
  double relative_cycles(const graph::LinkClass& one) const {
    return static_cast<double>(one.flit_cycles_or(config_.flit_cycles)) /
           static_cast<double>(config_.flit_cycles);
  }
  std::vector<double> cycles_of_ports() const {
    std::vector<double> cycles(numbers_.size(), 1.0);
    for (graph::RouterId router = 0; router < topology_.routers(); ++router)
      for (unsigned port = 0; port < topology_.ports(router); ++port)
        if (const Far& far = topology_.far(router, port); far.kind == Far::Kind::router)
          cycles[numbers_({router, port})] = relative_cycles(topology_.link_class(far.link));
    return cycles;
  }

  std::string refusal() const {
    if (routing_.decisions() != nullptr && routing_.max_candidates() > 1)
      return "a routing that decides and gives several candidates";
    const std::uint64_t nodes = topology_.nodes();
    return nodes * nodes / pairs_a_question > config_.most_questions ? too_large : "";
  }

  /// Calls add(destination, sources, demand) for the packets that leave their router by a port other than a
  /// node's.
  template <class Add>
  std::string for_each_destination(const Add& add) {
    std::vector<NodeId> sources;
    std::vector<double> demand;
    for (NodeId destination = 0; destination < topology_.nodes(); ++destination) {
      sources.clear();
      demand.clear();
      for (NodeId source = 0; source < topology_.nodes(); ++source) {
        const double flits = config_.demand(source, destination);
        if (flits == 0) continue;
        injected_[source] += flits;
        if (!config_.uturn_node && topology_.node(source).inject == topology_.node(destination).eject)
          continue;
        ejected_[destination] += flits;
        sources.push_back(source);
        demand.push_back(flits);
      }
      if (sources.empty()) continue;
      std::string reason = add(destination, sources, demand);
      if (!reason.empty()) return reason;
    }
    full_ = node_cycles_ * std::max(*std::max_element(injected_.begin(), injected_.end()),
                                    *std::max_element(ejected_.begin(), ejected_.end()));
    return "";
  }

  std::string find_loads() {
    PathFlows flows(topology_, routing_, config_, flits_);
    std::string reason =
        for_each_destination([&flows](NodeId destination, const auto& sources, const auto& demand) {
          return flows.add(destination, sources, demand);
        });
    for (std::size_t port = 0; port < flits_.size(); ++port)
      full_ = std::max(full_, flits_[port] * flit_cycles_[port]);
    return reason;
  }

  std::string find_split() {
    CandidateGraphs graphs(topology_, routing_, config_);
    std::string reason =
        for_each_destination([&graphs](NodeId destination, const auto& sources, const auto& demand) {
          return graphs.add(destination, sources, demand);
        });
    if (!reason.empty() || full_ == 0) return reason;
    SplitBound split(graphs, topology_, flit_cycles_);
    split.search(1 / full_, config_.most_search_steps);
    if (!split.reaches()) return "routes that do not arrive";
    flits_ = split.flits();
    if (split.bound() * full_ < 1) {
      full_ = 1 / split.bound();
      together_ = split.lengths();
    }
    return "";
  }

  LoadedChannel channel(LoadedChannel::Kind kind, graph::PortRef from, NodeId node, double flits,
                        double relative) const {
    return {kind, from, node, flits, relative * static_cast<double>(config_.flit_cycles)};
  }

  void list_channels() {
    for (graph::RouterId router = 0; router < topology_.routers(); ++router) {
      for (unsigned port = 0; port < topology_.ports(router); ++port) {
        const std::uint32_t number = numbers_({router, port});
        if (topology_.far(router, port).kind != Far::Kind::router || flits_[number] == 0) continue;
        list(channel(LoadedChannel::Kind::link, {router, port}, none, flits_[number], flit_cycles_[number]),
             is_full(number));
      }
    }
    for (NodeId node = 0; node < topology_.nodes(); ++node)
      if (ejected_[node] != 0)
        list(channel(LoadedChannel::Kind::ejection, topology_.node(node).eject, node, ejected_[node],
                     node_cycles_),
             together_.empty() && node_cycles_ * ejected_[node] >= within * full_);
    for (NodeId node = 0; node < topology_.nodes(); ++node)
      if (injected_[node] != 0)
        list(channel(LoadedChannel::Kind::injection, {}, node, injected_[node], node_cycles_),
             together_.empty() && node_cycles_ * injected_[node] >= within * full_);
  }

  bool is_full(std::uint32_t port) const {
    if (!together_.empty())
      return together_[port] >= 0.01 * *std::max_element(together_.begin(), together_.end());
    return bound_.kind == CapacityKind::exact && flits_[port] * flit_cycles_[port] >= within * full_;
  }

  void list(const LoadedChannel& channel, bool full) {
    bound_.channels.push_back(channel);
    if (full) bound_.full.push_back(channel);
  }

  static constexpr std::uint64_t pairs_a_question = 8;

  const graph::Topology& topology_;
  const Routing& routing_;
  const CapacityConfig& config_;
  const PortNumbers numbers_;
  const double node_cycles_;  ///< cycles of a flit on a node's link, relative to CapacityConfig::flit_cycles
  const std::vector<double> flit_cycles_;  ///< [output port]: relative cycles of links between routers
  std::vector<double> flits_;              ///< [output port]
  std::vector<double> injected_, ejected_;
  std::vector<double> together_;  ///< [output port], if links are full together
  double full_ = 0;  ///< flits per cycle times relative cycles of the fullest channel, at a load of 1
  CapacityBound bound_;
};

}  // namespace

CapacityBound capacity_bound(const graph::Topology& topology, const Routing& routing,
                             const CapacityConfig& config) {
  return Calculation(topology, routing, config).run();
}

}  // namespace tsuji::routing
