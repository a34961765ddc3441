// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/recycled_nodes.h"
#include "tsuji/network/dense/head_watch.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/observe/load_measurement.h"

namespace tsuji::instruments {

/// Follows the head of every packet through a network of virtual-channel routers, by probes on all routers
/// and channels or as the watch of a dense network, and splits the packet's latency by cause. Constructed
/// between two cycles; packets whose heads have left their sources before are unknown to it. The network
/// outlives the run.
///
/// The parts, in cycles; their sum is the time from generation to the arrival of the last word of the last
/// flit:
///   source_queue   generation to the cycle in which the source sends the head
///   link           wires, from departure to arrival
///   router         deserialization, route computation, VA, SA, ST, serialization, without waits; for a
///                  head that crosses by prediction ST only
///   serialization  without disturbance: the source's own cycle, the flits after the head at the pace of the
///                  narrowest link, less what they catch up while the head stays in the routers after it, and
///                  the other words of the last flit unless they are in `link` (VcNetworkConfig::whole_flit)
///   wait_front     for earlier packets in its virtual channel; store and forward: for its own last flit;
///                  at a node: for space there
///   wait_vc        for an output virtual channel; for a head in recovery, all time until it enters recovery
///   wait_credit    for a credit, with an output virtual channel
///   wait_switch    for the switch, with a credit
///   wait_body      gaps between the flits on arrival
/// in a network whose routers change their tables also
///   pause          for suspended routers
/// and with routers without observable stages (RouterKind::hides_stages)
///   inside         in such routers, until the head leaves
class PacketLedger final : private router::RouterProbe, private network::dense::HeadWatch {
 public:
  /// A head leaves for the next router or node.
  struct Departure {
    PacketIndex packet = 0;
    const network::VcNetwork::ChannelPlace& place;  ///< the channel that it takes
    unsigned vc = 0;                                ///< the virtual channel of that channel
    Cycle departure = 0,                            ///< first cycle on the wires
        ready = 0;  ///< cycle from which the next router or node may act on it
  };
  using OnDeparture = std::function<void(const Departure&)>;
  /// First cycles of a head's stages in its present router; a stage that has not begun is earlier than
  /// `arrived`.
  struct Stages {
    Cycle arrived = 0, route_computation = 0, vc_allocation = 0, switch_allocation = 0;
  };

  /// `pauses`: routers may be suspended. `on_departure` may be empty, and is in a dense network (else
  /// ModelError).
  PacketLedger(network::VcNetwork& network, const PacketPool& pool, bool pauses = false,
               OnDeparture on_departure = {});
  ~PacketLedger() override;
  PacketLedger(const PacketLedger&) = delete;
  PacketLedger& operator=(const PacketLedger&) = delete;

  const std::vector<std::string>& part_names() const { return names_; }
  /// Returns the parts of a delivered packet in the order of their names; once per packet, and valid until
  /// the next call. ModelError for a negative part.
  const std::vector<Cycle>& take(const observe::DeliveredPacket& packet);
  /// Discards a packet that will not be delivered.
  void forget(PacketId id);
  /// Parts of a head's latency up to its last departure, in the order of their names.
  std::vector<Cycle> parts_so_far(PacketIndex packet) const;
  Stages stages(PacketIndex packet) const;
  /// Removes the probes, between two cycles. The probes of the network must be those of the construction.
  void detach();

 private:
  class ChannelTally;
  using Places = std::unordered_map<PacketId, PacketIndex>;
  /// A head in flight, and the times of its route so far.
  struct Head {
    PacketId id = 0;
    Cycle departed = 0;  ///< cycle in which the head left its source
    Cycle arrived = 0;   ///< cycle in which the head arrived at its present router
    /// At the present router: beginning of RC, VA and SA; only in a network of modules.
    Cycle began = 0, routed = 0, output = 0;
    /// At the present router: cycle since which the router is suspended.
    Cycle stands = never;
    bool crosses = false;    ///< crosses the present router by prediction
    bool hidden = false;     ///< is in a router without observable stages
    bool under_way = false;  ///< its packet has not been taken, or forgotten
    /// Cycles by which the tail follows the head on its last channel if nothing delays it, and those of a
    /// flit on that channel.
    Cycle behind = 0, flit_cycles = 1;
    Cycle link = 0, router = 0, front = 0, vc = 0, credit = 0, switching = 0, pause = 0, inside = 0;
  };

  void on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                router::HeadStage stage, Cycle at) override;
  void on_prediction(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                     router::PredictionOutcome outcome, Cycle at) override;
  void leaves_source(const network::dense::HeadDeparture& departure) override;
  void leaves_router(const network::dense::HeadDeparture& departure,
                     const network::dense::HeadStages& stages) override;
  void crosses_router(const network::dense::HeadDeparture& departure, Cycle began) override;
  void leaves_other_router(const network::dense::HeadDeparture& departure,
                           const network::dense::HeadStages& stages);
  void pass_router(Head& head, const network::dense::HeadDeparture& departure,
                   const network::dense::HeadStages& stages) const;
  void probe_all();
  static void begin(Head& head, PacketClass packet_class, Cycle at);
  static void stand(Head& head, Cycle at);
  void cross(Head& head, Cycle at) const;
  void leave_source(Head& head, PacketIndex packet, Cycle departure);
  void leave_router(Head& head, Cycle departure, Cycle credit) const;
  void pass_stages(Head& head, const Stages& stages, Cycle departure, Cycle credit) const;
  static Stages stages_of(const Head& head) { return {head.arrived, head.began, head.routed, head.output}; }
  static void pass_at_once(Head& head, Cycle departure);
  void arrive(Head& head, Cycle departure, Cycle ready, bool at_router) const;
  void follow(Head& head, PacketIndex packet, Cycle departure, Cycle flit_cycles, bool leaves_source) const;
  Cycle behind_head(const Head& head, unsigned flits) const;
  void forget(Places::iterator place);
  void put_parts(const Head& head, std::vector<Cycle>& parts) const;
  /// Also of heads that have left their sources before the ledger was made.
  [[gnu::always_inline]] Head& head_of(PacketIndex packet) {
    if (packet >= known_) make_heads(packet);
    return heads_[packet];
  }
  [[gnu::cold]] void make_heads(PacketIndex last);

  network::VcNetwork& network_;
  const PacketPool& pool_;
  const OnDeparture on_departure_;
  const Cycle des_cycles_, va_cycles_, depart_after_;
  const Cycle flit_cycles_;  ///< of a link whose class sets none
  const bool whole_flit_, equally_wide_;
  const Cycle body_cycles_;  ///< fewest cycles of a flit after the head in a router
  const bool pauses_, hides_;
  std::vector<std::string> names_;
  std::vector<Cycle> taken_;      ///< the last result of take()
  std::vector<Head> heads_;       ///< [index in the pool]
  PacketIndex known_ = 0;         ///< length of `heads_`
  Places places_;                 ///< index of each packet whose head has left its source
  RecycledNodes<Places> memory_;  ///< of `places_`
  /// Heads of arrived packets whose index belongs to another packet before their delivery is reported.
  std::unordered_map<PacketId, Head> arrived_;
  std::vector<std::unique_ptr<ChannelTally>> channels_;
  std::vector<router::RouterProbe*> behind_;  ///< [router]: the probe that the router had before; null: none
};

}  // namespace tsuji::instruments
