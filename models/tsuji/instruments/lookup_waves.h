// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/instruments/followed_packets.h"
#include "tsuji/network/network_lookup.h"
#include "tsuji/observe/wave.h"

namespace tsuji::instruments {

/// Writes look-ups of selected routers to a waveform: for each input port `lookup`, "hit" or "miss" while its
/// cache is read, and `destination`, the node. For look-up hardware as modules also the signals between
/// modules, in the scope `lookup`. Constructed before the simulation starts; the network outlives the run.
class LookupWaves {
 public:
  struct Parts {
    network::NetworkLookup& lookup;
    const graph::Topology& topology;
    const ClockDomain& domain;
    observe::Wave& wave;
    FollowedPackets& followed;
    Cycle last_cycle = never;
  };
  /// `routers` empty: all.
  LookupWaves(const Parts& parts, const std::vector<graph::RouterId>& routers);
  ~LookupWaves();

 private:
  class RouterWave;
  class WiresWave;

  const Parts parts_;
  std::vector<std::unique_ptr<RouterWave>> routers_;
  std::vector<std::unique_ptr<WiresWave>> wires_;
};

}  // namespace tsuji::instruments
