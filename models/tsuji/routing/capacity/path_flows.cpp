// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/capacity/path_flows.h"

#include "tsuji/routing/checkers/random_outcomes.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {
namespace {

using graph::none;
using graph::PortRef;
using Kind = graph::Topology::Far::Kind;

unsigned lowest(VcMask vcs) {
  return vcs == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(vcs));
}

std::string no_route(RouterId router, NodeId destination) {
  return "no route from " + router_name(router) + " to node " + std::to_string(destination);
}

const char* const goes_round = "routes with cycles";

}  // namespace

PathFlows::PathFlows(const graph::Topology& topology, const Routing& routing, const CapacityConfig& config,
                     std::vector<double>& flits)
    : topology_(topology),
      routing_(routing),
      config_(config),
      numbers_(topology),
      flits_(flits),
      place_of_(numbers_.size()),
      pass_of_(numbers_.size(), 0) {}

std::string PathFlows::add(NodeId destination, const std::vector<NodeId>& sources,
                           const std::vector<double>& demand) {
  if (by_place_) {
    std::string reason = add_places(destination, sources, demand);
    if (by_place_ || !reason.empty()) return reason;
    reason = find_outcomes();
    if (!reason.empty()) return reason;
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::string reason = add_walks(destination, sources[i], demand[i]);
    if (!reason.empty()) return reason;
  }
  return "";
}

std::string PathFlows::count_question() {
  return ++questions_ <= config_.most_questions ? "" : too_large;
}

VcMask PathFlows::injection_vcs(NodeId source, NodeId destination) const {
  return config_.own_node_vcs != 0 ? vc_range(0, config_.own_node_vcs)
                                   : routing_.injection_vcs(source, destination);
}

std::string PathFlows::add_places(NodeId destination, const std::vector<NodeId>& sources,
                                  const std::vector<double>& demand) {
  ++pass_;
  places_.clear();
  edges_.clear();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const unsigned vc = lowest(injection_vcs(sources[i], destination));
    places_[place_at(topology_.node(sources[i]).inject, vc, sources[i])].flits += demand[i];
  }
  for (std::uint32_t place = 0; place < places_.size(); ++place) {
    std::string reason = find_edges(destination, place);
    if (!reason.empty() || !by_place_) return reason;
  }
  return push();
}

std::uint32_t PathFlows::place_at(PortRef at, std::uint32_t vc, NodeId source) {
  const std::uint32_t port = numbers_(at);
  if (pass_of_[port] == pass_) return place_of_[port];
  pass_of_[port] = pass_;
  place_of_[port] = static_cast<std::uint32_t>(places_.size());
  places_.push_back({at, source, vc, 0.0, 0, 0, 0});
  return place_of_[port];
}

std::string PathFlows::find_edges(NodeId destination, std::uint32_t number) {
  RouteQuery query;
  query.router = places_[number].at.router;
  query.in_port = places_[number].at.port;
  query.in_vc = places_[number].vc;
  query.source = places_[number].source;
  query.destination = destination;
  PortShares shares;
  by_place_ = routing_.port_shares(query, shares);
  if (!by_place_) return "";
  const auto first = static_cast<std::uint32_t>(edges_.size());
  for (const PortShares::Entry& entry : shares) {
    const graph::Topology::Far& far = topology_.far(query.router, entry.candidate.port);
    if (!far.sends) return no_route(query.router, destination);
    std::uint32_t next = none;
    if (far.kind == Kind::router) {
      next = place_at(far.at, lowest(entry.candidate.vcs), query.source.node());
      ++places_[next].pending;
    }
    edges_.push_back({numbers_({query.router, entry.candidate.port}), entry.share, next});
  }
  places_[number].first_edge = first;
  places_[number].edges = static_cast<std::uint32_t>(edges_.size()) - first;
  return places_[number].edges == 0 ? no_route(query.router, destination) : count_question();
}

/// Processes each place after all its predecessors.
std::string PathFlows::push() {
  ready_.clear();
  for (std::uint32_t place = 0; place < places_.size(); ++place)
    if (places_[place].pending == 0) ready_.push_back(place);
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    const Place& place = places_[ready_[i]];
    for (std::uint32_t e = place.first_edge; e < place.first_edge + place.edges; ++e) {
      const Edge& edge = edges_[e];
      const double flits = place.flits * edge.share;
      flits_[edge.port] += flits;
      if (edge.place == none) continue;
      places_[edge.place].flits += flits;
      if (--places_[edge.place].pending == 0) ready_.push_back(edge.place);
    }
  }
  return ready_.size() == places_.size() ? "" : goes_round;
}

std::string PathFlows::find_outcomes() {
  bool all = false;
  const std::vector<PacketId> packets = packets_of_all_outcomes(routing_, most_random_outcomes, all);
  if (!all) return too_many_outcomes;
  for (const PacketId packet : packets) {
    RouteQuery query;
    query.packet = packet;
    const RandomChoices* const choices = routing_.random_choices();
    outcomes_.push_back(
        {packet, choices == nullptr ? 1.0 : choices->outcome_share(choices->random_outcome(query))});
  }
  return "";
}

std::string PathFlows::add_walks(NodeId destination, NodeId source, double demand) {
  for (const Outcome& outcome : outcomes_) {
    RouteQuery query;
    query.source = source;
    query.destination = destination;
    query.packet = outcome.packet;
    query.in_vc = lowest(injection_vcs(source, destination));
    query.router = topology_.node(source).inject.router;
    query.in_port = topology_.node(source).inject.port;
    if (std::string reason = walk(query, demand * outcome.share); !reason.empty()) return reason;
  }
  return "";
}

/// Follows the rest of a head's path. The first of several decisions is followed here, the others by
/// recursion.
std::string PathFlows::walk(RouteQuery query, double flits) {
  bool arrived = false;
  while (!arrived) {
    std::string reason = decide(query, flits);
    if (reason.empty()) reason = cross(query, flits, arrived);
    if (!reason.empty()) return reason;
  }
  return "";
}

std::string PathFlows::decide(RouteQuery& query, double& flits) {
  if (routing_.decisions() == nullptr) return "";
  const auto possible = routing_.decisions()->possible(query);
  for (const RouteDecisions::Possible& one : possible) {
    if (one.share == RouteDecisions::unknown_share) return "routes that depend on credits";
    if (&one == &possible.front()) continue;
    RouteQuery other = query;
    other.decision = one.decision;
    bool arrived = false;
    std::string reason = cross(other, flits * one.share, arrived);
    if (reason.empty() && !arrived) reason = walk(other, flits * one.share);
    if (!reason.empty()) return reason;
  }
  query.decision = possible.front().decision;
  flits *= possible.front().share;
  return "";
}

/// Follows a head through its router to the next one.
std::string PathFlows::cross(RouteQuery& query, double flits, bool& arrived) {
  if (query.hops > topology_.routers()) return goes_round;
  if (std::string reason = count_question(); !reason.empty()) return reason;
  RouteSet candidates;
  routing_.route(query, candidates);
  if (candidates.size() == 0) return no_route(query.router, query.destination.node());
  const graph::Topology::Far& far = topology_.far(query.router, candidates[0].port);
  if (!far.sends) return no_route(query.router, query.destination.node());
  flits_[numbers_({query.router, candidates[0].port})] += flits;
  arrived = far.kind != Kind::router;
  query.router = far.at.router;
  query.in_port = far.at.port;
  query.in_vc = lowest(candidates[0].vcs);
  ++query.hops;
  return "";
}

}  // namespace tsuji::routing
