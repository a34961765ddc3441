// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/traffic/emission.h"
#include "tsuji/traffic/multicast_numbers.h"

namespace tsuji::traffic {

struct LinkBridgeConfig {
  unsigned fifo_packets = 2;  ///< whole packets of the network interface that wait to be sent or are
  unsigned ready_packets =
      1;  ///< whole packets in front of the network interface; then none may begin to come out
  unsigned early_packets = 4096;  ///< that overtook others and wait for them; one more is a ModelError
  unsigned retry_packets = 16;    ///< of a network with retry: RetryConfig::window_packets
};

/// Channels of a bridge to and from a unit that multicasts and synchronizes, and the numbers that multicasts
/// carry in such a network; null: there is none.
struct BridgeUnit {
  PacketOutIf* to = nullptr;
  PacketInIf* from = nullptr;
  MulticastNumbers* numbers = nullptr;
  bool keeps = false;  ///< the unit keeps multicasts, and reads their numbers when it does so no longer
};

/// Between a network interface that speaks packets and room wires and a FlitNode, which has the flits: a
/// packet goes into the network flit by flit as it comes (cut-through), and out of it on the interface's
/// channel when its last flit is here (store and forward) and the interface has room; until then the network
/// holds what follows.
///
/// Packets of one source come out in the order in which they went in, as network interfaces expect it
/// (rooms/nic.md), whatever overtakes what in the network: early ones are kept until
/// their turn. They never keep others out of the bridge, or they might wait for those for which they wait; a
/// real interface would have so much memory for them.
///
/// A packet leaves the interface's FIFO with its last flit, or when the network has dropped it before.
///
/// Where there is a unit beside the network, multicasts and synchronizations go to it and come from it.
/// Multicasts keep their order among the single casts of their source (MulticastNumbers); synchronizations,
/// which have a FIFO of their own, keep none. A single cast has its place among the packets of its pair in
/// Packet::group then, as retry has numbers of its own.
///
/// ModelError for another packet than a single cast where there is no unit, and for an early one that this
/// memory has no room for.
class LinkBridge final : public EmissionSource {
 public:
  /// FIFOs behind the interface, as its port bits name them.
  static constexpr unsigned usual_fifo = 0, synchronization_fifo = 1;

  /// `from` is the interface's outgoing channel, of which the bridge is the receiver, `to` its incoming one.
  LinkBridge(const LinkBridgeConfig& config, PacketInIf& from, PacketOutIf& to, NodeId node, unsigned nodes,
             const BridgeUnit& unit = {});

  void bind(Clocked& node) override;
  bool next(Emission& emission) override;
  void take(Cycle now, PacketRef packet) override;
  bool is_full() const override { return ready_of_network_ >= config_.ready_packets; }
  void departed(Cycle now, const Packet& packet) override;
  void dropped(Cycle now, const Packet& packet, const char* cause) override;
  Cycle next_event() const override { return event_; }
  void advance(Cycle now) override;

  /// Packets and their flits that are neither the interface's nor the network's, those that wait for others
  /// included.
  std::uint64_t packets_held() const {
    return outgoing_.size() + to_unit_.size() + ready_.size() + early_.size();
  }
  std::uint64_t flits_held() const;
  /// Packets that came before others that have been sent before them, and wait for these.
  std::uint64_t packets_waiting() const { return early_.size(); }
  std::uint64_t flits_waiting() const;
  /// Packets that came before one that had been sent before them.
  std::uint64_t packets_early() const { return packets_early_; }

 private:
  /// A packet, whatever copies of it are made: destination, and number among those to it.
  using Sent = std::pair<End, std::uint32_t>;
  std::uint32_t place_of(const Packet& packet) const {
    return unit_.to == nullptr ? packet.order : packet.group;
  }

  /// A packet on its way to the interface; of the network, or in the unit's FIFO until it is there.
  struct Incoming {
    PacketRef packet;
    std::uint32_t place = 0;  ///< among the packets of its source to this node
    std::uint16_t hops = 0;
    bool of_unit = false;
  };

  void receive(Cycle now);
  void receive_from_unit(Cycle now);
  void forward(Cycle now);
  void forward_to_unit(Cycle now);
  void leave_fifo(Cycle now, const Packet& packet);
  void number_multicast(Packet& packet, Cycle now);
  void come(Incoming&& packet, Cycle now);
  void make_ready(Incoming&& packet);
  void look_again_at(Cycle cycle) {
    if (cycle < event_) event_ = cycle;
  }

  const LinkBridgeConfig& config_;
  PacketInIf& from_;
  PacketOutIf& to_;
  const BridgeUnit unit_;
  const NodeId node_;
  std::vector<std::uint32_t> order_to_, expected_from_;  ///< by node
  std::vector<std::uint32_t> usual_to_, usual_from_;     ///< of the next multicast, without a number
  std::deque<PacketRef> outgoing_, to_unit_;
  std::vector<Sent> in_fifo_;  ///< taken from the channel, and still in the interface's FIFO
  std::deque<Incoming> ready_;
  std::size_t ready_of_network_ = 0;
  std::vector<Incoming> early_;
  Cycle now_ = 0;
  Cycle free_at_ = 0;       ///< the channel to the interface
  Cycle unit_free_at_ = 0;  ///< the channel to the unit
  Cycle event_ = never;
  std::uint64_t packets_early_ = 0;
};

}  // namespace tsuji::traffic
