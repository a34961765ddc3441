#pragma once

#include <string>
#include <vector>

#include "routing/routing.h"

namespace tsuji::routing {

/// A virtual channel of a link, named by the output that feeds it.
struct Channel {
  RouterId router = 0;
  unsigned port = 0, vc = 0;
  bool operator==(const Channel& other) const {
    return router == other.router && port == other.port && vc == other.vc;
  }
};

/// What following a routing everywhere has shown.
struct DeadlockReport {
  /// No cycle in the channel dependency graph; for a routing with ranks, none in the extended one of its
  /// escape channels, and an escape channel is offered wherever a packet can get.
  bool deadlock_free = false;
  bool extended = false;       ///< Duato's theorem was used
  std::uint64_t channels = 0;  ///< virtual channels that packets can take
  std::uint64_t escape_channels = 0;
  std::uint64_t dependencies = 0;  ///< edges of the graph that was searched
  std::vector<Channel> cycle;      ///< a shortest one through its first channel; each waits for the next
  bool delivers = false;           ///< no packet gets stuck, lost or to the wrong node, whatever is chosen
  bool finite = false;             ///< no choice of ways goes round for ever
  bool minimal = false;            ///< each hop brings the packet nearer
  unsigned longest_path = 0;       ///< links on the longest path, if finite
  /// All kinds of random packets were followed, not a sample of them.
  bool all_outcomes = false;
  std::string problem;  ///< the first thing that went wrong, for people; empty if nothing did
  bool good() const { return deadlock_free && delivers && finite; }
  /// A few lines for people, with the cycle if there is one.
  std::string text(const graph::Topology& topology) const;
};

/// Follows the routing from every source to every destination over all candidates and virtual channels, for
/// packets of every random outcome (at most `most_outcomes`, then a sample of as many), and searches the
/// channel dependency graph for a cycle. Time and memory grow with nodes^2 and ways: meant for networks of up
/// to some hundred nodes. For adaptive routings with ranks the extended dependency graph holds, from every
/// escape channel that a packet can hold, the escape channels that it may ask for next, also after any number
/// of adaptive ones (wormhole; packets that fit into a buffer wait for less). ConfigError for more than
/// 65,536 virtual channels; ModelError where route() names a port or virtual channel that does not exist.
DeadlockReport check_deadlock(const graph::Topology& topology, const Routing& routing, unsigned vcs,
                              unsigned most_outcomes = 4096);

}  // namespace tsuji::routing
