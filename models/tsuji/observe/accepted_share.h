// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/results/results.h"

namespace tsuji::observe {

/// The share of the flits offered in an interval that were accepted in the same interval. Integers,
/// added to where things happen.
struct AcceptedShare {
  std::uint64_t offered_packets = 0, offered_flits = 0;
  std::uint64_t offered_squares = 0;  ///< of each packet's flits
  std::uint64_t accepted_flits = 0;
  std::uint64_t under_way = 0;  ///< packets inside at the interval's beginning, and those at its end

  void offer(unsigned flits) {
    ++offered_packets;
    offered_flits += flits;
    offered_squares += std::uint64_t{flits} * flits;
  }
  /// 1 where nothing is offered.
  double share() const;
  /// Half of the share's 95 % interval. Accepted and offered flits differ by the packets under way at the
  /// interval's ends: that there are N at a moment is uncertain by sqrt(N), and each stands for its flits.
  double confidence() const;
  /// Less than 95 % of what is offered is accepted, by more than the chance in which packets are counted.
  bool saturated() const { return share() + confidence() < 0.95; }
  /// Adds accepted_share, accepted_share_confidence95 and saturated.
  void add_to(Results& results) const;
};

}  // namespace tsuji::observe
