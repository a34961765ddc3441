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
  packets,  ///< on every channel the packet that is on it, as text
  signals,  ///< and its flits, the room wires, the FIFO fill levels and the synchronization tables
};

struct CrosspointWavesConfig {
  WaveDetail detail = WaveDetail::signals;
  Cycle first_cycle = 0;  ///< outside this window nothing is recorded
  Cycle last_cycle = never;
  std::vector<unsigned> lines;    ///< only channels and switches of these lines; empty: all
  std::string scope = "network";  ///< of all signals
  std::string group_prefix;       ///< of the groups in the view
  /// Gets the heads on the channels, which are places of their paths; null: nobody does. All channels that a
  /// packet passes are one part, `group_prefix` + "switches", and a synchronization's tables another one.
  FollowedPackets* followed = nullptr;
};

/// Hangs probes on the channels and switches of a network that write what happens into a waveform. Made after
/// elaboration (ports know their FIFOs then) and before the start. Fill levels and room wires follow from
/// what the channels carry, so the switches themselves know nothing of it but their synchronization tables.
class CrosspointWaves {
 public:
  CrosspointWaves(network::CrosspointNetwork& network, const ClockPeriod& period, observe::Wave& wave,
                  const CrosspointWavesConfig& config);
  ~CrosspointWaves();
  /// The levels from which everything starts, in a cycle in which the network is empty; to be called when all
  /// signals of the waveform have been added.
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
