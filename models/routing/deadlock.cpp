#include "routing/deadlock.h"

#include <algorithm>

#include "core/error.h"
#include "graph/paths.h"

namespace tsuji::routing {
namespace {

using graph::none;
using graph::Topology;
using Vertex = std::uint32_t;

constexpr std::size_t most_channels = 1U << 16;

std::string channel_text(const Channel& channel) {
  return "router " + std::to_string(channel.router) + " port " + std::to_string(channel.port) + " vc " +
         std::to_string(channel.vc);
}

/// Numbers the virtual channels of all links.
class Channels {
 public:
  Channels(const Topology& topology, unsigned vcs) : topology_(topology), vcs_(vcs) {}
  std::size_t size() const { return 2 * topology_.links().size() * vcs_; }
  Vertex vertex(RouterId router, unsigned port, unsigned vc) const {
    const std::uint32_t link = topology_.far(router, port).link;
    const bool forward = topology_.links()[link].a == graph::PortRef{router, port};
    return (2 * link + (forward ? 0 : 1)) * vcs_ + vc;
  }
  Channel channel(Vertex v) const {
    const graph::PortRef from = end(v, true);
    return {from.router, from.port, v % vcs_};
  }
  /// Where a flit on this channel arrives.
  graph::PortRef arrival(Vertex v) const { return end(v, false); }
  unsigned vcs() const { return vcs_; }
  unsigned vc(Vertex v) const { return v % vcs_; }

 private:
  graph::PortRef end(Vertex v, bool sender) const {
    const graph::RouterLink& link = topology_.links()[v / vcs_ / 2];
    const bool forward = v / vcs_ % 2 == 0;
    return forward == sender ? link.a : link.b;
  }
  const Topology& topology_;
  unsigned vcs_;
};

/// The dependency graph: lists of successors, and a bit for each edge so that an edge is added once.
class DependencyGraph {
 public:
  explicit DependencyGraph(std::size_t vertices) : next_(vertices), known_(vertices) {}
  void add(Vertex from, Vertex to) {
    std::vector<bool>& known = known_[from];
    if (known.empty()) known.resize(next_.size());
    if (known[to]) return;
    known[to] = true;
    next_[from].push_back(to);
    ++edges_;
  }
  std::uint64_t edges() const { return edges_; }

  /// A cycle, shortest through its first vertex; empty if there is none.
  std::vector<Vertex> cycle() const {
    std::vector<std::uint32_t> before(next_.size(), 0);
    for (const auto& list : next_)
      for (Vertex to : list) ++before[to];
    std::vector<Vertex> queue;
    for (Vertex v = 0; v < next_.size(); ++v)
      if (before[v] == 0) queue.push_back(v);
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (Vertex to : next_[queue[i]])
        if (--before[to] == 0) queue.push_back(to);
    if (queue.size() == next_.size()) return {};
    // What is left lies on cycles or behind one.
    for (Vertex v = 0; v < next_.size(); ++v) {
      if (before[v] == 0) continue;
      std::vector<Vertex> found = way_back(v);
      if (!found.empty()) return found;
    }
    throw ModelError("deadlock check", "vertices are left over and no cycle is found");
  }

 private:
  std::vector<Vertex> way_back(Vertex start) const {
    std::vector<Vertex> from(next_.size(), none), queue{start};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (Vertex to : next_[queue[i]]) {
        if (to == start) {
          std::vector<Vertex> path;
          for (Vertex v = queue[i]; v != start; v = from[v]) path.push_back(v);
          path.push_back(start);
          std::reverse(path.begin(), path.end());
          return path;
        }
        if (from[to] != none) continue;
        from[to] = queue[i];
        queue.push_back(to);
      }
    }
    return {};
  }
  std::vector<std::vector<Vertex>> next_;
  std::vector<std::vector<bool>> known_;
  std::uint64_t edges_ = 0;
};

/// An offer of one virtual channel, and the state that a packet which takes it is in.
struct Offer {
  Vertex channel;
  bool escape;
  std::uint32_t state;
};

/// Everything that one packet can do: a state is the channel that its head is in.
class Walk {
 public:
  struct State {
    Vertex channel = none;  ///< `none`: the source's injection port
    bool arrived = false;
    bool escape_offered = false;
    std::vector<Offer> offers;
  };

  Walk(const Topology& topology, const Routing& routing, const Channels& channels, DeadlockReport& report)
      : topology_(topology),
        routing_(routing),
        channels_(channels),
        report_(report),
        seen_(channels.size(), 0),
        state_(channels.size(), 0) {}

  /// Follows the packet; `hops` are the distances to its destination's router. What goes wrong is reported.
  void follow(const RouteQuery& packet, const std::vector<std::uint16_t>& hops) {
    ++mark_;
    packet_ = packet;
    states_.clear();
    const VcMask injection = routing_.injection_vcs(packet.source, packet.destination);
    if (injection == 0) stuck("nothing to inject into");
    for (unsigned vc = 0; vc < channels_.vcs(); ++vc) {
      if ((injection >> vc & 1) == 0) continue;
      states_.emplace_back();
      ask(states_.size() - 1, topology_.node(packet.source).inject, vc, hops);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const Vertex channel = states_[i].channel;
      if (channel != none) ask(i, channels_.arrival(channel), channels_.vc(channel), hops);
    }
    measure();
  }
  const std::vector<State>& states() const { return states_; }
  /// Something went wrong for this packet.
  void say(const std::string& what) {
    if (!report_.problem.empty()) return;
    report_.problem = "packet from node " + std::to_string(packet_.source) + " to " +
                      std::to_string(packet_.destination) + ": " + what;
  }

 private:
  void stuck(const std::string& what) {
    report_.delivers = false;
    say(what);
  }

  void ask(std::size_t state, graph::PortRef at, unsigned vc, const std::vector<std::uint16_t>& hops) {
    RouteQuery query = packet_;
    query.router = at.router;
    query.in_port = at.port;
    query.in_vc = vc;
    RouteSet ways;
    routing_.route(query, ways);
    if (ways.size() == 0) stuck("no way out of router " + std::to_string(at.router));
    for (const RouteCandidate& way : ways) {
      if (way.port >= topology_.ports(at.router) || (way.vcs >> channels_.vcs()) != 0 || way.vcs == 0)
        throw ModelError("routing", "router " + std::to_string(at.router) + " is told to use port " +
                                        std::to_string(way.port) + ", virtual channels " +
                                        std::to_string(way.vcs) + ", which it does not have");
      take(state, at.router, way, hops);
    }
  }

  void take(std::size_t state, RouterId here, const RouteCandidate& way,
            const std::vector<std::uint16_t>& hops) {
    const Topology::Far& far = topology_.far(here, way.port);
    if (far.kind == Topology::Far::Kind::node && far.node == packet_.destination && far.sends) {
      states_[state].arrived = true;
      return;
    }
    if (far.kind != Topology::Far::Kind::router || !far.sends) {
      stuck("router " + std::to_string(here) + " sends it out of port " + std::to_string(way.port) +
            ", where its destination is not");
      return;
    }
    if (hops[far.at.router] + 1 != hops[here]) report_.minimal = false;
    for (unsigned vc = 0; vc < channels_.vcs(); ++vc) {
      if ((way.vcs >> vc & 1) == 0) continue;
      const Vertex channel = channels_.vertex(here, way.port, vc);
      if (seen_[channel] != mark_) {
        seen_[channel] = mark_;
        state_[channel] = static_cast<std::uint32_t>(states_.size());
        states_.emplace_back();
        states_.back().channel = channel;
      }
      states_[state].offers.push_back({channel, way.rank > 0, state_[channel]});
      states_[state].escape_offered |= way.rank > 0;
    }
  }

  /// The longest path, or that there is none because ways go round.
  void measure() {
    std::vector<std::uint32_t> before(states_.size(), 0);
    std::vector<unsigned> links(states_.size(), 0);
    for (const State& state : states_)
      for (const Offer& offer : state.offers) ++before[offer.state];
    std::vector<std::uint32_t> queue;
    for (std::uint32_t i = 0; i < states_.size(); ++i)
      if (before[i] == 0) queue.push_back(i);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const Offer& offer : states_[queue[i]].offers) {
        links[offer.state] = std::max(links[offer.state], links[queue[i]] + 1);
        report_.longest_path = std::max(report_.longest_path, links[offer.state]);
        if (--before[offer.state] == 0) queue.push_back(offer.state);
      }
    }
    if (queue.size() == states_.size()) return;
    report_.finite = false;
    say("its ways can go round for ever");
  }

  const Topology& topology_;
  const Routing& routing_;
  const Channels& channels_;
  DeadlockReport& report_;
  RouteQuery packet_;
  std::vector<State> states_;
  std::vector<std::uint64_t> seen_;   ///< per channel, the last walk that came there
  std::vector<std::uint32_t> state_;  ///< per channel, its state in that walk
  std::uint64_t mark_ = 0;
};

/// Packets of every random outcome, or of a sample.
std::vector<PacketId> packets_of_all_outcomes(const Routing& routing, unsigned most, bool& all) {
  const std::uint64_t outcomes = routing.random_outcomes();
  std::vector<PacketId> packets;
  all = outcomes <= most;
  if (!all) {
    for (PacketId id = 0; id < most; ++id) packets.push_back(id);
    return packets;
  }
  std::vector<bool> found(outcomes, false);
  // n kinds are complete after about n ln n packets; never after this many means that the routing counts
  // wrongly.
  const PacketId most_tries = 1000 + 100 * outcomes;
  for (PacketId id = 0; packets.size() < outcomes; ++id) {
    if (id == most_tries) throw ModelError("routing", "not all of its random outcomes ever come");
    RouteQuery query;
    query.packet = id;
    const std::uint64_t outcome = routing.random_outcome(query);
    if (found.at(outcome)) continue;
    found[outcome] = true;
    packets.push_back(id);
  }
  return packets;
}

class Checker {
 public:
  Checker(const Topology& topology, const Routing& routing, unsigned vcs, unsigned most_outcomes)
      : topology_(topology),
        channels_(topology, vcs),
        walk_(topology, routing, channels_, report_),
        used_(channels_.size(), false),
        escape_(channels_.size(), false) {
    report_.delivers = report_.finite = report_.minimal = report_.deadlock_free = true;
    packets_ = packets_of_all_outcomes(routing, most_outcomes, report_.all_outcomes);
  }

  DeadlockReport run() {
    DependencyGraph plain(channels_.size());
    for_each_walk([&] { add_plain(plain); });
    report_.channels = static_cast<std::uint64_t>(std::count(used_.begin(), used_.end(), true));
    report_.escape_channels = static_cast<std::uint64_t>(std::count(escape_.begin(), escape_.end(), true));
    report_.extended = report_.escape_channels > 0;
    if (!report_.extended) {
      conclude(plain);
      return report_;
    }
    DependencyGraph extended(channels_.size());
    for_each_walk([&] { add_extended(extended); });
    conclude(extended);
    return report_;
  }

 private:
  template <class Then>
  void for_each_walk(const Then& then) {
    for (NodeId destination = 0; destination < topology_.nodes(); ++destination) {
      const auto hops = graph::hops_to(topology_, topology_.node(destination).eject.router);
      for (NodeId source = 0; source < topology_.nodes(); ++source) {
        for (PacketId id : packets_) {
          RouteQuery packet;
          packet.source = source;
          packet.destination = destination;
          packet.packet = id;
          walk_.follow(packet, hops);
          then();
        }
      }
    }
  }

  void add_plain(DependencyGraph& graph) {
    for (const Walk::State& state : walk_.states()) {
      for (const Offer& offer : state.offers) {
        used_[offer.channel] = true;
        if (offer.escape) escape_[offer.channel] = true;
        if (state.channel != none) graph.add(state.channel, offer.channel);
      }
    }
  }

  /// From each escape channel, however it was taken: the escape channels that are offered there, and wherever
  /// rank 0 leads from there.
  void add_extended(DependencyGraph& graph) {
    const auto& states = walk_.states();
    for (const Walk::State& state : states) {
      if (!state.arrived && !state.escape_offered) {
        report_.deadlock_free = false;
        walk_.say("no escape channel is offered behind " +
                  (state.channel == none ? "its source" : channel_text(channels_.channel(state.channel))));
      }
      if (state.channel == none || !escape_[state.channel]) continue;
      std::vector<const Walk::State*> queue{&state};
      std::vector<bool> queued(states.size(), false);
      for (std::size_t i = 0; i < queue.size(); ++i) {
        for (const Offer& offer : queue[i]->offers) {
          if (offer.escape) {
            graph.add(state.channel, offer.channel);
          } else if (!queued[offer.state]) {
            queued[offer.state] = true;
            queue.push_back(&states[offer.state]);
          }
        }
      }
    }
  }

  void conclude(const DependencyGraph& graph) {
    report_.dependencies = graph.edges();
    for (Vertex v : graph.cycle()) report_.cycle.push_back(channels_.channel(v));
    if (!report_.cycle.empty()) report_.deadlock_free = false;
  }

  const Topology& topology_;
  Channels channels_;
  DeadlockReport report_;
  Walk walk_;
  std::vector<bool> used_, escape_;
  std::vector<PacketId> packets_;
};

}  // namespace

DeadlockReport check_deadlock(const Topology& topology, const Routing& routing, unsigned vcs,
                              unsigned most_outcomes) {
  const std::size_t channels = Channels(topology, vcs).size();
  if (channels > most_channels)
    throw ConfigError(
        "topology.kind", topology.name(),
        "has " + std::to_string(channels) + " virtual channels, too many for the deadlock check",
        "at most " + std::to_string(most_channels));
  return Checker(topology, routing, vcs, most_outcomes).run();
}

std::string DeadlockReport::text(const Topology& topology) const {
  std::string out = topology.name() + ": " + std::to_string(channels) + " virtual channels";
  if (extended) out += ", " + std::to_string(escape_channels) + " of them escape channels";
  out += ", " + std::to_string(dependencies) + (extended ? " extended" : "") + " dependencies\n";
  out += deadlock_free ? "free of deadlock: no cycle\n" : "not free of deadlock\n";
  if (!cycle.empty()) {
    out += "a cycle of " + std::to_string(cycle.size()) + ", each waits for the next:\n";
    for (const Channel& channel : cycle) {
      const Topology::Far& far = topology.far(channel.router, channel.port);
      out += "  " + channel_text(channel) + " -> router " + std::to_string(far.at.router) + "\n";
    }
  }
  out += delivers ? "every packet can reach its node" : "not every packet reaches its node";
  out += finite ? ", at most " + std::to_string(longest_path) + " links" : ", but may go round for ever";
  out += minimal ? ", shortest paths only\n" : ", not only by shortest paths\n";
  if (!all_outcomes) out += "random choices: a sample only\n";
  if (!problem.empty()) out += "first problem: " + problem + "\n";
  return out;
}

}  // namespace tsuji::routing
