// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/network/vc_network.h"

namespace tsuji::network {

/// Heads whose block timeout is over, by what a scan for deadlocks says of them. A knot that several heads
/// detect counts for each of them.
struct TimeoutClasses {
  std::uint64_t in_knot = 0;
  std::uint64_t behind_knot = 0;  ///< stuck outside: they wait for members of knots alone, or for dead links
  std::uint64_t false_ones = 0;   ///< neither: they would have gone on
  std::uint64_t knot_packets = 0, most_knot_packets = 0;  ///< sum and maximum over heads in knots
  Cycle knot_age_cycles = 0, longest_knot_age_cycles = 0;
  std::uint64_t heads() const { return in_knot + behind_knot + false_ones; }
};

/// Classifies every timeout of a run by a scan of the network between two cycles: the one before recovery
/// begins or, where heads are only reported, the one after the report.
class TimeoutClassifier {
 public:
  TimeoutClassifier(const VcNetwork& network, const PacketPool& pool) : network_(network), pool_(pool) {}

  /// Before the modules of cycle `now` run: heads that begin recovery in it.
  void look_before(Cycle now);
  /// In its cycle: a head is reported.
  void reported(const VcNetwork::InputPlace& place) { heads_.push_back(place); }
  /// After cycle `now`: heads that were reported in it.
  void look_after(Cycle now) { classify(now); }

  const TimeoutClasses& classes() const { return classes_; }

 private:
  void classify(Cycle now);

  const VcNetwork& network_;
  const PacketPool& pool_;
  std::vector<VcNetwork::InputPlace> heads_;  ///< of the present cycle
  TimeoutClasses classes_;
};

}  // namespace tsuji::network
