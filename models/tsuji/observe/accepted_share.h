// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/results/results.h"

namespace tsuji::observe {

/// Share of the flits offered in an interval that are accepted in that interval. The counts are integers, so
/// that sums do not depend on the order of events.
struct AcceptedShare {
  std::uint64_t offered_packets = 0,  ///< packets born in the interval
      offered_flits = 0;              ///< flits of these packets
  std::uint64_t offered_squares = 0;  ///< sum over these packets of the square of their flits
  std::uint64_t accepted_flits = 0;   ///< flits that destinations accepted in the interval
  std::uint64_t under_way = 0;  ///< packets in flight at the beginning, plus packets in flight at the end

  /// Counts a packet that is born in the interval.
  void offer(unsigned flits) {
    ++offered_packets;
    offered_flits += flits;
    offered_squares += std::uint64_t{flits} * flits;
  }
  /// Accepted flits over offered flits; 1 without offered flits.
  double share() const;
  /// Half width of the 95 % confidence interval of share(). Accepted and offered flits differ by the packets
  /// in flight at both ends of the interval; a number N of them has a standard deviation of sqrt(N), weighted
  /// with the packets' flits.
  double confidence() const;
  /// True if less than 95 % of the offered flits are accepted, by more than the confidence interval.
  bool saturated() const { return share() + confidence() < 0.95; }
  /// Adds accepted_share, accepted_share_confidence95 and saturated.
  void add_to(Results& results) const;
};

}  // namespace tsuji::observe
