// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tsuji/routing/checkers/link_outages.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// A virtual channel of a link, identified by the output port that feeds it.
struct Channel {
  RouterId router = 0;  ///< Router whose output feeds the channel.
  unsigned port = 0,    ///< Output port.
      vc = 0;           ///< Virtual channel.
  /// Not empty: no channel, but messages that wait at the node of this port, and for what.
  std::string waits = {};
  /// True for one and the same virtual channel.
  bool operator==(const Channel& other) const {
    return router == other.router && port == other.port && vc == other.vc;
  }
  std::string text() const;  ///< "router 3 port 1 vc 0", or `waits`
};

/// A class of messages that nodes answer, and bounded room for the answers: a node without room ejects no
/// packet of the class until an answer has left.
struct MessageAnswer {
  std::string text;    ///< "request waits for room for reply"
  VcMask vcs = 0,      ///< Virtual channels of the class.
      answer_vcs = 0;  ///< Virtual channels of the answers.
};

/// Theorem that a verdict is based on.
enum class DeadlockTheorem : std::uint8_t {
  acyclic,            ///< Dally and Seitz 1987: acyclic channel dependency graph, over all candidates
  escape_wormhole,    ///< Duato 1993: extended dependencies of the escape channels are acyclic
  escape_cut_through  ///< Duato 1996: direct dependencies of the escape channels are acyclic
};

/// Properties of the network, in addition to topology and routing, that determine channel dependencies.
struct DeadlockConfig {
  unsigned vcs = 1;            ///< Virtual channels of links between routers.
  unsigned node_vcs = 0;       ///< virtual channels of links to nodes; 0: as between routers
  bool uturn_network = false;  ///< a packet may leave by the network port that it came in by
  bool uturn_node = true;      ///< A node's packet to itself may leave by the port of that node.
  bool to_self = true;         ///< a node may send to itself
  /// A packet moves on only if it fits as a whole (virtual cut-through, store and forward).
  bool whole_packets = false;
  /// A virtual channel is allocated only when it is empty.
  bool atomic_vcs = true;
  /// A head whose candidates all use failed links waits; otherwise it is dropped.
  bool dead_route_waits = false;
  std::vector<MessageAnswer> answers;  ///< Classes of messages that are answered.
  std::vector<LinkOutage> outages;     ///< Links that are down for a time.
  /// [node]: it neither sends nor receives, such as nodes of dead routers. Empty: all nodes do.
  std::vector<bool> silent_nodes;
  unsigned most_outcomes = 4096;  ///< largest number of random outcomes that are followed; of more, a sample
  std::function<void(double share_done)> progress = nullptr;  ///< called once per destination; may be empty

  /// Theorem that can be applied if a routing has escape channels.
  DeadlockTheorem theorem() const {
    if (whole_packets) return DeadlockTheorem::escape_cut_through;
    return atomic_vcs ? DeadlockTheorem::escape_wormhole : DeadlockTheorem::acyclic;
  }
};

/// A packet that holds a channel of a cycle and requests the next one.
struct CycleWitness {
  NodeId source = 0,    ///< Node that sends the packet.
      destination = 0;  ///< Node that receives the packet.
  PacketId packet = 0;  ///< with random choices in the routing: a packet whose choices lead to the channel
  unsigned links_before = 0;  ///< number of links from its source to the channel
};

/// Result of following a routing everywhere.
struct DeadlockReport {
  /// The conditions of the theorem hold, so no packet waits forever.
  bool deadlock_free = false;
  DeadlockTheorem theorem = DeadlockTheorem::acyclic;  ///< Theorem whose conditions were examined.
  /// True if the theorem is about escape channels only.
  bool extended() const { return theorem != DeadlockTheorem::acyclic; }
  std::uint64_t channels = 0;         ///< virtual channels that packets can occupy
  std::uint64_t escape_channels = 0;  ///< Escape channels among `channels`; 0: the routing has none.
  std::uint64_t dependencies = 0;     ///< edges of the graph that was searched
  /// Shortest cycle through its first channel; each channel waits for the next.
  std::vector<Channel> cycle;
  /// [channel of `cycle`]: the packet with the fewest hops before the channel.
  std::vector<CycleWitness> witnesses;
  bool delivers = false;  ///< no packet is refused, blocked, lost or misrouted, for any choice of candidates
  bool finite = false;    ///< no choice of candidates leads to an infinite path
  bool minimal = false;   ///< each hop brings the packet nearer to its destination
  unsigned longest_path = 0;  ///< number of links of the longest path, if finite
  /// All random outcomes were followed, not a sample of them.
  bool all_outcomes = false;
  bool outages = false;               ///< the configuration has link outages
  bool messages = false;              ///< dependencies by answers of nodes are part of the graph
  std::vector<std::string> problems;  ///< texts of the first problems found
  bool more_problems = false;         ///< Further problems were found and are not listed.
  std::string waits;  ///< text about the first packet that waits for a failed link to return; empty: none
  /// True if every packet is delivered: no deadlock, no loss and no infinite path.
  bool good() const { return deadlock_free && delivers && finite; }
  /// A report of a few lines, with the cycle if there is one.
  std::string text(const graph::Topology& topology) const;
};

/// Answers of nodes (DeadlockConfig::answers) add a vertex for the requests that wait at a node: channels
/// whose packets end there wait for it, and it waits for the first channels of the answers. For Duato's
/// theorems the escape channels on the way to the node count as such channels, which can only add
/// dependencies.
///
/// Follows the routing from every source to every destination, over all candidates and virtual channels that
/// routers may use, for every random outcome and every possible decision, and searches the channel dependency
/// graph for a cycle: the graph of all channels, or of the escape channels for a routing with ranks to which
/// Duato's theorems apply. Link outages remove candidates and never add one, so they close no cycle; each
/// place of a packet is examined for cycles in which all of its candidates, or all of its escape candidates,
/// are down. Packets have class normal, and hops are not counted.
///
/// Time is proportional to nodes times places with RoutingPromises::place_decides, otherwise to nodes^2 times
/// candidates. ConfigError for more than 65,536 virtual channels; ModelError if route() returns a port or
/// virtual channel that does not exist.
DeadlockReport check_deadlock(const graph::Topology& topology, const Routing& routing,
                              const DeadlockConfig& config);
/// check_deadlock() for routers with `vcs` virtual channels, and defaults otherwise.
DeadlockReport check_deadlock(const graph::Topology& topology, const Routing& routing, unsigned vcs);

}  // namespace tsuji::routing
