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
  unsigned fifo_packets = 2;  ///< Packets of the network interface that are being sent or wait to be sent.
  unsigned ready_packets =
      1;  ///< Packets waiting at the network interface above which no further packet may begin to be ejected.
  unsigned early_packets = 4096;  ///< Largest number of packets that have overtaken others and wait for them;
                                  ///< one more is a ModelError.
  unsigned retry_packets = 16;    ///< RetryConfig::window_packets of a network with retry.
};

/// Channels between a bridge and a unit that multicasts and synchronizes, and the numbers that multicasts
/// carry in such a network. Null pointers: there is no unit.
struct BridgeUnit {
  PacketOutIf* to = nullptr;
  PacketInIf* from = nullptr;
  MulticastNumbers* numbers = nullptr;
  bool keeps = false;  ///< The unit keeps multicasts and reads their numbers when it releases them.
};

/// Bridge between a network interface, which exchanges packets and room signals, and a FlitNode, which
/// exchanges flits. A packet enters the network flit by flit as it arrives (cut-through). It leaves on the
/// interface's channel after its last flit has arrived (store and forward) and when the interface has room;
/// until then, packets after it wait in the network.
///
/// Packets of one source leave in the order in which they were sent, as network interfaces require
/// (scripts/handbook.d/rooms/nic.md), even if the network reorders them: early packets are stored until their
/// predecessors have arrived. Stored packets never block the bridge for other packets, since that could be a
/// deadlock; a real interface needs memory for all of them.
///
/// A packet leaves the interface's FIFO with its last flit, or earlier if the network has dropped it.
///
/// Multicasts and synchronizations are exchanged with the unit, if there is one. Multicasts keep their order
/// among the single casts of their source (MulticastNumbers); synchronizations have a separate FIFO and no
/// order. The order number of a single cast is then in Packet::group, because retry uses Packet::order for
/// its own numbers.
///
/// Throws ModelError for any packet other than a single cast if there is no unit, and for an early packet
/// that the memory cannot hold.
class LinkBridge final : public EmissionSource {
 public:
  /// FIFOs of the unit, as the interface's port bits select them.
  static constexpr unsigned usual_fifo = 0, synchronization_fifo = 1;

  /// `from` is the interface's outgoing channel, which the bridge receives from; `to` is the interface's
  /// incoming channel.
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

  /// Packets held by the bridge, neither by the interface nor by the network, including early packets.
  std::uint64_t packets_held() const {
    return outgoing_.size() + to_unit_.size() + ready_.size() + early_.size();
  }
  std::uint64_t flits_held() const;
  /// Early packets: they have arrived before packets that were sent earlier, and wait for these.
  std::uint64_t packets_waiting() const { return early_.size(); }
  std::uint64_t flits_waiting() const;
  /// Total number of packets that have arrived early.
  std::uint64_t packets_early() const { return packets_early_; }

 private:
  /// Identity of a packet independent of copies: its destination, and its number among the packets to that
  /// destination.
  using Sent = std::pair<End, std::uint32_t>;
  std::uint32_t place_of(const Packet& packet) const {
    return unit_.to == nullptr ? packet.order : packet.group;
  }

  /// A packet on its way to the interface, from the network or from the unit; the unit's FIFO holds its
  /// packet until then.
  struct Incoming {
    PacketRef packet;
    std::uint32_t place = 0;  ///< Order number among the packets from its source to this node.
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
  std::vector<std::uint32_t> order_to_, expected_from_;  ///< Next order number, by node.
  /// Order number of the next multicast without an explicit number, by node.
  std::vector<std::uint32_t> usual_to_, usual_from_;
  std::deque<PacketRef> outgoing_, to_unit_;
  std::vector<Sent> in_fifo_;  ///< Packets taken from the channel that still occupy the interface's FIFO.
  std::deque<Incoming> ready_;
  std::size_t ready_of_network_ = 0;
  std::vector<Incoming> early_;
  Cycle now_ = 0;
  Cycle free_at_ = 0;       ///< Cycle from which the channel to the interface is free.
  Cycle unit_free_at_ = 0;  ///< Cycle from which the channel to the unit is free.
  Cycle event_ = never;
  std::uint64_t packets_early_ = 0;
};

}  // namespace tsuji::traffic
