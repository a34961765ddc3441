// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "tsuji/core/units.h"

namespace tsuji::router {

/// Detects heads without progress, by time and by hops. Timeout: computes the next cycle in which the heads
/// are to be examined, and which of them are late; the heads are not examined before one can be late, since
/// that costs a loop over all. Hop limit: finds packets that circulate without reaching their destination
/// (livelock).
///
/// Contract: start(now) when a head begins to wait. In cycle next_look(): begin_look(), then late() for every
/// waiting head that has not been reported.
class ProgressTimer {
 public:
  std::string stands_for() const {
    return "timeout of blocked heads, which detects deadlock (Yoshinaga 2004, section 5.2)";
  }
  /// 0 disables the timeout or the hop limit.
  explicit ProgressTimer(Cycle timeout_cycles, unsigned hop_limit = 0)
      : timeout_cycles_(timeout_cycles), most_hops_(hop_limit == 0 ? ~0U : hop_limit) {}

  bool runs() const { return timeout_cycles_ != 0; }
  /// A head begins to wait in cycle `now`.
  void start(Cycle now) { look_at(over_at(now)); }
  /// The cycle in which all waiting heads are to be examined; `never`: none.
  Cycle next_look() const { return next_look_; }
  /// Begins an examination; late() is then called for every waiting head that has not been reported.
  void begin_look() { next_look_ = never; }
  /// Returns true if a head without movement since cycle `since` is late; otherwise schedules an examination
  /// for the cycle in which it will be.
  bool late(Cycle since, Cycle now) {
    if (is_over(since, now)) return true;
    next_look_ = std::min(next_look_, since + timeout_cycles_);
    return false;
  }
  /// late(), without scheduling an examination.
  bool is_over(Cycle since, Cycle now) const { return over_at(since) <= now; }
  /// First cycle in which a head without movement since `since` is late.
  Cycle over_at(Cycle since) const { return since + timeout_cycles_; }
  /// Schedules an examination in this cycle or earlier.
  void look_at(Cycle cycle) {
    if (runs()) next_look_ = std::min(next_look_, cycle);
  }
  /// Returns true for a head that cannot time out: it waits for its node, which always accepts it in the end,
  /// or it is in recovery or a control packet.
  static bool spares(bool waits_for_node, bool not_normal) { return waits_for_node || not_normal; }
  /// Returns true if a head has made more hops between routers than the limit.
  bool too_many(unsigned hops) const { return hops > most_hops_; }

 private:
  Cycle timeout_cycles_;
  unsigned most_hops_;
  Cycle next_look_ = never;
};

}  // namespace tsuji::router
