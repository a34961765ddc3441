// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/arena.h"
#include "tsuji/link/flit_channel.h"

namespace tsuji {

/// Channel whose two ends are run by different threads (ClockDomain::run_on). The sender gets a copy of the
/// receiver's rings, which it fills; the receiver frees slots of its own rings. Between two windows,
/// exchange() makes the two equal: it moves flits to the receiver and credits to the sender. Both take at
/// least a window, so no end could have seen them earlier.
///
///     window of 3 cycles     sender's copy           receiver's ring
///     before                 f f - -                 f f - -      f: flit, -: credit
///     a flit is sent         f f f -                 f f - -
///     two flits are freed    f f f -                 - - - -
///     exchange()             - - f -                 - - f -
///
/// Where different processes run the ends, each has a LaneCrossing of the channel: that of the sender's
/// process visits what was sent and takes credits, and that of the receiver's process does the opposite.
///
/// Contract: constructed after both ends are bound and before the first cycle. exchange() after each window,
/// while no thread runs modules; or in the sender's process visit_sent() and then credit(), and in the
/// receiver's process visit_freed() and then arrive().
class LaneCrossing {
 public:
  /// The copies are in `arena`.
  LaneCrossing(FlitChannel& channel, Arena& arena);
  /// Called after cycle `last`, the last one of the window.
  void exchange(Cycle last);

  /// Number of virtual channels.
  unsigned vcs() const { return channel_.vcs(); }
  /// Calls visit(slot) for each flit that the sender has sent since the last call.
  template <class Visit>
  void visit_sent(unsigned vc, const Visit& visit) {
    Copy& copy = copies_[vc];
    const unsigned held = copy.ring.flits_held();
    for (; copy.at_sender < held; ++copy.at_sender) visit(copy.ring.behind_front(copy.at_sender));
  }
  /// A flit arrives, like the one in `slot`, after the window that ended with cycle `last`.
  void arrive(unsigned vc, const FlitSlot& slot, Cycle last) {
    FlitRing& ring = channel_.ring(vc);
    ring.back() = slot;
    ring.pass_back();
    ++copies_[vc].at_receiver;
    channel_.announce(last, ring, slot.cycle());
  }
  /// First cycle in which the receiver acts on a flit, or looks at it.
  Cycle wakes_at(const FlitSlot& slot) const { return slot.cycle() - channel_.early_; }
  /// Calls visit(cycle) for each slot that the receiver has freed since the last call, with the first cycle
  /// in which the sender may fill it.
  template <class Visit>
  void visit_freed(unsigned vc, const Visit& visit) {
    Copy& copy = copies_[vc];
    const FlitRing& ring = channel_.ring(vc);
    for (const unsigned held = ring.flits_held(); copy.at_receiver > held; --copy.at_receiver)
      visit(ring.behind_front(ring.depth() - (copy.at_receiver - held)).cycle());
  }
  /// The sender may fill one more slot from cycle `usable` on.
  void credit(unsigned vc, Cycle usable) {
    Copy& copy = copies_[vc];
    copy.ring.front().free(usable);
    copy.ring.pass_front();
    --copy.at_sender;
    channel_.wake_watcher(copy.ring, usable - copy.ring.credit_after, usable);
  }

 private:
  /// The sender's copy of a ring, and the numbers of flits in the copy and in the ring after the last
  /// exchange.
  struct Copy {
    FlitRing ring;
    unsigned at_sender = 0, at_receiver = 0;
  };

  FlitChannel& channel_;
  Copy* copies_;  ///< [virtual channel]: the sender's copy of the receiver's ring
};

}  // namespace tsuji
