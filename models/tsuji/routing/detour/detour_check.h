// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/routing/checkers/deadlock.h"
#include "tsuji/routing/detour/detour_generation.h"

namespace tsuji::routing {

/// A head that has reached a router, by a port, on its route to a node.
struct HeadState {
  RouterId router = 0;
  unsigned in_port = 0;
  NodeId destination = 0;
};

/// Lemma 1 of Yoshinaga 2004 for one set of faults: recovery reaches every node and is free of deadlock.
/// Channels are outputs of routers; the UD channels of one output are equivalent.
struct RecoveryVerdict {
  /// For any choice of candidates, no message in recovery is without a candidate, uses a dead link or another
  /// channel than UD, is ejected at a wrong node, or goes up after down.
  bool leads_on = true;
  /// The dependencies between UD channels have no cycle: neither deadlock nor livelock.
  bool acyclic = true;
  bool holds() const { return leads_on && acyclic; }
  std::uint64_t channels = 0;  ///< channels that messages in recovery can use
  std::uint64_t dependencies = 0;
  /// If acyclic: length of the longest chain of dependencies, an upper bound of the hops in recovery.
  unsigned longest_chain = 0;
  std::vector<Channel> cycle;  ///< a short cycle, if any
  std::vector<std::string> problems;
  bool more_problems = false;
  /// [router * ports + port] (ports of DetourTables), if acyclic: a number that rises along every hop from
  /// one channel to the next. 0: not used.
  std::vector<std::uint32_t> numbers;
  std::string text() const;
};

/// Follows messages in recovery from every living router and port to every living node, by every candidate of
/// `routing` on the network of `generation`. `ud`: the UD channels.
RecoveryVerdict check_recovery(const graph::Topology& topology, const DetourGeneration& generation,
                               const Routing& routing, VcMask ud);

/// Behaviour of messages before recovery. None of these findings is an error of the routing, since recovery
/// ends them. A state is a place of a head that a message from a living node can reach.
struct AdaptiveVerdict {
  std::uint64_t states = 0;
  std::uint64_t circling = 0;     ///< states on cycles, to which a message may return forever
  std::uint64_t circles = 0;      ///< strongly connected sets of such states
  std::uint64_t hopeless = 0;     ///< states from which no choice of candidates reaches the destination
  std::vector<HeadState> circle;  ///< a short cycle
  std::vector<HeadState> hopeless_path;  ///< a path from a source to a hopeless state
  std::uint64_t channels = 0;            ///< outputs that messages can use
  std::uint64_t cyclic_channels = 0;     ///< outputs on cycles of dependencies
  std::vector<Channel> channel_cycle;    ///< a short cycle
  std::string text() const;
};

/// Follows messages before recovery from every living node to every other, by every candidate.
AdaptiveVerdict check_adaptive(const graph::Topology& topology, const DetourGeneration& generation,
                               const Routing& routing);

}  // namespace tsuji::routing
