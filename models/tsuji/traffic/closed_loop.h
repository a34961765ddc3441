// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/core/random.h"
#include "tsuji/traffic/traffic_kinds.h"

namespace tsuji::traffic {

/// Closed loop: a node may send `window` packets, and one more for each that arrives at it. Under a pattern
/// of pairs this is the exchange of Yoshinaga 2004, section 5.1 (rooms/traffic.md, Where the paper is silent,
/// 1): with a window of 1, a node sends its next message when its partner's has come. Under any other pattern
/// the number of packets under way stays the number of nodes times the window.
///
/// A packet that the network drops gives its place back to its source, which sends one more instead: under
/// every pattern the number of packets under way stays (rooms/traffic.md, Where the paper is silent, 2).
///
/// A packet is born `gap_cycles` after it is allowed (the cycle after the arrival) and after the one before
/// could have left at a flit a cycle, whichever is later; the first of a node in cycle 1.
class ClosedLoop final : public EmissionSource {
 public:
  struct Parts {
    std::shared_ptr<const workload::Pattern> pattern;  ///< in which this node is not silent
    workload::PacketLengths lengths;
    std::uint64_t window = 1;  ///< packets; 0: without bound, only the gap holds a node back
    Cycle gap_cycles = 0;
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
  std::uint64_t allowed_;  ///< packets that may be born now
  Cycle earliest_ = 1;     ///< of the next birth
};

/// Parameters of traffic.kind closed_loop, as ClosedLoop::Parts.
struct ClosedLoopConfig {
  std::uint64_t window = 1;
  Cycle gap_cycles = 0;

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<const Traffic> make(const TrafficGiven& given) const;
};

}  // namespace tsuji::traffic
