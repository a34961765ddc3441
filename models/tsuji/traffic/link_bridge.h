// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::traffic {

struct LinkBridgeConfig {
  unsigned fifo_packets = 2;  ///< whole packets of the network interface that wait to be sent or are
  unsigned ready_packets =
      1;  ///< whole packets in front of the network interface; then none may begin to come out
  unsigned early_packets = 4096;  ///< that overtook others and wait for them; one more is a ModelError
  unsigned retry_packets = 16;    ///< of a network with retry: RetryConfig::window_packets
};

/// Between a network interface that speaks packets and room wires and a FlitNode, which has the flits: a
/// packet goes into the network flit by flit as it comes (cut-through), and out of it on the interface's
/// channel when its last flit is here (store and forward) and the interface has room; until then the network
/// holds what follows.
///
/// Packets of one source come out in the order in which they went in, as network interfaces expect it
/// (models/tsuji/nic/README.md), whatever overtakes what in the network: early ones are kept until
/// their turn. They never keep others out of the bridge, or they might wait for those for which they wait; a
/// real interface would have so much memory for them.
///
/// A packet leaves the interface's FIFO with its last flit, or when the network has dropped it before.
///
/// ModelError for a packet that is no single cast, and for an early one that this memory has no room for.
class LinkBridge final : public EmissionSource {
 public:
  /// `from` is the interface's outgoing channel, of which the bridge is the receiver, `to` its incoming one.
  LinkBridge(const LinkBridgeConfig& config, PacketInIf& from, PacketOutIf& to, NodeId node, unsigned nodes);

  void bind(Clocked& node) override;
  bool next(Emission& emission) override;
  void take(Cycle now, PacketRef packet) override;
  bool is_full() const override { return ready_.size() >= config_.ready_packets; }
  void departed(Cycle now, const Packet& packet) override;
  void dropped(Cycle now, const Packet& packet, const char* cause) override;
  Cycle next_event() const override { return event_; }
  void advance(Cycle now) override;

  /// Packets and their flits that are neither the interface's nor the network's, those that wait for others
  /// included.
  std::uint64_t packets_held() const { return outgoing_.size() + ready_.size() + early_.size(); }
  std::uint64_t flits_held() const;
  /// Packets that came before others that have been sent before them, and wait for these.
  std::uint64_t packets_waiting() const { return early_.size(); }
  std::uint64_t flits_waiting() const;
  /// Packets that came before one that had been sent before them.
  std::uint64_t packets_early() const { return packets_early_; }

 private:
  /// A packet, whatever copies of it are made: destination, and number among those to it.
  using Sent = std::pair<End, std::uint32_t>;

  void receive(Cycle now);
  void forward(Cycle now);
  void leave_fifo(Cycle now, const Packet& packet);

  const LinkBridgeConfig& config_;
  PacketInIf& from_;
  PacketOutIf& to_;
  const NodeId node_;
  std::vector<std::uint32_t> order_to_, expected_from_;  ///< by node
  std::deque<PacketRef> outgoing_;
  std::vector<Sent> in_fifo_;  ///< taken from the channel, and still in the interface's FIFO
  std::deque<PacketRef> ready_;
  std::vector<PacketRef> early_;
  Cycle now_ = 0;
  Cycle free_at_ = 0;  ///< the channel to the interface
  Cycle event_ = never;
  std::uint64_t packets_early_ = 0;
};

}  // namespace tsuji::traffic
