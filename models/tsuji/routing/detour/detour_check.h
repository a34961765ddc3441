// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/routing/checkers/deadlock.h"
#include "tsuji/routing/detour/detour_generation.h"

namespace tsuji::routing {

/// A head that has come to a router, by a port, on its way to a node.
struct HeadState {
  RouterId router = 0;
  unsigned in_port = 0;
  NodeId destination = 0;
};

/// Lemma 1 of Yoshinaga 2004 for one set of faults: recovery leads everywhere and cannot deadlock. Channels
/// are outputs of routers; the UD channels of one output are equal.
struct RecoveryVerdict {
  /// No message in recovery is ever without a candidate, led onto a dead link or off the UD channels, ejected
  /// elsewhere, or led up after down, whichever candidates it takes.
  bool leads_on = true;
  /// No cycle of dependencies between UD channels: no deadlock, and no message goes round.
  bool acyclic = true;
  bool holds() const { return leads_on && acyclic; }
  std::uint64_t channels = 0;  ///< that messages in recovery can take
  std::uint64_t dependencies = 0;
  /// If acyclic, channels on the longest chain of dependencies: no message in recovery makes more hops.
  unsigned longest_chain = 0;
  std::vector<Channel> cycle;  ///< a short one
  std::vector<std::string> problems;
  bool more_problems = false;
  /// Per router * ports + port (those of DetourTables), if acyclic: a number that rises along every hop from
  /// one channel to the next. 0: not taken.
  std::vector<std::uint32_t> numbers;
  std::string text() const;
};

/// Follows messages in recovery from every living router and every port to every living node, by every
/// candidate that `routing` gives on the network of `generation`. `ud`: the UD channels.
RecoveryVerdict check_recovery(const graph::Topology& topology, const DetourGeneration& generation,
                               const Routing& routing, VcMask ud);

/// Ways of messages before they recover: nothing of this is a fault of the routing, and recovery ends all
/// of it. States are heads' places that messages from living nodes reach.
struct AdaptiveVerdict {
  std::uint64_t states = 0;
  std::uint64_t circling = 0;         ///< states on circles: a message may come back to them for ever
  std::uint64_t circles = 0;          ///< sets of states from each of which all others of the set are reached
  std::uint64_t hopeless = 0;         ///< states from which no choice of candidates ever arrives
  std::vector<HeadState> circle;      ///< a short one
  std::vector<HeadState> no_way;      ///< a path from a source to a hopeless state
  std::uint64_t channels = 0;         ///< outputs that messages can take
  std::uint64_t cyclic_channels = 0;  ///< outputs on cycles of dependencies
  std::vector<Channel> channel_cycle;  ///< a short one
  std::string text() const;
};

/// Follows messages before recovery from every living node to every other by every candidate.
AdaptiveVerdict check_adaptive(const graph::Topology& topology, const DetourGeneration& generation,
                               const Routing& routing);

}  // namespace tsuji::routing
