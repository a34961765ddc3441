// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "tsuji/core/units.h"

namespace tsuji::router {

/// Progress of the heads of a router, in time and in hops. Block timeout: the cycle of the next look at the
/// heads, and which of them are late. A look costs a walk over all heads, so there is none before a head can
/// be late. Hop limit: heads that go on and on without coming to their destination.
class ProgressTimer {
 public:
  std::string stands_for() const {
    return "timeout of blocked heads, which detects deadlock (Yoshinaga 2004, section 5.2)";
  }
  /// 0: no head is ever late, and none has made too many hops.
  explicit ProgressTimer(Cycle timeout_cycles, unsigned hop_limit = 0)
      : timeout_cycles_(timeout_cycles), most_hops_(hop_limit == 0 ? ~0U : hop_limit) {}

  bool runs() const { return timeout_cycles_ != 0; }
  /// A head begins to wait.
  void start(Cycle now) { look_at(over_at(now)); }
  /// The cycle in which all waiting heads are to be looked at; `never` without one.
  Cycle next_look() const { return next_look_; }
  /// A look begins: late() is asked for every head that waits and was not found late before.
  void begin_look() { next_look_ = never; }
  /// Whether a head that has not moved since cycle `since` is late; if not, there will be a look when it is.
  bool late(Cycle since, Cycle now) {
    if (is_over(since, now)) return true;
    next_look_ = std::min(next_look_, since + timeout_cycles_);
    return false;
  }
  /// The answer of late(), before there is a look.
  bool is_over(Cycle since, Cycle now) const { return over_at(since) <= now; }
  /// The cycle from which a head that does not move is late.
  Cycle over_at(Cycle since) const { return since + timeout_cycles_; }
  /// All waiting heads are looked at in this cycle, or before.
  void look_at(Cycle cycle) {
    if (runs()) next_look_ = std::min(next_look_, cycle);
  }
  /// A head whose time does not run: one that waits for its node, which ends by itself, or is in recovery or
  /// of control.
  static bool spares(bool waits_for_node, bool not_normal) { return waits_for_node || not_normal; }
  /// Whether a head has made more hops between routers than the limit.
  bool too_many(unsigned hops) const { return hops > most_hops_; }

 private:
  Cycle timeout_cycles_;
  unsigned most_hops_;
  Cycle next_look_ = never;
};

}  // namespace tsuji::router
