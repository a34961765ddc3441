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

/// Largest number of random outcomes of a packet that are followed.
inline constexpr unsigned most_random_outcomes = 4096;
/// Reasons of CapacityKind::none.
inline constexpr const char* too_large = "network too large";
/// Reason of CapacityKind::none: the random choices of a packet have too many outcomes.
inline constexpr const char* too_many_outcomes = "more than 4096 random outcomes of a packet";

enum class CapacityKind : std::uint8_t {
  exact,        ///< load at which the first channel is full
  upper_bound,  ///< no choice among the candidates carries more; the best choice may carry less
  none          ///< unknown; CapacityBound::reason
};
/// Word of a kind in reports: `exact`, `upper_bound` or `none`.
const char* capacity_kind_name(CapacityKind kind);

/// A channel with its load.
struct LoadedChannel {
  /// Link between routers, ejection port or injection port.
  enum class Kind : std::uint8_t { link, ejection, injection } kind = Kind::link;  ///< Kind of the channel.
  graph::PortRef from;         ///< output port, for link and ejection
  NodeId node = graph::none;   ///< node, for ejection and injection
  double flits_per_cycle = 0;  ///< load of the channel at a network load of 1 flit/node/cycle
  double flit_cycles = 1;      ///< cycles that a flit occupies the channel
  /// Share of the time in which the channel is occupied at that load.
  double use() const { return flits_per_cycle * flit_cycles; }
};

/// Load at which the first channel is full, and the channels that are.
struct CapacityBound {
  CapacityKind kind = CapacityKind::none;  ///< Strength of the statement.
  std::string reason;                      ///< why the kind is `none`
  double flits_per_node_cycle = 0;  ///< load of a living node; above 1 if the channels could carry that
  /// Channels that are full at the bound, within 1 %, by decreasing load. If links become full together under
  /// an adaptive routing: those that the demand must use, however it is split.
  std::vector<LoadedChannel> full;
  /// The loads of links are those of the most even split over the candidates that was found.
  bool is_split = false;
  /// Links with any load, sorted by router and port, then ejection ports, then injection ports.
  std::vector<LoadedChannel> channels;
};

/// Traffic, and properties of channels that the routing does not know.
struct CapacityConfig {
  /// Number of virtual channels of links to nodes, if it differs from that of links between routers; 0:
  /// sources inject as the routing says.
  unsigned own_node_vcs = 0;
  bool uturn_node = true;  ///< routers accept a node's packets to itself (`router.uturn_node`)
  /// Cycles that a flit occupies a channel whose class (Topology::link_class()) sets none.
  Cycle flit_cycles = 1;
  /// Mean number of flits per cycle from a source to a destination at a load of 1 flit/node/cycle.
  std::function<double(NodeId source, NodeId destination)> demand;
  /// Number of route() calls, of 20 to 100 ns each, above which the network counts as too large.
  std::uint64_t most_questions = 100'000'000;
  /// Number of search steps under an adaptive routing, of about 2 ns each, after which the bound is returned.
  std::uint64_t most_search_steps = 1'000'000'000;
};

/// Least load at which a channel between routers, an ejection port or an injection port is full. It follows
/// from the paths of the routing alone; real routers saturate earlier.
///
/// With one candidate per head: exact, from the shares of all packets on each channel. With several: an upper
/// bound by weak duality of linear programming: for any lengths of the links, the sum of all lengths is at
/// least the load times the sum, over all pairs, of demand times shortest distance among the candidates. The
/// lengths come from a search for the most even split, so the bound is within a few percent of the best one.
CapacityBound capacity_bound(const graph::Topology& topology, const Routing& routing,
                             const CapacityConfig& config);

/// Returns true if `a` carries more than `b`, by more than rounding errors.
bool is_fuller(const LoadedChannel& a, const LoadedChannel& b);
/// "link 3->4 (3,0)->(4,0)", "ejection port of node 5".
std::string channel_text(const LoadedChannel& channel, const graph::Topology& topology);
/// The first full channel, and the number of others.
std::string full_text(const CapacityBound& bound, const graph::Topology& topology);
/// Prints the bound, the full channels, and the `rows` fullest channels.
void print_capacity(const CapacityBound& bound, const graph::Topology& topology, std::size_t rows,
                    std::ostream& out);

}  // namespace tsuji::routing
