// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/network/vc_network.h"

namespace tsuji::network {

/// Heads whose block timeout has expired, classified by a scan for deadlocks. A knot that several heads
/// detect counts once for each head.
struct TimeoutClasses {
  std::uint64_t in_knot = 0;
  /// Heads outside knots that are stuck: they wait only for members of knots or for dead links.
  std::uint64_t behind_knot = 0;
  std::uint64_t false_ones = 0;  ///< Heads that are not stuck and would have advanced later.
  std::uint64_t knot_packets = 0, most_knot_packets = 0;  ///< Sum and maximum over heads in knots.
  Cycle knot_age_cycles = 0, longest_knot_age_cycles = 0;
  std::uint64_t heads() const { return in_knot + behind_knot + false_ones; }
};

/// Classifies every block timeout of a run by a scan of the network between two cycles: before the cycle in
/// which recovery begins or, if heads are only reported, after the cycle of the report.
class TimeoutClassifier {
 public:
  TimeoutClassifier(const VcNetwork& network, const PacketPool& pool) : network_(network), pool_(pool) {}

  /// Classifies heads that begin recovery in cycle `now`. Call it before the modules of that cycle run.
  void look_before(Cycle now);
  /// Records a head whose timeout the router reports. Called in the cycle of the report.
  void reported(const VcNetwork::InputPlace& place) { heads_.push_back(place); }
  /// Classifies heads that were reported in cycle `now`. Call it after that cycle.
  void look_after(Cycle now) { classify(now); }

  const TimeoutClasses& classes() const { return classes_; }

 private:
  void classify(Cycle now);

  const VcNetwork& network_;
  const PacketPool& pool_;
  std::vector<VcNetwork::InputPlace> heads_;  ///< Heads of the present cycle.
  TimeoutClasses classes_;
};

}  // namespace tsuji::network
