// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/instruments/followed_packets.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"
#include "tsuji/observe/wave.h"

namespace tsuji::instruments {

enum class WaveDetail : std::uint8_t {
  packets,  ///< for every channel the packet on it, as a text signal
  signals,  ///< as `packets`, and the flits, the room signals, the FIFO fill levels and the synchronization
            ///< tables
};

struct CrosspointWavesConfig {
  WaveDetail detail = WaveDetail::signals;
  Cycle first_cycle = 0;  ///< nothing is recorded outside of this window
  Cycle last_cycle = never;
  std::vector<unsigned> lines;    ///< only channels and switches of these lines; empty: all
  std::string scope = "network";  ///< scope of all signals
  std::string group_prefix;       ///< prefix of the groups in the view
  /// Receives the heads on the channels, which are places of their paths; null: none. The channels of a
  /// packet's path are one part, `group_prefix` + "switches", and the tables of a synchronization another
  /// one.
  FollowedPackets* followed = nullptr;
};

/// Writes the activity of a network to a waveform, by probes on its channels and switches. Constructed after
/// elaboration (when ports know their FIFOs) and before the start. Fill levels and room signals are derived
/// from the channels' traffic, so switches only report their synchronization tables.
class CrosspointWaves {
 public:
  CrosspointWaves(network::CrosspointNetwork& network, const ClockPeriod& period, observe::Wave& wave,
                  const CrosspointWavesConfig& config);
  ~CrosspointWaves();
  /// Writes the initial levels, in a cycle in which the network is empty, after all signals of the waveform
  /// were added.
  void begin(Cycle now = 0);

 private:
  void follow(const graph::Multistage& topology, unsigned stage, unsigned line,
              const std::string& path) const;

  const CrosspointWavesConfig config_;
  class LinkWave;
  class TableWave;
  std::vector<std::unique_ptr<LinkWave>> links_;
  std::vector<std::unique_ptr<TableWave>> tables_;
};

}  // namespace tsuji::instruments
