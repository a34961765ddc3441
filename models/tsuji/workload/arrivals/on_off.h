// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/workload/arrival_kinds.h"

namespace tsuji::workload {

/// Parameters of bursts.
struct OnOffConfig {
  double burst_load_flits_per_node_cycle = 1.0;  ///< while on, at least the mean
  double burst_cycles = 100;                     ///< mean length of being on, >= 1

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<ArrivalProcess> make(const ArrivalRate& arrivals) const;
};

}  // namespace tsuji::workload
