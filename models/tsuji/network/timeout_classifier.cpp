// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/timeout_classifier.h"

#include <algorithm>

#include "tsuji/network/deadlock_scan.h"

namespace tsuji::network {

void TimeoutClassifier::look_before(Cycle now) {
  for (graph::RouterId id = 0; id < network_.routers(); ++id)
    needed(network_.router(id), network_.router(id).recovering(), now, "take heads into recovery")
        .visit_timeouts(now, [this, id](unsigned port, unsigned vc) {
          heads_.push_back({{id, port}, vc});
        });
  classify(now);
}

void TimeoutClassifier::classify(Cycle now) {
  if (heads_.empty()) return;
  const DeadlockScan scan(network_, pool_);
  for (const VcNetwork::InputPlace& head : heads_) {
    if (const DeadlockScan::Knot* const knot = scan.knot_at(head)) {
      const Cycle age = now - knot->since;
      ++classes_.in_knot;
      classes_.knot_packets += knot->packets;
      classes_.most_knot_packets = std::max<std::uint64_t>(classes_.most_knot_packets, knot->packets);
      classes_.knot_age_cycles += age;
      classes_.longest_knot_age_cycles = std::max(classes_.longest_knot_age_cycles, age);
    } else if (scan.is_stuck(head)) {
      ++classes_.behind_knot;
    } else {
      ++classes_.false_ones;
    }
  }
  heads_.clear();
}

}  // namespace tsuji::network
