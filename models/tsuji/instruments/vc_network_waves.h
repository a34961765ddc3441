// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/instruments/followed_packets.h"
#include "tsuji/instruments/level_timeline.h"
#include "tsuji/network/dense/dense_network.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/observe/wave.h"

namespace tsuji::instruments {

struct VcNetworkWavesConfig {
  std::vector<graph::RouterId> routers;  ///< routers with all of their channels; empty: all routers
  bool slots = false;                    ///< also every slot of their buffers with the stage of its flit
  Cycle first_cycle = 0;                 ///< earlier changes need not be recorded
  Cycle last_cycle = never;
  /// ConfigError for a router that does not exist.
  void validate_with(const graph::Topology& topology) const;
};

/// Stage of a flit or a virtual channel in a waveform. `wait`: in the buffer, after others; `sa`: until the
/// end of its switch allocation, including waits for competitors and credits.
enum class ShownStage : std::uint8_t { idle, wait, rc, va, sa, st, des, ser };

/// Writes the activity of routers and their channels to a waveform, cycle by cycle: the flit on the wires,
/// credits at the sender, fill level, and the stages of every input virtual channel. A router decides in
/// advance (a flit granted in cycle s is on the wires sa + st later), so a change is recorded for the cycle
/// in which it is visible. Constructed before the simulation starts; the network outlives the run.
class VcNetworkWaves {
 public:
  struct Parts {
    network::VcNetwork& network;
    const PacketPool& pool;
    const ClockDomain& domain;
    observe::Wave& wave;
    FollowedPackets& followed;  ///< receives the heads at inputs of the routers
  };
  VcNetworkWaves(const Parts& parts, const VcNetworkWavesConfig& config);
  ~VcNetworkWaves();
  VcNetworkWaves(const VcNetworkWaves&) = delete;
  VcNetworkWaves& operator=(const VcNetworkWaves&) = delete;

  /// All cycles before `now` have run: writes changes before `now` to the waveform.
  void advance(Cycle now);
  /// The run is over: writes changes for later cycles to the waveform, too.
  void finish();

 private:
  using Use = network::VcNetwork::ChannelUse;
  class ChannelWave;
  class ChannelWatch;
  class DenseWatch;
  class RouterWave;
  /// A channel in the waveform, at a port.
  struct Shown {
    graph::PortRef at;
    bool output;
    Use use;
    std::size_t number;  ///< in the order of VcNetwork::channels()
  };

  void add_channels();
  void add_channel(const Shown& shown);
  void write_before(Cycle now);
  void watch_densely(const Shown& shown, ChannelWave& wave);
  RouterWave* wave_of(graph::RouterId id) const { return id == graph::none ? nullptr : by_id_[id]; }

  const Parts parts_;
  const VcNetworkWavesConfig config_;
  std::unique_ptr<LevelTimeline> timeline_;
  std::vector<std::unique_ptr<RouterWave>> routers_;
  std::vector<RouterWave*> by_id_;
  std::vector<std::unique_ptr<ChannelWave>> channels_;
  std::vector<std::unique_ptr<ChannelWatch>> watches_;             ///< of a network of modules
  std::vector<std::unique_ptr<DenseWatch>> dense_;                 ///< of one without: [router in routers_]
  std::vector<network::dense::DenseNetwork::ChannelTimes> times_;  ///< likewise, in the order of channels()
  Cycle advanced_to_ = 0;                                          ///< argument of advance()
  Cycle late_by_ = 0;  ///< cycles after which all changes of a cycle are known
};

}  // namespace tsuji::instruments
