// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/core/random.h"
#include "tsuji/traffic/traffic_kinds.h"

namespace tsuji::traffic {

/// Closed loop: a node may send `window` packets, and one more for each packet that arrives at it. Under a
/// pattern of pairs this is the exchange of Yoshinaga 2004, section 5.1 (rooms/traffic.md, Where the paper is
/// silent, 1): with a window of 1, a node sends its next message when its partner's has arrived. Under any
/// pattern the number of packets in flight remains the number of nodes times the window.
///
/// When the network drops a packet, its source may send one more in its place, so that the number of packets
/// in flight remains constant under every pattern (rooms/traffic.md, Where the paper is silent, 2).
///
/// A packet is born `gap_cycles` after the later of two cycles: the cycle after the arrival that allows it,
/// and the first cycle in which the preceding packet can have left at one flit per cycle on each port. The
/// first packet of a node is born in cycle 1.
class ClosedLoop final : public EmissionSource {
 public:
  struct Parts {
    /// Pattern under which this node sends (its share is not 0).
    std::shared_ptr<const workload::Pattern> pattern;
    workload::PacketLengths lengths;
    /// Initial number of packets that the node may send; 0: no limit, only the gap delays packets.
    std::uint64_t window = 1;
    Cycle gap_cycles = 0;
    unsigned ports = 1;  ///< Network ports of the node.
  };
  ClosedLoop(Parts parts, NodeId node, std::uint64_t seed);
  bool next(Emission& emission) override;
  void arrived(Cycle now, const Packet& packet) override;
  void dropped(Cycle now, const Packet& packet, const char* cause) override;
  Cycle lookahead_cycles() const override { return never; }

 private:
  void allow_one_more(Cycle now);

  const Parts parts_;
  const NodeId node_;
  CounterRandom destinations_, lengths_;
  std::uint64_t allowed_;  ///< Packets that may be born now.
  Cycle earliest_ = 1;     ///< Earliest cycle of the next birth.
};

/// Parameters of traffic.kind closed_loop, as ClosedLoop::Parts.
struct ClosedLoopConfig {
  std::uint64_t window = 1;
  Cycle gap_cycles = 0;

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<const Traffic> make(const TrafficGiven& given) const;
};

}  // namespace tsuji::traffic
