// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/capacity/candidate_graphs.h"

#include <algorithm>

#include "tsuji/routing/checkers/random_outcomes.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {
namespace {

using graph::none;
using graph::PortRef;
using Kind = graph::Topology::Far::Kind;

constexpr unsigned vcs_and_classes = 32;

}  // namespace

CandidateGraphs::CandidateGraphs(const graph::Topology& topology, const Routing& routing,
                                 const CapacityConfig& config)
    : topology_(topology),
      routing_(routing),
      config_(config),
      numbers_(topology),
      recovers_(routing.recovery() != nullptr),
      first_edge_(1, 0),
      used_(numbers_.size(), false),
      head_walk_(std::size_t{numbers_.size()} * vcs_and_classes, 0),
      link_walk_(numbers_.size(), 0),
      links_of_(topology.routers()),
      place_(topology.routers(), none) {
  bool all = false;
  packets_ = packets_of_all_outcomes(routing, most_random_outcomes, all);
  if (!all) packets_.clear();
}

std::string CandidateGraphs::add(NodeId destination, const std::vector<NodeId>& sources,
                                 const std::vector<double>& demand) {
  if (packets_.empty()) return too_many_outcomes;
  links_.clear();
  RouteQuery packet;
  packet.destination = destination;
  for (const PacketId id : packets_) {
    packet.packet = id;
    if (routing_.promises().place_decides) {
      explore(packet, sources);
      continue;
    }
    for (const NodeId source : sources) explore(packet, {source});
  }
  const RouterId to = topology_.node(destination).eject.router;
  std::string reason = questions_ > config_.most_questions ? too_large : order(to, sources);
  if (!reason.empty()) return reason;
  const Graph& graph = graphs_.back();
  for (std::size_t i = 0; i < sources.size(); ++i)
    demands_[graph.first_router + place_[topology_.node(sources[i]).inject.router]] += demand[i];
  return "";
}

void CandidateGraphs::explore(RouteQuery packet, const std::vector<NodeId>& sources) {
  ++walk_;
  for (const NodeId source : sources) {
    packet.source = source;
    enter(topology_.node(source).inject,
          config_.own_node_vcs != 0 ? vc_range(0, config_.own_node_vcs)
                                    : routing_.injection_vcs(packet.source, packet.destination),
          PacketClass::normal);
  }
  while (!heads_.empty() && questions_ <= config_.most_questions) {
    const Head head = heads_.back();
    heads_.pop_back();
    follow(packet, head);
    ++questions_;
  }
  heads_.clear();
}

void CandidateGraphs::enter(PortRef at, VcMask vcs, PacketClass packet_class) {
  for (; vcs != 0; vcs &= static_cast<VcMask>(vcs - 1)) {
    const auto vc = static_cast<std::uint32_t>(__builtin_ctz(vcs));
    const std::size_t head =
        std::size_t{numbers_(at)} * vcs_and_classes + 2 * vc + (packet_class == PacketClass::normal ? 0 : 1);
    if (head_walk_[head] == walk_) continue;
    head_walk_[head] = walk_;
    heads_.push_back({at, vc, packet_class});
    if (recovers_ && packet_class == PacketClass::normal) enter(at, vc_range(vc, 1), PacketClass::recovery);
  }
}

void CandidateGraphs::follow(RouteQuery& query, const Head& head) {
  query.router = head.at.router;
  query.in_port = head.at.port;
  query.in_vc = head.vc;
  query.packet_class = head.packet_class;
  RouteSet candidates;
  routing_.route(query, candidates);
  for (const RouteCandidate& candidate : candidates) {
    const graph::Topology::Far& far = topology_.far(query.router, candidate.port);
    if (!far.sends || far.kind != Kind::router) continue;
    const std::uint32_t port = numbers_({query.router, candidate.port});
    enter(far.at, candidate.vcs, head.packet_class);
    if (link_walk_[port] == graphs_.size() + 1) continue;
    link_walk_[port] = static_cast<std::uint32_t>(graphs_.size() + 1);
    used_[port] = true;
    links_.push_back({{query.router, candidate.port}, far.at.router});
  }
}

/// Numbers the routers and builds the list of their edges.
std::string CandidateGraphs::order(RouterId destination, const std::vector<NodeId>& sources) {
  for (const RouterId router : numbered_) {
    links_of_[router].clear();
    place_[router] = none;
  }
  numbered_.clear();
  for (std::uint32_t i = 0; i < links_.size(); ++i) links_of_[links_[i].from.router].push_back(i);
  links_of_[destination].clear();  // all flows end here
  number(destination);
  for (const NodeId source : sources) number(topology_.node(source).inject.router);
  Graph graph{static_cast<std::uint32_t>(demands_.size()), static_cast<std::uint32_t>(numbered_.size()),
              false};
  demands_.resize(demands_.size() + graph.routers, 0.0);
  for (const RouterId router : numbered_) {
    if (links_of_[router].empty() && router != destination)
      return "no route from " + router_name(router) + " to a node of " + router_name(destination);
    for (const std::uint32_t link : links_of_[router]) {
      const std::uint32_t to = place_[links_[link].to];
      graph.has_circle |= to >= place_[router];
      edges_.push_back({numbers_(links_[link].from), to});
    }
    first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
  }
  graphs_.push_back(graph);
  return "";
}

/// Depth-first numbering: a router gets its number after all routers that its links go to.
void CandidateGraphs::number(RouterId from) {
  constexpr std::uint32_t open = none - 1;
  struct Step {
    RouterId router;
    std::uint32_t next;
  };
  if (place_[from] != none) return;
  std::vector<Step> path{{from, 0}};
  place_[from] = open;
  while (!path.empty()) {
    Step& step = path.back();
    if (step.next < links_of_[step.router].size()) {
      const RouterId to = links_[links_of_[step.router][step.next++]].to;
      if (place_[to] != none) continue;
      place_[to] = open;
      path.push_back({to, 0});
      continue;
    }
    place_[step.router] = static_cast<std::uint32_t>(numbered_.size());
    numbered_.push_back(step.router);
    path.pop_back();
  }
}

}  // namespace tsuji::routing
