// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::routing {

/// A link is down from one cycle on, and up again from another, unless that is `never`.
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
/// Disjoint intervals in ascending order.
using Intervals = std::vector<Interval>;

/// Intersection of two sets of intervals.
Intervals common(const Intervals& a, const Intervals& b);
/// The cycles of `a` that are not in `b`.
Intervals without(const Intervals& a, const Intervals& b);
/// Text of an interval: "from cycle 5 to 9", "from cycle 5 on".
std::string interval_text(const Interval& interval);

/// Outages of all links; outages of one link may overlap.
class LinkOutages {
 public:
  LinkOutages(const std::vector<LinkOutage>& outages, std::size_t links);
  /// Intervals in which a link is down; empty: always up.
  const Intervals& of(std::uint32_t link) const { return down_[link]; }
  bool any() const { return any_; }

 private:
  std::vector<Intervals> down_;
  bool any_ = false;
};

}  // namespace tsuji::routing
