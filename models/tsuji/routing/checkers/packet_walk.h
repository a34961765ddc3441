// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/routing/checkers/channel_graph.h"
#include "tsuji/routing/checkers/deadlock.h"

namespace tsuji::routing {

/// Explores all behaviours of packets for one destination. A state is a channel that a head may come by, with
/// a decision that the routing may then make; states with equal candidates and decision form a place.
/// Problems are added to the report.
class PacketWalk {
 public:
  struct State {
    Vertex channel = graph::none;  ///< `none`: injection port of the source
    Decision decision = 0;         ///< decision of the routing at this router
    std::uint32_t place = 0;
    std::uint32_t parent = graph::none;  ///< state that it was first reached from
    NodeId source = 0;
  };
  struct Place {
    RouterId router = 0;
    Decision decision = 0;
    bool arrives = false;               ///< the port of the destination is a candidate
    std::uint32_t first_candidate = 0;  ///< index of the first candidate to another router
    std::uint32_t candidates = 0;
    std::uint32_t next_here = graph::none;  ///< next place of this router and decision
  };

  PacketWalk(const graph::Topology& topology, const Routing& routing, const ChannelNumbers& numbers,
             const DeadlockConfig& config, DeadlockReport& report);

  /// Follows packets with the identity `packet` from all `sources`; `hops` are the distances to the
  /// destination's router.
  void follow(NodeId destination, const std::vector<NodeId>& sources, PacketId packet,
              const std::vector<std::uint16_t>& hops);

  const std::vector<State>& states() const { return states_; }
  const std::vector<Place>& places() const { return places_; }
  const RouteCandidate* begin(const Place& place) const { return candidates_.data() + place.first_candidate; }
  const RouteCandidate* end(const Place& place) const { return begin(place) + place.candidates; }
  /// Calls visit(place) for each place that a candidate goes to, at least once.
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
  /// Places in topological order; fewer than all if routes are cyclic.
  const std::vector<std::uint32_t>& order() const { return order_; }
  /// Number of links from the source to a state's channel.
  unsigned links_before(const State& state) const;
  PacketId packet() const { return packet_.packet; }
  NodeId destination() const { return packet_.destination.node(); }
  /// Reports a problem of a place that packets of `source` may reach.
  void say(NodeId source, const std::string& what);
  /// Reports a problem that breaks the proof; these come first in the report.
  void say_unproved(NodeId source, const std::string& what);
  bool any_ranks() const { return any_ranks_; }

 private:
  /// Heads that come by a channel with the decision of a row.
  struct Arrival {
    std::uint32_t walk = 0;  ///< the last walk that reached it
    std::uint32_t first_state = 0, states = 0;
  };
  /// Numbers decisions in order of their first use.
  class Rows {
   public:
    std::size_t at(Decision decision) const { return decision < row_.size() ? row_[decision] : 0; }
    std::size_t add(Decision decision);
    std::size_t size() const { return used_; }

   private:
    std::vector<std::uint32_t> row_{0};  ///< [decision]
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
  std::vector<Arrival> arrivals_;           ///< [row and channel]
  std::vector<std::uint32_t> first_place_;  ///< [row and router], in this walk
  std::vector<std::uint32_t> place_walk_;   ///< [row and router]: the last walk that reached it
  std::uint32_t mark_ = 0;
  std::size_t unproved_ = 0;  ///< number of problems that break the proof
  bool any_ranks_ = false;
};

}  // namespace tsuji::routing
