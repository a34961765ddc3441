// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "tsuji/graph/topology.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Random outcomes of a packet that are followed.
inline constexpr unsigned most_random_outcomes = 4096;
/// Reasons of CapacityKind::none.
inline constexpr const char* too_large = "network too large";
inline constexpr const char* too_many_outcomes = "more than 4096 random outcomes of a packet";

enum class CapacityKind : std::uint8_t {
  exact,        ///< the load at which the first channel is full
  upper_bound,  ///< no choice of the candidates carries more; the best choice may carry less
  none          ///< not known: CapacityBound::reason
};
const char* capacity_kind_name(CapacityKind kind);

/// A channel that flits cross one by one.
struct LoadedChannel {
  enum class Kind : std::uint8_t { link, ejection, injection } kind = Kind::link;
  graph::PortRef from;         ///< link and ejection: the output port
  NodeId node = graph::none;   ///< ejection and injection
  double flits_per_cycle = 0;  ///< at a load of 1 flit/node/cycle
};

struct CapacityBound {
  CapacityKind kind = CapacityKind::none;
  std::string reason;               ///< of `none`
  double flits_per_node_cycle = 0;  ///< of a living node's load; above 1 where the channels would carry that
  /// The channels that are full at the bound, within 1 %, the fullest first. Where links are full together
  /// under an adaptive routing: those over which the demand has to go, however it is split.
  std::vector<LoadedChannel> full;
  /// Links have the loads of the most even split over their candidates that the search has found.
  bool is_split = false;
  /// Links with any load, in the order of their routers and ports, then ejection ports, then injection ports.
  std::vector<LoadedChannel> channels;
};

/// Traffic and channels around the routing.
struct CapacityConfig {
  /// Virtual channels of links to nodes where routers have another number of them between each other; 0:
  /// sources inject as the routing says.
  unsigned own_node_vcs = 0;
  bool uturn_node = true;  ///< routers take a node's packets to itself (`router.uturn_node`)
  Cycle flit_cycles = 1;   ///< time of a flit on any channel
  /// Mean flits a cycle from a source to a destination at a load of 1 flit/node/cycle.
  std::function<double(NodeId source, NodeId destination)> demand;
  /// Questions to the routing, each 20 to 100 ns, after which the network counts as too large.
  std::uint64_t most_questions = 100'000'000;
  /// Steps of the search under an adaptive routing, each about 2 ns, after which the bound is good enough.
  std::uint64_t most_search_steps = 1'000'000'000;
};

/// The least load at which a channel between routers, an ejection port or an injection port is full. It
/// follows from the paths of the routing alone, so routers carry less.
///
/// One candidate a head: exact, from the shares of all packets on each channel. Several: an upper bound by
/// linear programming's weak duality. For any lengths of the links, the sum of all lengths is at least the
/// load times the sum over pairs of demand times shortest length among the candidates; the lengths come from
/// a search for the most even split, so that the bound is within some percent of the best one.
CapacityBound capacity_bound(const graph::Topology& topology, const Routing& routing,
                             const CapacityConfig& config);

/// Carries more, by more than the errors of sums.
bool is_fuller(const LoadedChannel& a, const LoadedChannel& b);
/// "link 3->4 (3,0)->(4,0)", "ejection port of node 5".
std::string channel_text(const LoadedChannel& channel, const graph::Topology& topology);
/// The first full channel, and how many others are.
std::string full_text(const CapacityBound& bound, const graph::Topology& topology);
/// Bound, what is full, and the `rows` fullest channels.
void print_capacity(const CapacityBound& bound, const graph::Topology& topology, std::size_t rows,
                    std::ostream& out);

}  // namespace tsuji::routing
