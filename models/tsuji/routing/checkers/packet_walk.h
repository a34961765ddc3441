// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/routing/checkers/channel_graph.h"
#include "tsuji/routing/checkers/deadlock.h"

namespace tsuji::routing {

/// Everything that packets for one destination can do. A state is a channel that a head can come by, with a
/// decision that the routing may then make; states that have the same candidates and decision are a place.
/// Problems are put into the report.
class PacketWalk {
 public:
  struct State {
    Vertex channel = graph::none;  ///< `none`: the source's injection port
    Decision decision = 0;         ///< made here
    std::uint32_t place = 0;
    std::uint32_t parent = graph::none;  ///< the state that it was first reached from
    NodeId source = 0;
  };
  struct Place {
    RouterId router = 0;
    Decision decision = 0;
    bool arrives = false;               ///< the destination's port is among the candidates
    std::uint32_t first_candidate = 0;  ///< of those to other routers
    std::uint32_t candidates = 0;
    std::uint32_t next_here = graph::none;  ///< another place of the same router and decision
  };

  PacketWalk(const graph::Topology& topology, const Routing& routing, const ChannelNumbers& numbers,
             const DeadlockConfig& config, DeadlockReport& report);

  /// Follows the packets `packet` from all of `sources`; `hops` are the distances to the destination's
  /// router.
  void follow(NodeId destination, const std::vector<NodeId>& sources, PacketId packet,
              const std::vector<std::uint16_t>& hops);

  const std::vector<State>& states() const { return states_; }
  const std::vector<Place>& places() const { return places_; }
  const RouteCandidate* begin(const Place& place) const { return candidates_.data() + place.first_candidate; }
  const RouteCandidate* end(const Place& place) const { return begin(place) + place.candidates; }
  /// Calls visit(place) for the places that a candidate leads to, each at least once.
  template <class Visit>
  void visit_next(const Place& place, const RouteCandidate& candidate, const Visit& visit) const {
    const std::uint32_t wire = numbers_.wire(place.router, candidate.port);
    std::uint32_t last = graph::none;
    for (VcMask vcs = candidate.vcs; vcs != 0; vcs &= static_cast<VcMask>(vcs - 1)) {
      const Vertex channel = numbers_.vertex(wire, static_cast<unsigned>(__builtin_ctz(vcs)));
      const Arrival& arrival = arrivals_[rows_.at(place.decision) * numbers_.size() + channel];
      for (std::uint32_t s = arrival.first_state; s < arrival.first_state + arrival.states; ++s) {
        const std::uint32_t to = states_[s].place;
        if (to != last) visit(to);
        last = to;
      }
    }
  }
  /// Places, each before those that it leads to; fewer than all where routes go round.
  const std::vector<std::uint32_t>& order() const { return order_; }
  /// Links that a packet crosses before it comes to a state's channel.
  unsigned links_before(const State& state) const;
  PacketId packet() const { return packet_.packet; }
  NodeId destination() const { return packet_.destination.node(); }
  /// The problem of a place where a packet from a state's source can be.
  void say(NodeId source, const std::string& what);
  /// One that the proof fails at; such problems come first in the report.
  void say_unproved(NodeId source, const std::string& what);
  bool any_ranks() const { return any_ranks_; }

 private:
  /// Heads that come by a channel with the decision of a row.
  struct Arrival {
    std::uint32_t walk = 0;  ///< the last one that came there
    std::uint32_t first_state = 0, states = 0;
  };
  /// Numbers decisions in the order in which they are met.
  class Rows {
   public:
    std::size_t at(Decision decision) const { return decision < row_.size() ? row_[decision] : 0; }
    std::size_t add(Decision decision);
    std::size_t size() const { return used_; }

   private:
    std::vector<std::uint32_t> row_{0};  ///< per decision
    std::size_t used_ = 1;               ///< decision 0 has row 0
  };
  bool tell(NodeId source, const std::string& what, std::size_t place);
  void put_head(const State& state, graph::PortRef at, unsigned vc);
  std::uint32_t add_states(const State& arriving, graph::PortRef at, unsigned vc);
  void ask(std::uint32_t state, graph::PortRef at, unsigned vc);
  std::uint32_t find_place(NodeId source, graph::PortRef at, const RouteSet& candidates);
  bool takes(NodeId source, graph::PortRef at, const RouteCandidate& candidate, bool& arrives);
  void refused(NodeId source, graph::PortRef at, const RouteSet& candidates);
  void look_at_outages(NodeId source, const Place& place);
  void dead_candidates(NodeId source, RouterId router, const std::string& why, Cycle until);
  void add_rows();
  void go(std::uint32_t state, const Place& place);
  void measure();

  const graph::Topology& topology_;
  const Routing& routing_;
  const ChannelNumbers& numbers_;
  const DeadlockConfig& config_;
  const LinkOutages outages_;
  DeadlockReport& report_;
  RouteQuery packet_;
  const std::vector<std::uint16_t>* hops_ = nullptr;
  std::vector<State> states_;
  std::vector<Place> places_;
  std::vector<RouteCandidate> candidates_;
  std::vector<std::uint32_t> order_;
  Rows rows_;
  std::vector<Arrival> arrivals_;           ///< per row and channel
  std::vector<std::uint32_t> first_place_;  ///< per row and router, in this walk
  std::vector<std::uint32_t> place_walk_;   ///< per row and router, the last walk that came there
  std::uint32_t mark_ = 0;
  std::size_t unproved_ = 0;  ///< problems of that kind
  bool any_ranks_ = false;
};

}  // namespace tsuji::routing
