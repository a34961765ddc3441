#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/packet.h"
#include "core/units.h"
#include "fabric/vc_network.h"
#include "link/clock_domain.h"
#include "observe/wave.h"

namespace tsuji::fabric {

struct VcNetworkTraceConfig {
  std::vector<graph::RouterId> routers;  ///< with all their channels; empty: all routers
  bool slots = false;                    ///< and every place of their buffers with the stage of its flit
  Cycle first_cycle = 0;                 ///< what is over before it need not be told
  Cycle last_cycle = never;
  /// ConfigError for a router that the topology does not have.
  void validate_with(const graph::Topology& topology) const;
};

/// What a flit or a virtual channel does, as a waveform shows it. `wait`: in the buffer behind others; `sa`:
/// until its switch allocation is over, waiting for competitors and credits included.
enum class ShownStage : std::uint8_t { idle, wait, rc, va, sa, st, des, ser };

/// Probes on routers and their channels that write what happens into a waveform, cycle by cycle: the flit on
/// the wires, credits at the sender, fill level, and the stages of every input virtual channel. A router
/// decides ahead (a flit granted in cycle s is on the wires sa + st later), so a change is told for the cycle
/// in which it shows. Made before the simulation starts; the network outlives its run.
class VcNetworkTrace {
 public:
  struct Parts {
    VcNetwork& network;
    const PacketPool& pool;
    const ClockDomain& domain;
    observe::Wave& wave;
  };
  VcNetworkTrace(const Parts& parts, const VcNetworkTraceConfig& config);
  ~VcNetworkTrace();
  VcNetworkTrace(const VcNetworkTrace&) = delete;
  VcNetworkTrace& operator=(const VcNetworkTrace&) = delete;

  /// All cycles before `now` have run: what shows before it goes into the waveform.
  void advance(Cycle now);
  /// The run is over: what is told for later goes into the waveform, too.
  void finish();

 private:
  class Timeline;
  class ChannelTrace;
  class RouterTrace;

  void add_channels();
  void add_channel(const VcNetwork::ChannelPlace& place, const graph::PortRef& at, bool output);
  RouterTrace* traced(graph::RouterId id) const { return id == graph::none ? nullptr : by_id_[id]; }

  const Parts parts_;
  const VcNetworkTraceConfig config_;
  std::unique_ptr<Timeline> timeline_;
  std::vector<std::unique_ptr<RouterTrace>> routers_;
  std::vector<RouterTrace*> by_id_;
  std::vector<std::unique_ptr<ChannelTrace>> channels_;
};

}  // namespace tsuji::fabric
