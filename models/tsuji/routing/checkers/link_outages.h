// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::routing {

/// A link is down from one cycle on, and up again from another one, if that is not `never`.
struct LinkOutage {
  std::uint32_t link = 0;
  Cycle down = 0;
  Cycle up = never;
};

/// Cycles from `from` on, before `to`.
struct Interval {
  Cycle from = 0;
  Cycle to = never;
};
/// Disjoint, by time.
using Intervals = std::vector<Interval>;

/// The cycles that are in both.
Intervals common(const Intervals& a, const Intervals& b);
/// The cycles of `a` that are not in `b`.
Intervals without(const Intervals& a, const Intervals& b);
/// "from cycle 5 to 9", "from cycle 5 on".
std::string interval_text(const Interval& interval);

/// When which link is down; outages of one link may overlap.
class LinkOutages {
 public:
  LinkOutages(const std::vector<LinkOutage>& outages, std::size_t links);
  /// Empty for a link that is always up.
  const Intervals& of(std::uint32_t link) const { return down_[link]; }
  bool any() const { return any_; }

 private:
  std::vector<Intervals> down_;
  bool any_ = false;
};

}  // namespace tsuji::routing
