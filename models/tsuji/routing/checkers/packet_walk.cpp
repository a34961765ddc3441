// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/checkers/packet_walk.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {
namespace {

using graph::none;
using graph::Topology;
using Kind = Topology::Far::Kind;

constexpr std::size_t most_problems = 5;

bool same(const RouteCandidate& a, const RouteCandidate& b) {
  return a.port == b.port && a.vcs == b.vcs && a.rank == b.rank;
}

}  // namespace

PacketWalk::PacketWalk(const Topology& topology, const Routing& routing, const ChannelNumbers& numbers,
                       const DeadlockConfig& config, DeadlockReport& report)
    : topology_(topology),
      routing_(routing),
      numbers_(numbers),
      config_(config),
      outages_(config.outages, topology.links().size()),
      report_(report),
      arrivals_(numbers.size()),
      first_place_(topology.routers(), none),
      place_walk_(topology.routers(), 0) {}

std::size_t PacketWalk::Rows::add(Decision decision) {
  if (decision >= row_.size()) row_.resize(decision + std::size_t{1}, 0);
  if (row_[decision] == 0 && decision != 0) row_[decision] = static_cast<std::uint32_t>(used_++);
  return row_[decision];
}

void PacketWalk::follow(NodeId destination, const std::vector<NodeId>& sources, PacketId packet,
                        const std::vector<std::uint16_t>& hops) {
  ++mark_;
  packet_.destination = destination;
  packet_.packet = packet;
  hops_ = &hops;
  states_.clear();
  places_.clear();
  candidates_.clear();
  const bool own_vcs = config_.node_vcs != 0 && config_.node_vcs != config_.vcs;
  for (NodeId source : sources) {
    const VcMask vcs =
        own_vcs ? vc_range(0, config_.node_vcs) : routing_.injection_vcs(source, packet_.destination);
    if (vcs == 0) {
      report_.delivers = false;
      packet_.source = source;
      say(source, "nothing to inject into");
    }
    for (unsigned vc = 0; vc < 16; ++vc) {
      if ((vcs >> vc & 1) == 0) continue;
      const graph::PortRef at = topology_.node(source).inject;
      const auto first = static_cast<std::uint32_t>(states_.size());
      const std::uint32_t end = first + add_states({none, 0, 0, none, source}, at, vc);
      for (std::uint32_t i = first; i < end; ++i) ask(i, at, vc);
    }
  }
  for (std::uint32_t i = 0; i < states_.size(); ++i) {
    const Vertex channel = states_[i].channel;
    if (channel != none) ask(i, numbers_.arrival(channel), numbers_.vc(channel));
  }
  measure();
}

void PacketWalk::say(NodeId source, const std::string& what) {
  tell(source, what, report_.problems.size());
}

void PacketWalk::say_unproved(NodeId source, const std::string& what) {
  report_.deadlock_free = false;
  if (tell(source, what, unproved_)) ++unproved_;
}

bool PacketWalk::tell(NodeId source, const std::string& what, std::size_t place) {
  const std::string problem = "packet from node " + std::to_string(source) + " to " +
                              std::to_string(packet_.destination.node()) + ": " + what;
  std::vector<std::string>& list = report_.problems;
  if (std::find(list.begin(), list.end(), problem) != list.end()) return false;
  const bool fits = place < most_problems;
  if (fits) list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), problem);
  if (!fits || list.size() > most_problems) report_.more_problems = true;
  if (list.size() > most_problems) list.pop_back();
  return fits;
}

unsigned PacketWalk::links_before(const State& state) const {
  unsigned links = 0;
  for (std::uint32_t s = state.parent; s != none; s = states_[s].parent)
    if (states_[s].channel != none) ++links;
  return links;
}

void PacketWalk::put_head(const State& state, graph::PortRef at, unsigned vc) {
  packet_.source = state.source;
  packet_.router = at.router;
  packet_.in_port = at.port;
  packet_.in_vc = vc;
  packet_.decision = state.decision;
}

/// Adds a state for each decision about a head that comes with `arriving.decision`; returns their number.
std::uint32_t PacketWalk::add_states(const State& arriving, graph::PortRef at, unsigned vc) {
  if (routing_.decisions() == nullptr) {
    states_.push_back(arriving);
    return 1;
  }
  put_head(arriving, at, vc);
  const auto possible = routing_.decisions()->possible(packet_);
  if (possible.empty()) throw ModelError("routing", router_name(at.router) + " receives no decision");
  for (const RouteDecisions::Possible& one : possible) {
    states_.push_back(arriving);
    states_.back().decision = one.decision;
  }
  return static_cast<std::uint32_t>(possible.size());
}

void PacketWalk::ask(std::uint32_t state, graph::PortRef at, unsigned vc) {
  put_head(states_[state], at, vc);
  RouteSet candidates;
  routing_.route(packet_, candidates);
  const std::uint32_t place = find_place(states_[state].source, at, candidates);
  states_[state].place = place;
  go(state, places_[place]);
}

/// Returns true if the router accepts a candidate that goes to another router.
bool PacketWalk::takes(NodeId source, graph::PortRef at, const RouteCandidate& candidate, bool& arrives) {
  if (candidate.port >= topology_.ports(at.router) || (candidate.vcs >> numbers_.vcs()) != 0 ||
      candidate.vcs == 0)
    throw ModelError("routing", router_name(at.router) + " is routed to port " +
                                    std::to_string(candidate.port) + ", virtual channels " +
                                    std::to_string(candidate.vcs) + ", which it does not have");
  const Topology::Far& far = topology_.far(at.router, candidate.port);
  if (!far.sends || (far.kind == Kind::node && far.node != packet_.destination)) {
    report_.delivers = false;
    say(source, router_name(at.router) + " sends it out of port " + std::to_string(candidate.port) +
                    (far.sends ? ", where its destination is not" : ", which has no output"));
    return false;
  }
  if (candidate.port == at.port && !(far.kind == Kind::node ? config_.uturn_node : config_.uturn_network))
    return false;
  if (far.kind == Kind::node) arrives = true;
  return far.kind == Kind::router;
}

std::uint32_t PacketWalk::find_place(NodeId source, graph::PortRef at, const RouteSet& candidates) {
  Place place;
  place.router = at.router;
  place.decision = packet_.decision;
  place.first_candidate = static_cast<std::uint32_t>(candidates_.size());
  for (const RouteCandidate& candidate : candidates)
    if (takes(source, at, candidate, place.arrives)) candidates_.push_back(candidate);
  place.candidates = static_cast<std::uint32_t>(candidates_.size()) - place.first_candidate;
  if (place.candidates == 0 && !place.arrives) refused(source, at, candidates);
  const std::size_t row = rows_.add(place.decision);
  if (arrivals_.size() < rows_.size() * numbers_.size()) add_rows();
  const std::size_t chain = row * topology_.routers() + at.router;
  if (place_walk_[chain] != mark_) {
    place_walk_[chain] = mark_;
    first_place_[chain] = none;
  }
  for (std::uint32_t known = first_place_[chain]; known != none; known = places_[known].next_here) {
    const Place& other = places_[known];
    if (other.arrives != place.arrives ||
        !std::equal(begin(other), end(other), begin(place), end(place), same))
      continue;
    candidates_.resize(place.first_candidate);
    return known;
  }
  place.next_here = first_place_[chain];
  const auto number = static_cast<std::uint32_t>(places_.size());
  first_place_[chain] = number;
  places_.push_back(place);
  for (const RouteCandidate* candidate = begin(place); candidate != end(place); ++candidate) {
    any_ranks_ |= candidate->rank > 0;
    const RouterId next = topology_.far(at.router, candidate->port).at.router;
    if ((*hops_)[next] + 1 != (*hops_)[at.router]) report_.minimal = false;
  }
  if (outages_.any() && !place.arrives) look_at_outages(source, place);
  return number;
}

/// Reports that the routing gives no candidate, or that the router accepts none of them.
void PacketWalk::refused(NodeId source, graph::PortRef at, const RouteSet& candidates) {
  if (candidates.size() == 0) {
    report_.delivers = false;
    return say(source, "no route out of " + router_name(at.router) + "; it is dropped (no_way)");
  }
  for (const RouteCandidate& candidate : candidates)
    if (candidate.port != at.port) return;  // reported already
  const bool node = topology_.far(at.router, at.port).kind == Kind::node;
  dead_candidates(source, at.router,
                  "refuses its only candidate, back out of port " + std::to_string(at.port) +
                      " (router.uturn_" + (node ? "node" : "network") + ")",
                  never);
}

void PacketWalk::dead_candidates(NodeId source, RouterId router, const std::string& why, Cycle until) {
  std::string what = router_name(router) + " " + why;
  if (!config_.dead_route_waits) {
    report_.delivers = false;
    return say(source, what + "; it is dropped (no_way)");
  }
  if (until == never) {
    report_.delivers = false;
    return say_unproved(source, what + "; it waits forever");
  }
  if (report_.waits.empty())
    report_.waits = "packet from node " + std::to_string(source) + " to " +
                    std::to_string(packet_.destination.node()) + ": " + what + "; it waits until cycle " +
                    std::to_string(until);
}

/// Reports cycles in which all candidates are down, or all escape candidates.
void PacketWalk::look_at_outages(NodeId source, const Place& place) {
  Intervals all{{0, never}}, escape = all;
  bool any_escape = false;
  for (const RouteCandidate* candidate = begin(place); candidate != end(place); ++candidate) {
    const Intervals& down = outages_.of(topology_.far(place.router, candidate->port).link);
    all = common(all, down);
    if (candidate->rank == 0) continue;
    escape = common(escape, down);
    any_escape = true;
  }
  if (place.candidates == 0) return;
  for (const Interval& dead : all)
    dead_candidates(source, place.router, "has all candidates for it down " + interval_text(dead), dead.to);
  if (!any_escape || config_.theorem() == DeadlockTheorem::acyclic) return;
  for (const Interval& dead : without(escape, all)) {
    say_unproved(source, router_name(place.router) + " has no escape channel for it " + interval_text(dead) +
                             ", as links are down; nothing is proved for these cycles");
  }
}

void PacketWalk::add_rows() {
  arrivals_.resize(rows_.size() * numbers_.size());
  first_place_.resize(rows_.size() * topology_.routers(), none);
  place_walk_.resize(rows_.size() * topology_.routers(), 0);
}

void PacketWalk::go(std::uint32_t state, const Place& place) {
  Arrival* const arrivals = &arrivals_[rows_.at(place.decision) * numbers_.size()];
  for (std::uint32_t w = 0; w < place.candidates; ++w) {
    const RouteCandidate candidate = candidates_[place.first_candidate + w];
    const std::uint32_t wire = numbers_.wire(place.router, candidate.port);
    for (VcMask vcs = candidate.vcs; vcs != 0; vcs &= static_cast<VcMask>(vcs - 1)) {
      const Vertex channel = numbers_.vertex(wire, static_cast<unsigned>(__builtin_ctz(vcs)));
      Arrival& arrival = arrivals[channel];
      if (arrival.walk == mark_) continue;
      arrival.walk = mark_;
      arrival.first_state = static_cast<std::uint32_t>(states_.size());
      arrival.states = add_states({channel, place.decision, 0, state, states_[state].source},
                                  numbers_.arrival(channel), numbers_.vc(channel));
    }
  }
}

/// Computes the longest path, or finds that there is none because routes are cyclic.
void PacketWalk::measure() {
  std::vector<std::uint32_t> before(places_.size(), 0);
  std::vector<unsigned> links(places_.size(), 0);
  order_.clear();
  const auto visit = [this](std::uint32_t place, const auto& then) {
    for (const RouteCandidate* candidate = begin(places_[place]); candidate != end(places_[place]);
         ++candidate)
      visit_next(places_[place], *candidate, then);
  };
  for (std::uint32_t place = 0; place < places_.size(); ++place)
    visit(place, [&](std::uint32_t to) { ++before[to]; });
  for (std::uint32_t place = 0; place < places_.size(); ++place)
    if (before[place] == 0) order_.push_back(place);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    visit(order_[i], [&](std::uint32_t to) {
      links[to] = std::max(links[to], links[order_[i]] + 1);
      report_.longest_path = std::max(report_.longest_path, links[to]);
      if (--before[to] == 0) order_.push_back(to);
    });
  }
  if (order_.size() == places_.size()) return;
  report_.finite = false;
  const auto round = std::find_if(before.begin(), before.end(), [](std::uint32_t n) { return n != 0; });
  const auto place = static_cast<std::uint32_t>(round - before.begin());
  const auto there = std::find_if(states_.begin(), states_.end(),
                                  [place](const State& state) { return state.place == place; });
  say(there->source, "its routes can form a cycle (livelock)");
}

}  // namespace tsuji::routing
