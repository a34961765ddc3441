// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/detour/detour_check.h"

#include <algorithm>

#include "tsuji/core/strong_components.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {
namespace {

using graph::none;
using graph::Topology;

constexpr std::size_t most_problems = 5;

/// Dependencies between outputs of routers: the ports that a packet may use at the next router.
class OutputGraph {
 public:
  explicit OutputGraph(const graph::LivingNetwork& network)
      : network_(network),
        next_(std::size_t{network.routers()} * network.ports()),
        taken_(next_.size(), false) {}

  std::size_t size() const { return next_.size(); }
  Vertex vertex(RouterId router, unsigned port) const { return router * network_.ports() + port; }
  RouterId router(Vertex v) const { return v / network_.ports(); }
  unsigned port(Vertex v) const { return v % network_.ports(); }
  RouterId far_router(Vertex v) const { return network_.neighbour(router(v), port(v)); }
  bool taken(Vertex v) const { return taken_[v]; }
  void take(Vertex v) { taken_[v] = true; }
  void add(Vertex from, PortWord ports) { next_[from] = static_cast<PortWord>(next_[from] | ports); }
  template <class Next>
  void visit(Vertex from, const Next& next) const {
    for (unsigned word = next_[from]; word != 0; word &= word - 1)
      next(vertex(far_router(from), static_cast<unsigned>(__builtin_ctz(word))));
  }
  std::uint64_t taken() const {
    return static_cast<std::uint64_t>(std::count(taken_.begin(), taken_.end(), true));
  }
  std::uint64_t edges() const {
    std::uint64_t count = 0;
    for (PortWord word : next_) count += static_cast<unsigned>(__builtin_popcount(word));
    return count;
  }
  std::vector<Channel> cycle(unsigned vc) const {
    std::vector<Channel> channels;
    for (Vertex v : find_cycle(size(), [this](Vertex from, const VisitNext&next) { visit(from, next); }))
      channels.push_back({router(v), port(v), vc});
    return channels;
  }
  /// A number for each output that is used, higher than those of all its predecessors; fewer numbers if there
  /// is a cycle.
  std::vector<std::uint32_t> rising_numbers() const {
    std::vector<std::uint32_t> before(size(), 0), numbers(size(), 0);
    std::vector<Vertex> order;
    for (Vertex v = 0; v < size(); ++v) visit(v, [&](Vertex to) { ++before[to]; });
    for (Vertex v = 0; v < size(); ++v) {
      if (!taken_[v] || before[v] != 0) continue;
      numbers[v] = 1;
      order.push_back(v);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      visit(order[i], [&](Vertex to) {
        numbers[to] = std::max(numbers[to], numbers[order[i]] + 1);
        if (--before[to] == 0) order.push_back(to);
      });
    }
    return numbers;
  }

 private:
  const graph::LivingNetwork& network_;
  std::vector<PortWord> next_;
  std::vector<bool> taken_;
};

class RecoveryCheck {
 public:
  RecoveryCheck(const Topology& topology, const DetourGeneration& generation, const Routing& routing,
                VcMask ud)
      : topology_(topology),
        network_(generation.network()),
        order_(generation.order()),
        routing_(routing),
        ud_(ud),
        graph_(network_),
        seen_(graph_.size(), none) {
    query_.packet_class = PacketClass::recovery;
  }

  RecoveryVerdict run() {
    for (NodeId to = 0; to < topology_.nodes(); ++to)
      if (network_.lives(topology_.node(to).eject.router)) follow(to);
    verdict_.channels = graph_.taken();
    verdict_.dependencies = graph_.edges();
    verdict_.cycle = graph_.cycle(ud_vc());
    verdict_.acyclic = verdict_.cycle.empty();
    if (!verdict_.acyclic) return std::move(verdict_);
    verdict_.numbers = graph_.rising_numbers();
    verdict_.longest_chain = *std::max_element(verdict_.numbers.begin(), verdict_.numbers.end());
    return std::move(verdict_);
  }

 private:
  unsigned ud_vc() const { return ud_ == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(ud_)); }

  void follow(NodeId to) {
    query_.destination = to;
    queue_.clear();
    // Any head may recover: one that came by an FA channel, and one of the router's own nodes.
    for (RouterId router = 0; router < topology_.routers(); ++router) {
      if (!network_.lives(router)) continue;
      for (unsigned port = 0; port < topology_.ports(router); ++port) {
        const Topology::Far& far = topology_.far(router, port);
        const bool arrives =
            far.kind == Topology::Far::Kind::node ? far.receives : network_.lives_at(router, port);
        if (arrives) put(router, ask(router, port, 0));
      }
    }
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const Vertex channel = queue_[i];
      const RouterId from = graph_.router(channel), here = graph_.far_router(channel);
      const PortWord word = ask(here, topology_.far(from, graph_.port(channel)).at.port, ud_vc());
      graph_.add(channel, word);
      if (!order_.leads_up(from, here)) require_down(here, word);
      put(here, word);
    }
  }

  void put(RouterId router, PortWord word) {
    for (unsigned bits = word; bits != 0; bits &= bits - 1) {
      const Vertex channel = graph_.vertex(router, static_cast<unsigned>(__builtin_ctz(bits)));
      if (seen_[channel] == query_.destination.node()) continue;
      seen_[channel] = query_.destination.node();
      graph_.take(channel);
      queue_.push_back(channel);
    }
  }

  /// Network ports that the head may use; problems are recorded.
  PortWord ask(RouterId router, unsigned in_port, unsigned in_vc) {
    query_.router = router;
    query_.in_port = in_port;
    query_.in_vc = in_vc;
    RouteSet candidates;
    routing_.route(query_, candidates);
    const graph::PortRef node = topology_.node(query_.destination.node()).eject;
    unsigned word = 0;
    for (const RouteCandidate& candidate : candidates) {
      if (router == node.router && candidate.port == node.port) continue;
      const std::string by = "routes it to port " + std::to_string(candidate.port);
      if (!network_.lives_at(router, candidate.port))
        say(by + ", which leads to no living router or node");
      else if ((candidate.vcs & ~ud_) != 0 || candidate.vcs == 0)
        say(by + " onto channels that are not UD");
      else if (router == node.router)
        say(by + ", away from its node");
      else
        word |= 1U << candidate.port;
    }
    if (candidates.size() == 0) say("has no candidate for it");
    return static_cast<PortWord>(word);
  }

  void require_down(RouterId here, PortWord word) {
    for (unsigned bits = word; bits != 0; bits &= bits - 1) {
      const auto port = static_cast<unsigned>(__builtin_ctz(bits));
      if (order_.leads_up(here, network_.neighbour(here, port)))
        say("routes it up to port " + std::to_string(port) + ", after it has gone down");
    }
  }

  void say(const std::string& what) {
    verdict_.leads_on = false;
    const std::string problem = "message in recovery to node " + std::to_string(query_.destination.node()) +
                                ": " + router_name(query_.router) + " " + what;
    std::vector<std::string>& list = verdict_.problems;
    if (std::find(list.begin(), list.end(), problem) != list.end()) return;
    if (list.size() < most_problems)
      list.push_back(problem);
    else
      verdict_.more_problems = true;
  }

  const Topology& topology_;
  const graph::LivingNetwork& network_;
  const graph::UpDownOrder& order_;
  const Routing& routing_;
  const VcMask ud_;
  OutputGraph graph_;
  std::vector<NodeId> seen_;  ///< [channel]: the last destination for which it was reached
  std::vector<Vertex> queue_;
  RouteQuery query_;
  RecoveryVerdict verdict_;
};

class AdaptiveCheck {
 public:
  AdaptiveCheck(const Topology& topology, const DetourGeneration& generation, const Routing& routing)
      : topology_(topology),
        network_(generation.network()),
        routing_(routing),
        graph_(network_),
        inject_port_(topology.routers(), none),
        index_(std::size_t{topology.routers()} * (network_.ports() + 1)),
        seen_(index_.size(), none) {
    for (NodeId node = topology.nodes(); node-- > 0;)
      inject_port_[topology.node(node).inject.router] = topology.node(node).inject.port;
  }

  AdaptiveVerdict run() {
    for (NodeId to = 0; to < topology_.nodes(); ++to) {
      if (!network_.lives(topology_.node(to).eject.router)) continue;
      follow(to);
      judge();
    }
    verdict_.channels = graph_.taken();
    verdict_.channel_cycle = graph_.cycle(0);
    const StrongComponents parts = strong_components(
        graph_.size(), [this](Vertex from, const VisitNext& next) { graph_.visit(from, next); });
    for (Vertex v = 0; v < graph_.size(); ++v) verdict_.cyclic_channels += parts.on_cycle(v) ? 1 : 0;
    return std::move(verdict_);
  }

 private:
  struct State {
    HeadState head;
    std::uint32_t parent = none;
    bool arrived = false;
    std::vector<std::uint32_t> next;
  };

  void follow(NodeId to) {
    destination_ = to;
    states_.clear();
    for (RouterId router = 0; router < topology_.routers(); ++router)
      if (network_.lives(router) && inject_port_[router] != none) state(router, inject_port_[router], none);
    for (std::uint32_t i = 0; i < states_.size(); ++i) expand(i);
    verdict_.states += states_.size();
  }

  std::uint32_t state(RouterId router, unsigned in_port, std::uint32_t parent) {
    const std::size_t place =
        std::size_t{router} * (network_.ports() + 1) + std::min(in_port, network_.ports());
    if (seen_[place] != destination_) {
      seen_[place] = destination_;
      index_[place] = static_cast<std::uint32_t>(states_.size());
      states_.push_back({{router, in_port, destination_}, parent, false, {}});
    }
    return index_[place];
  }

  void expand(std::uint32_t i) {
    RouteQuery query;
    query.router = states_[i].head.router;
    query.in_port = states_[i].head.in_port;
    query.destination = destination_;
    RouteSet candidates;
    routing_.route(query, candidates);
    const graph::PortRef node = topology_.node(destination_).eject;
    unsigned word = 0;
    for (const RouteCandidate& candidate : candidates) {
      if (query.router == node.router && candidate.port == node.port) states_[i].arrived = true;
      if (network_.lives_at(query.router, candidate.port)) word |= 1U << candidate.port;
    }
    if (query.in_port < network_.ports()) {
      const graph::PortRef before = topology_.far(query.router, query.in_port).at;
      graph_.add(graph_.vertex(before.router, before.port), static_cast<PortWord>(word));
    }
    for (; word != 0; word &= word - 1) {
      const auto port = static_cast<unsigned>(__builtin_ctz(word));
      graph_.take(graph_.vertex(query.router, port));
      const graph::PortRef at = topology_.far(query.router, port).at;
      const std::uint32_t next = state(at.router, at.port, i);
      states_[i].next.push_back(next);
    }
  }

  void judge() {
    const auto visit = [this](Vertex from, const VisitNext& next) {
      for (std::uint32_t to : states_[from].next) next(to);
    };
    const StrongComponents parts = strong_components(states_.size(), visit);
    for (Vertex v = 0; v < states_.size(); ++v) verdict_.circling += parts.on_cycle(v) ? 1 : 0;
    const auto circles =
        std::count_if(parts.sizes.begin(), parts.sizes.end(), [](auto size) { return size > 1; });
    verdict_.circles += static_cast<std::uint64_t>(circles);
    if (circles > 0 && verdict_.circle.empty())
      for (Vertex v : find_cycle(states_.size(), visit)) verdict_.circle.push_back(states_[v].head);
    // Components in the order of their numbers come after their successors.
    std::vector<bool> arrives(parts.sizes.size(), false);
    std::vector<std::vector<Vertex>> members(parts.sizes.size());
    for (Vertex v = 0; v < states_.size(); ++v) members[parts.component[v]].push_back(v);
    for (std::size_t part = 0; part < members.size(); ++part) {
      for (Vertex v : members[part]) {
        arrives[part] = arrives[part] || states_[v].arrived;
        for (std::uint32_t to : states_[v].next)
          arrives[part] = arrives[part] || arrives[parts.component[to]];
      }
      if (arrives[part]) continue;
      verdict_.hopeless += members[part].size();
      if (verdict_.hopeless_path.empty())
        show_path_to(*std::min_element(members[part].begin(), members[part].end()));
    }
  }

  void show_path_to(Vertex state) {
    for (std::uint32_t s = state; s != none; s = states_[s].parent)
      verdict_.hopeless_path.push_back(states_[s].head);
    std::reverse(verdict_.hopeless_path.begin(), verdict_.hopeless_path.end());
  }

  const Topology& topology_;
  const graph::LivingNetwork& network_;
  const Routing& routing_;
  OutputGraph graph_;
  std::vector<std::uint32_t> inject_port_;  ///< [router]: port of its first node
  std::vector<std::uint32_t> index_;        ///< [router and port of arrival]: its state
  std::vector<NodeId> seen_;                ///< destination for which `index_` is valid
  NodeId destination_ = 0;
  std::vector<State> states_;
  AdaptiveVerdict verdict_;
};

std::string cycle_text(const std::vector<Channel>& cycle) {
  std::string text;
  for (const Channel& channel : cycle) text += "  " + channel.text() + "\n";
  return text;
}

std::string routers_of(const std::vector<HeadState>& heads) {
  std::string text;
  for (const HeadState& head : heads) text += (text.empty() ? "" : ", ") + std::to_string(head.router);
  return text;
}

}  // namespace

RecoveryVerdict check_recovery(const Topology& topology, const DetourGeneration& generation,
                               const Routing& routing, VcMask ud) {
  return RecoveryCheck(topology, generation, routing, ud).run();
}

AdaptiveVerdict check_adaptive(const Topology& topology, const DetourGeneration& generation,
                               const Routing& routing) {
  return AdaptiveCheck(topology, generation, routing).run();
}

std::string RecoveryVerdict::text() const {
  std::string out = "recovery: " + std::to_string(channels) + " UD channels, " +
                    std::to_string(dependencies) + " dependencies\n";
  if (acyclic)
    out += "free of deadlock: no cycle (Dally and Seitz, all candidates counted), chains of at most " +
           std::to_string(longest_chain) + " channels\n";
  else
    out += "not free of deadlock: a cycle of " + std::to_string(cycle.size()) +
           ", each waits for the next\n" + cycle_text(cycle);
  out += leads_on ? "every living node is reached from everywhere, whichever candidates are taken\n"
                  : "not every message in recovery reaches its node\n";
  for (std::size_t i = 0; i < problems.size(); ++i)
    out += (i == 0 ? "first problem: " : "problem: ") + problems[i] + "\n";
  if (more_problems) out += "and more problems\n";
  return out;
}

std::string AdaptiveVerdict::text() const {
  std::string out = "before recovery: " + std::to_string(cyclic_channels) + " of " +
                    std::to_string(channels) + " outputs are on cycles of dependencies";
  out += channel_cycle.empty() ? "\n" : ", a short one:\n" + cycle_text(channel_cycle);
  out += std::to_string(circling) + " of " + std::to_string(states) + " states are on " +
         std::to_string(circles) + " cycles, on which messages may circulate\n";
  if (!circle.empty())
    out += "  to node " + std::to_string(circle.front().destination) + " by routers " + routers_of(circle) +
           "\n";
  out += std::to_string(hopeless) + " states never arrive but by recovery\n";
  if (!hopeless_path.empty())
    out += "  to node " + std::to_string(hopeless_path.front().destination) + " by routers " +
           routers_of(hopeless_path) + "\n";
  return out;
}

}  // namespace tsuji::routing
