// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/workload/arrival_kinds.h"

namespace tsuji::workload {

/// Parameters of an on-off process, whose packets are born in bursts.
struct OnOffConfig {
  double burst_load_flits_per_node_cycle = 1.0;  ///< Load while on; not less than the mean load.
  double burst_cycles = 100;                     ///< Mean length of a burst in cycles, >= 1.

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<ArrivalProcess> make(const ArrivalRate& arrivals) const;
};

}  // namespace tsuji::workload
