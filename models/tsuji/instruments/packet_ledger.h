// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/observe/load_measurement.h"

namespace tsuji::instruments {

/// Follows every packet's head through a network of virtual-channel routers and says where its latency went:
/// probes on all routers and channels. Made before the simulation starts; the network outlives its run.
///
/// The parts, in cycles, which add up to birth to the arrival of the last flit's last word:
///   source_queue   birth to the cycle in which the source sends the head
///   link           wires, from departure to arrival
///   router         deserialization, route computation, VA, SA, ST, serialization, as long as they take; of a
///                  head that goes by prediction ST alone
///   serialization  undisturbed: the source's own cycle, the packet's other flits after its head, and the
///   other
///                  words of the last one unless `link` has them (VcNetworkConfig::whole_flit)
///   wait_front     behind other packets in the same virtual channel; store and forward: for its own last
///                  flit; at a node: for its room
///   wait_vc        for an output virtual channel; of a head that recovers, all until it does
///   wait_credit    for a place in the next buffer, with an output virtual channel
///   wait_switch    for the switch, with a credit
///   wait_body      gaps between the flits when they arrive
/// in a network whose routers change their tables
///   pause          for routers that are suspended
/// and in one with routers whose stages nobody sees (RouterKind::hides_stages)
///   inside         such routers, until the head leaves
class PacketLedger final : private router::RouterProbe {
 public:
  /// `pauses`: routers may be suspended.
  PacketLedger(network::VcNetwork& network, const PacketPool& pool, bool pauses = false);
  ~PacketLedger() override;
  PacketLedger(const PacketLedger&) = delete;
  PacketLedger& operator=(const PacketLedger&) = delete;

  const std::vector<std::string>& part_names() const { return names_; }
  /// The parts of a packet in the order of their names, once, when it has been delivered. ModelError if one
  /// is less than nothing.
  std::vector<Cycle> take(const observe::DeliveredPacket& packet);
  /// A packet that will not be delivered.
  void forget(PacketId id) { heads_.erase(id); }

 private:
  class ChannelTally;
  /// A head on its way, and what its way took so far.
  struct Head {
    Cycle departed = 0;                       ///< from its source
    Cycle arrived = 0;                        ///< where it is now
    Cycle began = 0, routed = 0, output = 0;  ///< there: RC, VA, SA begin
    Cycle stands = never;                     ///< there: its router is suspended since then
    bool crosses = false;                     ///< there, by prediction
    bool hidden = false;                      ///< there, in stages that nobody sees
    Cycle link = 0, router = 0, front = 0, vc = 0, credit = 0, switching = 0, pause = 0, inside = 0;
  };

  void on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                router::HeadStage stage, Cycle at) override;
  void on_prediction(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                     router::PredictionOutcome outcome, Cycle at) override;
  static void begin(Head& head, PacketClass packet_class, Cycle at);
  static void stand(Head& head, Cycle at);
  void cross(Head& head, Cycle at) const;
  void leave_source(PacketIndex packet, Cycle departure);
  void leave_router(PacketIndex packet, Cycle departure, Cycle credit);
  void arrive(PacketIndex packet, Cycle departure, Cycle ready, bool at_router);
  Head& head_of(PacketIndex packet) { return heads_[pool_.at(packet).id]; }

  const PacketPool& pool_;
  const router::VcRouterConfig& config_;
  const Cycle flit_cycles_;
  const Cycle last_words_;  ///< from the first to the last word of a packet's last flit
  const bool pauses_, hides_;
  std::vector<std::string> names_;
  std::unordered_map<PacketId, Head> heads_;
  std::vector<std::unique_ptr<ChannelTally>> channels_;
  std::vector<router::RouterProbe*> behind_;  ///< of each router
};

}  // namespace tsuji::instruments
