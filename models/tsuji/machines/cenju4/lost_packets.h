// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/machines/cenju4/cenju4_config.h"

namespace tsuji::machines {

/// List of the network interfaces' packets that a network has lost permanently, with the ranks that sent and
/// would have received them.
class LostPackets {
 public:
  /// `most_tries` is the largest number of transmissions of a packet; 0: no retry.
  LostPackets(const Cenju4Config& config, unsigned most_tries) : config_(config), most_tries_(most_tries) {}

  /// Adds a packet that is lost in cycle `now` or between it and the next one; in any order within a cycle.
  /// The destination of a multicast or synchronization is one of the nodes that miss it.
  void add(const Packet& packet, const char* cause, Cycle now);
  std::uint64_t packets() const { return lost_.size(); }
  /// Distinct destinations of the packets, in ascending order.
  std::vector<NodeId> destinations() const;
  /// The first `most_lines` packets by cycle and identity, each as a newline and one line of text; empty:
  /// none.
  std::string report(unsigned most_lines) const;
  /// "rank 3 at node 3" for a node with ranks, otherwise "node 3".
  static std::string end_text(const Cenju4Config& config, NodeId node);

 private:
  struct Lost {
    Cycle cycle = 0;
    PacketId id = 0;
    NodeId source = 0, destination = 0;
    PacketKind kind = PacketKind::single_cast;
    unsigned sid = 0;
    std::array<std::uint64_t, 2> header{};
    const char* cause = "";
  };
  static std::string what_text(const Lost& lost);
  std::string text_of(const Lost& lost) const;

  const Cenju4Config config_;
  const unsigned most_tries_;
  std::vector<Lost> lost_;
};

}  // namespace tsuji::machines
