// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tsuji/routing/checkers/link_outages.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// A virtual channel of a link, named by the output that feeds it.
struct Channel {
  RouterId router = 0;
  unsigned port = 0, vc = 0;
  bool operator==(const Channel& other) const {
    return router == other.router && port == other.port && vc == other.vc;
  }
  std::string text() const;  ///< "router 3 port 1 vc 0"
};

/// The theorem that a verdict rests on.
enum class DeadlockTheorem : std::uint8_t {
  acyclic,            ///< Dally and Seitz: no cycle of channel dependencies, all candidates counted
  escape_wormhole,    ///< Duato 1993: the extended dependencies of the escape channels
  escape_cut_through  ///< Duato 1996: their direct dependencies
};

/// Properties of the network, beside topology and routing, that decide who may wait for whom.
struct DeadlockConfig {
  unsigned vcs = 1;
  unsigned node_vcs = 0;  ///< of nodes' links, where they have a number of their own; 0: as between routers
  bool uturn_network = false;  ///< a packet may leave by the network port that it came in by
  bool uturn_node = true;
  bool to_self = true;  ///< a node may send to itself
  /// A packet moves on only where it fits as a whole (virtual cut-through, store and forward).
  bool whole_packets = false;
  /// A virtual channel is taken only when it is empty.
  bool atomic_vcs = true;
  /// A head all of whose candidates are refused waits; else it is dropped.
  bool dead_way_waits = false;
  std::vector<LinkOutage> outages;
  /// Per node: it neither sends nor receives, as nodes of dead routers. Empty: all do.
  std::vector<bool> silent_nodes;
  unsigned most_outcomes = 4096;  ///< most kinds of random packets that are followed; of more, a sample
  std::function<void(double share_done)> progress = nullptr;  ///< called once a destination; may be empty

  /// Theorem that may be used where a routing has escape channels.
  DeadlockTheorem theorem() const {
    if (whole_packets) return DeadlockTheorem::escape_cut_through;
    return atomic_vcs ? DeadlockTheorem::escape_wormhole : DeadlockTheorem::acyclic;
  }
};

/// A packet that holds a channel of a cycle and asks for the next one.
struct CycleWitness {
  NodeId source = 0, destination = 0;
  PacketId packet = 0;        ///< of a routing with random choices: one that chooses so
  unsigned links_before = 0;  ///< that it crosses before it comes to the channel
};

/// Findings of following a routing everywhere.
struct DeadlockReport {
  /// The theorem's conditions hold, and no packet waits for ever.
  bool deadlock_free = false;
  DeadlockTheorem theorem = DeadlockTheorem::acyclic;
  bool extended() const { return theorem != DeadlockTheorem::acyclic; }
  std::uint64_t channels = 0;  ///< virtual channels that packets can take
  std::uint64_t escape_channels = 0;
  std::uint64_t dependencies = 0;       ///< edges of the graph that was searched
  std::vector<Channel> cycle;           ///< a shortest one through its first channel; each waits for the next
  std::vector<CycleWitness> witnesses;  ///< for each channel of the cycle, the packet nearest to its source
  bool delivers = false;  ///< no packet is refused, stuck, lost or sent to the wrong node, whatever is chosen
  bool finite = false;    ///< no choice of candidates goes round for ever
  bool minimal = false;   ///< each hop brings the packet nearer
  unsigned longest_path = 0;  ///< links on the longest path, if finite
  /// All kinds of random packets were followed, not a sample of them.
  bool all_outcomes = false;
  bool outages = false;               ///< links fail
  std::vector<std::string> problems;  ///< the first of what went wrong, for people
  bool more_problems = false;
  std::string waits;  ///< the first packet that waits for a link that returns; empty if none does
  bool good() const { return deadlock_free && delivers && finite; }
  /// A few lines for people, with the cycle if there is one.
  std::string text(const graph::Topology& topology) const;
};

/// Follows the routing from every source to every destination over all candidates and virtual channels that
/// routers take, for packets of every random outcome and every decision that the routing may make about them
/// by credits or random numbers, and searches the dependency graph for a cycle: that of
/// all channels, or, for a routing with ranks where Duato's theorems hold, that of the escape channels. Links
/// that fail take candidates away and never add one, so they close no cycle: each place where a packet can be
/// is looked at for the cycles in which all of its candidates, or all of its escape candidates, are down.
/// Time grows with nodes times places (RoutingPromises::place_decides), else with nodes^2 times candidates.
/// Packets are of class normal, and no hops are counted.
/// ConfigError for more than 65,536 virtual channels; ModelError where route() names a port or virtual
/// channel that does not exist.
DeadlockReport check_deadlock(const graph::Topology& topology, const Routing& routing,
                              const DeadlockConfig& config);
/// check_deadlock() for routers with `vcs` virtual channels and defaults otherwise.
DeadlockReport check_deadlock(const graph::Topology& topology, const Routing& routing, unsigned vcs);

}  // namespace tsuji::routing
