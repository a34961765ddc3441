// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/network/reconfiguration/reconfiguration.h"
#include "tsuji/observe/wave.h"

namespace tsuji::instruments {

/// Writes reconfigurations to a waveform: for each router its phase, the root of the tree that it knows, and
/// whether it is in a fault region. Constructed before the simulation starts.
class ReconfigurationWaves {
 public:
  /// `routers`: routers that are shown; empty: all.
  ReconfigurationWaves(network::Reconfiguration& reconfiguration, const ClockDomain& domain,
                       observe::Wave& wave, const std::vector<graph::RouterId>& routers);
  /// Writes the phases of cycle 0, after all signals of the waveform were added.
  void begin();

 private:
  struct Signals {
    bool shown = false;
    observe::SignalId phase = 0, root = 0, region = 0;
  };
  void tell(graph::RouterId router, const faults::ReconfigurationNode* node, Cycle at);

  const network::Reconfiguration& reconfiguration_;
  const ClockDomain& domain_;
  observe::Wave& wave_;
  std::vector<Signals> signals_;
};

}  // namespace tsuji::instruments
