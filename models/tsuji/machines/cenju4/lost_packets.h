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

/// Packets of network interfaces that a network has lost for good, and the ranks that they were of and for.
class LostPackets {
 public:
  /// `most_tries`: of a packet, with retry; 0: there is none.
  LostPackets(const Cenju4Config& config, unsigned most_tries) : config_(config), most_tries_(most_tries) {}

  /// A packet is lost between cycle `now` and the next one, or within `now`. In no order among those of a
  /// cycle. A multicast and a synchronization name one of the nodes that miss it as its destination.
  void add(const Packet& packet, const char* cause, Cycle now);
  std::uint64_t packets() const { return lost_.size(); }
  /// Destinations of the packets, each once, ascending.
  std::vector<NodeId> destinations() const;
  /// A line each, by cycle, then packet, of the first `most_lines`; "" without any. Each line begins with an
  /// end of line.
  std::string report(unsigned most_lines) const;
  /// "node 3", and "rank 3 at node 3" where the node has ranks.
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
