// SPDX-License-Identifier: Apache-2.0
#include "routing/walk.h"

#include <algorithm>
#include <set>

#include "support/catch.h"
#include "tsuji/graph/paths.h"

namespace tsuji::test {

using graph::Topology;
using Kind = Topology::Far::Kind;

namespace {

class Follower {
 public:
  Follower(const Topology& topology, const routing::Routing& routing, unsigned vcs, unsigned most_hops,
           const std::function<void(const Step&)>& visit)
      : topology_(topology), routing_(routing), vcs_(vcs), most_hops_(most_hops), visit_(visit) {}

  void at(const routing::RouteQuery& query, unsigned hop) {
    for (const routing::RouteDecisions::Possible& possible : routing::decisions_of(routing_, query)) {
      routing::RouteQuery decided = query;
      decided.decision = possible.decision;
      decided_at(decided, hop);
    }
  }
  void decided_at(const routing::RouteQuery& query, unsigned hop) {
    REQUIRE(hop <= most_hops_);
    // This place was followed at this hop before.
    if (!seen_.insert({query.router, query.in_port, query.in_vc, hop, query.decision}).second) return;
    longest = std::max(longest, hop);
    routing::RouteSet candidates;
    routing_.route(query, candidates);
    REQUIRE(candidates.size() > 0);
    REQUIRE(candidates.size() <= routing_.max_candidates());
    check_table(query, candidates);
    check_promise(query, candidates);
    unsigned rank = 0;
    for (const routing::RouteCandidate& candidate : candidates) {
      REQUIRE(candidate.rank >= rank);
      rank = candidate.rank;
      REQUIRE(candidate.vcs != 0);
      REQUIRE((candidate.vcs >> vcs_) == 0);
      REQUIRE(candidate.port < topology_.ports(query.router));
      step(query, candidate, hop);
    }
  }
  unsigned longest = 0;

 private:
  /// Checks that a routing with this promise never leaves a head with the u-turn alone.
  void check_promise(const routing::RouteQuery& query, const routing::RouteSet& candidates) const {
    REQUIRE(routing_.promises().always_leads_on);
    const bool from_node = topology_.far(query.router, query.in_port).kind == Kind::node;
    REQUIRE((from_node || routing_.promises().turns_back ||
             std::any_of(candidates.begin(), candidates.end(), [&](const routing::RouteCandidate& candidate) {
               return candidate.port != query.in_port;
             })));
  }
  /// Checks that a routing with this declaration fits tables that know router, input port and destination
  /// only.
  void check_table(const routing::RouteQuery& query, const routing::RouteSet& candidates) const {
    const routing::TableImage* const image = routing_.table_image();
    if (image == nullptr) return;
    REQUIRE(candidates.size() == 1);
    const routing::RouteCandidate entry =
        image->table_entry(query.router, query.in_port, query.destination.node());
    const bool mapped = image->table_form() == routing::TableForm::port_and_vc_map;
    REQUIRE(entry.port == candidates[0].port);
    const routing::VcMap map = image->vc_map(query.router, query.in_port, query.in_vc, entry.port);
    REQUIRE((mapped ? map.of(entry.vcs) : entry.vcs) == candidates[0].vcs);
  }
  void step(const routing::RouteQuery& query, const routing::RouteCandidate& candidate, unsigned hop) {
    const Topology::Far& far = topology_.far(query.router, candidate.port);
    REQUIRE(far.sends);
    if (far.kind == Kind::node) {
      REQUIRE(far.node == query.destination);
      return;
    }
    REQUIRE(far.kind == Kind::router);
    for (unsigned vc = 0; vc < vcs_; ++vc) {
      if ((candidate.vcs >> vc & 1) == 0) continue;
      if (visit_) visit_({query, candidate.port, vc, hop});
      routing::RouteQuery next = query;
      next.router = far.at.router;
      next.in_port = far.at.port;
      next.in_vc = vc;
      next.hops = static_cast<std::uint16_t>(hop + 1);
      at(next, hop + 1);
    }
  }

  const Topology& topology_;
  const routing::Routing& routing_;
  unsigned vcs_, most_hops_;
  const std::function<void(const Step&)>& visit_;
  std::set<std::array<std::uint32_t, 5>> seen_;
};

}  // namespace

unsigned follow(const Topology& topology, const routing::Routing& routing, unsigned vcs,
                const routing::RouteQuery& packet, unsigned most_hops,
                const std::function<void(const Step&)>& visit) {
  Follower follower(topology, routing, vcs, most_hops, visit);
  routing::RouteQuery query = packet;
  query.router = topology.node(packet.source.node()).inject.router;
  query.in_port = topology.node(packet.source.node()).inject.port;
  const routing::VcMask injection = routing.injection_vcs(packet.source, packet.destination);
  REQUIRE(injection != 0);
  for (query.in_vc = 0; query.in_vc < vcs; ++query.in_vc)
    if ((injection >> query.in_vc & 1) != 0) follower.at(query, 0);
  return follower.longest;
}

unsigned distance(const Topology& topology, NodeId from, NodeId to) {
  return graph::hops_to(topology, topology.node(to).eject.router)[topology.node(from).inject.router];
}

void require_minimal_delivery(const Topology& topology, const routing::Routing& routing, unsigned vcs,
                              unsigned packets) {
  for (NodeId to = 0; to < topology.nodes(); ++to) {
    const auto hops = graph::hops_to(topology, topology.node(to).eject.router);
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      const unsigned shortest = hops[topology.node(from).inject.router];
      for (PacketId id = 0; id < packets; ++id) {
        routing::RouteQuery packet;
        packet.source = from;
        packet.destination = to;
        packet.packet = packet_id(from, static_cast<std::uint32_t>(id));
        REQUIRE(follow(topology, routing, vcs, packet, shortest) == shortest);
      }
    }
  }
}

}  // namespace tsuji::test
