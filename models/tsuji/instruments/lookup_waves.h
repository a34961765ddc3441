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

/// Look-ups of chosen routers in a waveform: for each input port `lookup`, "hit" or "miss" while its cache is
/// read, and `destination`, the node that it is read for. Of look-up hardware as modules also the wires
/// between the modules, in the scope `lookup`. Made before the simulation starts; the network
/// outlives its run.
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
