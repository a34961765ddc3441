// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/checkers/deadlock.h"

#include <algorithm>
#include <numeric>

#include "tsuji/core/error.h"
#include "tsuji/graph/paths.h"
#include "tsuji/routing/checkers/channel_graph.h"
#include "tsuji/routing/checkers/message_waits.h"
#include "tsuji/routing/checkers/packet_walk.h"
#include "tsuji/routing/checkers/random_outcomes.h"

namespace tsuji::routing {
namespace {

using graph::none;
using graph::Topology;

constexpr std::size_t most_channels = 1U << 16;

/// For each place of a walk, the escape channels that a packet there may request, directly or after adaptive
/// channels.
class EscapesAhead {
 public:
  explicit EscapesAhead(const DenseGraph& graph) : graph_(graph), words_(graph.words()) {}

  void find(const PacketWalk& walk, const ChannelNumbers& numbers, bool after_others) {
    bits_.assign(walk.places().size() * words_, 0);
    for (std::uint32_t p = 0; p < walk.places().size(); ++p) offered(walk, numbers, p);
    if (!after_others) return;
    // One backward pass suffices in an acyclic order; otherwise passes are repeated until nothing is added.
    const bool ordered = walk.order().size() == walk.places().size();
    bool more = true;
    while (more) {
      more = false;
      for (std::uint32_t i = 0; i < walk.places().size(); ++i)
        more |= collect(walk, ordered ? walk.order()[walk.order().size() - 1 - i] : i);
      more &= !ordered;
    }
  }
  const std::uint64_t* of(std::uint32_t place) const { return &bits_[place * words_]; }

 private:
  void offered(const PacketWalk& walk, const ChannelNumbers& numbers, std::uint32_t p) {
    const PacketWalk::Place& place = walk.places()[p];
    for (const RouteCandidate* candidate = walk.begin(place); candidate != walk.end(place); ++candidate) {
      for (unsigned vc = 0; vc < numbers.vcs() && candidate->rank > 0; ++vc) {
        if ((candidate->vcs >> vc & 1) == 0) continue;
        const std::uint32_t index =
            graph_.index(numbers.vertex(numbers.wire(place.router, candidate->port), vc));
        bits_[p * words_ + index / 64] |= std::uint64_t{1} << index % 64;
      }
    }
  }
  bool collect(const PacketWalk& walk, std::uint32_t p) {
    const PacketWalk::Place& place = walk.places()[p];
    std::uint64_t changed = 0;
    for (const RouteCandidate* candidate = walk.begin(place); candidate != walk.end(place); ++candidate) {
      if (candidate->rank > 0) continue;
      walk.visit_next(place, *candidate, [&](std::uint32_t next) {
        std::uint64_t* const own = &bits_[p * words_];
        const std::uint64_t* const further = &bits_[next * words_];
        for (std::size_t w = 0; w < words_; ++w) {
          changed |= further[w] & ~own[w];
          own[w] |= further[w];
        }
      });
    }
    return changed != 0;
  }

  const DenseGraph& graph_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

class Checker {
 public:
  Checker(const Topology& topology, const Routing& routing, const DeadlockConfig& config)
      : topology_(topology),
        routing_(routing),
        config_(config),
        numbers_(topology, config.vcs),
        walk_(topology, routing, numbers_, config, report_),
        direct_(topology, numbers_),
        waits_(topology, numbers_, config.answers),
        waits_for_escape_(topology, numbers_, config.answers),
        used_(numbers_.size(), false),
        escape_(numbers_.size(), false) {
    report_.delivers = report_.finite = report_.minimal = report_.deadlock_free = true;
    report_.outages = !config.outages.empty();
    report_.messages = waits_.any();
    packets_ = packets_of_all_outcomes(routing, config.most_outcomes, report_.all_outcomes);
  }

  DeadlockReport run() {
    for_each_walk([&] { add_direct(); });
    report_.channels = static_cast<std::uint64_t>(std::count(used_.begin(), used_.end(), true));
    report_.escape_channels = static_cast<std::uint64_t>(std::count(escape_.begin(), escape_.end(), true));
    if (report_.escape_channels > 0) report_.theorem = config_.theorem();
    if (!report_.extended()) {
      conclude(direct_, waits_);
      return report_;
    }
    DenseGraph extended(escape_);
    EscapesAhead ahead(extended);
    for_each_walk([&] { add_extended(extended, ahead); });
    conclude(extended, waits_for_escape_);
    return report_;
  }

 private:
  template <class Then>
  void for_each_walk(const Then& then) {
    std::vector<NodeId> sources;
    for (NodeId destination = 0; destination < topology_.nodes() && !stop_; ++destination) {
      if (is_silent(destination)) {
        show_progress();
        continue;
      }
      const auto hops = graph::hops_to(topology_, topology_.node(destination).eject.router);
      sources.clear();
      for (NodeId source = 0; source < topology_.nodes(); ++source)
        if (!is_silent(source) && (source != destination || config_.to_self)) sources.push_back(source);
      for (PacketId packet : packets_) {
        if (routing_.promises().place_decides) {
          walk_.follow(destination, sources, packet, hops);
          then();
          continue;
        }
        for (NodeId source : sources) {
          walk_.follow(destination, {source}, packet, hops);
          then();
        }
      }
      show_progress();
    }
  }

  bool is_silent(NodeId node) const { return !config_.silent_nodes.empty() && config_.silent_nodes[node]; }

  void show_progress() {
    ++done_;
    if (!config_.progress) return;
    const bool twice = walk_.any_ranks() && config_.theorem() != DeadlockTheorem::acyclic;
    config_.progress(static_cast<double>(done_) / topology_.nodes() / (twice ? 2 : 1));
  }

  void add_direct() {
    outputs_.resize(walk_.places().size());
    for (std::uint32_t p = 0; p < walk_.places().size(); ++p) {
      const PacketWalk::Place& place = walk_.places()[p];
      direct_.clear(place.router, outputs_[p]);
      for (const RouteCandidate* candidate = walk_.begin(place); candidate != walk_.end(place); ++candidate) {
        direct_.set(outputs_[p], candidate->port, candidate->vcs);
        for (unsigned vc = 0; vc < config_.vcs && candidate->rank > 0; ++vc)
          if ((candidate->vcs >> vc & 1) != 0)
            escape_[numbers_.vertex(numbers_.wire(place.router, candidate->port), vc)] = true;
      }
    }
    for (const PacketWalk::State& state : walk_.states()) {
      if (waits_.any()) add_waits(state);
      if (state.channel == none) continue;
      used_[state.channel] = true;
      direct_.add(state.channel, outputs_[state.place]);
    }
  }

  /// Dependencies by answers of nodes: at a packet's destination, and at its source.
  void add_waits(const PacketWalk::State& state) {
    const PacketWalk::Place& place = walk_.places()[state.place];
    if (state.channel != none) {
      if (place.arrives) waits_.add_ejection(state.channel, walk_.destination());
      return;
    }
    if (place.arrives) waits_.add_neighbour(state.source, walk_.destination());
    for (const RouteCandidate* candidate = walk_.begin(place); candidate != walk_.end(place); ++candidate)
      for (unsigned vc = 0; vc < config_.vcs; ++vc)
        if ((candidate->vcs >> vc & 1U) != 0)
          waits_.add_injection(state.source,
                               numbers_.vertex(numbers_.wire(place.router, candidate->port), vc));
  }

  void add_waits_for_escape(const PacketWalk::State& state, const DenseGraph& graph,
                            const EscapesAhead& ahead) {
    if (state.channel != none) {
      if (escape_[state.channel]) waits_for_escape_.add_ejection(state.channel, walk_.destination());
      return;
    }
    if (walk_.places()[state.place].arrives)
      waits_for_escape_.add_neighbour(state.source, walk_.destination());
    for (std::uint32_t index = 0; index < graph.size(); ++index)
      if ((ahead.of(state.place)[index / 64] >> index % 64 & 1U) != 0)
        waits_for_escape_.add_injection(state.source, graph.channel(index));
  }

  /// Extended dependencies: from each escape channel, however it was reached, to the escape channels offered
  /// there and at all places reached from there by rank 0.
  void add_extended(DenseGraph& graph, EscapesAhead& ahead) {
    ahead.find(walk_, numbers_, config_.theorem() == DeadlockTheorem::escape_wormhole);
    without_escape_.assign(walk_.places().size(), false);
    for (std::uint32_t p = 0; p < walk_.places().size(); ++p) {
      const PacketWalk::Place& place = walk_.places()[p];
      without_escape_[p] = !place.arrives && place.candidates > 0 &&
                           std::none_of(walk_.begin(place), walk_.end(place),
                                        [](const RouteCandidate& w) { return w.rank > 0; });
    }
    for (const PacketWalk::State& state : walk_.states()) {
      if (without_escape_[state.place]) require_escape(state);
      if (waits_.any()) add_waits_for_escape(state, graph, ahead);
      if (state.channel != none && escape_[state.channel])
        graph.add(graph.index(state.channel), ahead.of(state.place));
    }
  }

  void require_escape(const PacketWalk::State& state) {
    walk_.say_unproved(state.source,
                       "no escape channel is offered after " +
                           (state.channel == none ? "its source" : numbers_.channel(state.channel).text()));
  }

  template <class Graph>
  void conclude(const Graph& graph, const MessageWaits& waits) {
    report_.dependencies = graph.edges() + waits.edges();
    const std::vector<Vertex> cycle = find_cycle(waits.size(), [&](Vertex v, const VisitNext& next) {
      if (v < numbers_.size()) graph.visit(v, next);
      waits.visit(v, next);
    });
    if (cycle.empty()) return;
    report_.deadlock_free = false;
    for (Vertex v : cycle) report_.cycle.push_back(v < numbers_.size() ? numbers_.channel(v) : waits.wait(v));
    find_witnesses(cycle);
  }

  /// Finds witnesses of a cycle of direct dependencies. Packets of an extended dependency may request the
  /// next channel after any number of others, so they are not searched.
  void find_witnesses(const std::vector<Vertex>& cycle) {
    if (report_.extended()) return;
    constexpr unsigned nobody = ~0U;
    report_.witnesses.assign(cycle.size(), {0, 0, 0, nobody});
    std::vector<std::uint32_t> next(waits_.size(), none);
    for (std::size_t i = 0; i < cycle.size(); ++i) next[cycle[i]] = static_cast<std::uint32_t>(i);
    const auto look = [&] {
      for (const PacketWalk::State& state : walk_.states()) {
        if (state.channel == none || next[state.channel] == none) continue;
        const std::uint32_t i = next[state.channel];
        if (!offers(walk_.places()[state.place], cycle[(i + 1) % cycle.size()])) continue;
        CycleWitness& best = report_.witnesses[i];
        const unsigned links = walk_.links_before(state);
        if (links < best.links_before) best = {state.source, walk_.destination(), walk_.packet(), links};
      }
      stop_ = std::all_of(report_.witnesses.begin(), report_.witnesses.end(),
                          [](const CycleWitness& w) { return w.links_before == 0; });
    };
    for_each_walk(look);
  }

  bool offers(const PacketWalk::Place& place, Vertex channel) const {
    if (channel >= numbers_.size()) return place.arrives && walk_.destination() == waits_.node(channel);
    const graph::PortRef from = numbers_.sender(channel);
    return from.router == place.router &&
           std::any_of(walk_.begin(place), walk_.end(place), [&](const RouteCandidate& candidate) {
             return candidate.port == from.port && (candidate.vcs >> numbers_.vc(channel) & 1) != 0;
           });
  }

  const Topology& topology_;
  const Routing& routing_;
  const DeadlockConfig& config_;
  const ChannelNumbers numbers_;
  DeadlockReport report_;
  PacketWalk walk_;
  ChannelGraph direct_;
  MessageWaits waits_, waits_for_escape_;  ///< of all channels, and of the escape channels
  std::vector<bool> used_, escape_, without_escape_;
  std::vector<ChannelGraph::Outputs> outputs_;  ///< [place of a walk]
  std::vector<PacketId> packets_;
  std::uint64_t done_ = 0;
  bool stop_ = false;
};

}  // namespace

DeadlockReport check_deadlock(const Topology& topology, const Routing& routing,
                              const DeadlockConfig& config) {
  const std::size_t channels = ChannelNumbers(topology, config.vcs).size();
  if (channels > most_channels)
    throw ConfigError(
        "topology.kind", topology.name(),
        "has " + std::to_string(channels) + " virtual channels, too many for the deadlock check",
        "at most " + std::to_string(most_channels));
  return Checker(topology, routing, config).run();
}

DeadlockReport check_deadlock(const Topology& topology, const Routing& routing, unsigned vcs) {
  DeadlockConfig config;
  config.vcs = vcs;
  return check_deadlock(topology, routing, config);
}

}  // namespace tsuji::routing
