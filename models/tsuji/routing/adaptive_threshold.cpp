// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/adaptive_threshold.h"

namespace tsuji::routing {

void add_adaptive_threshold(config::KeyTable& keys, unsigned& adaptive_threshold) {
  keys.add(
      "routing.adaptive_threshold", adaptive_threshold, {0, 1'000'000}, "",
      "ugal, par, in_transit: largest amount by which queued flits times hops on the minimal path may exceed "
      "those on the non-minimal path for a packet to take the minimal path; ugal_g: the same for the flits "
      "queued on all links of a path, and its hops; ugal_by_phase: the same for flits, those of the "
      "non-minimal path counted twice");
}

}  // namespace tsuji::routing
