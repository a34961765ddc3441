// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/random.h"
#include "tsuji/link/packet_link.h"

namespace tsuji::traffic {

struct PacketSinkConfig {
  unsigned fifo_packets = 2;  ///< Size in packets of the largest length.
  /// Longest time of a packet in the FIFO after its last flit, drawn uniformly at random to model a slow
  /// receiver; 0: no delay.
  unsigned stall_cycles = 0;
  std::uint64_t seed = 1;
};

/// Ejects packets from the network and checks that each carries the bytes that its source sent.
class PacketSink final : public sc_core::sc_module, public Clocked, public Described {
 public:
  std::string stands_for() const override { return "a node's sink of packets, without a network interface"; }
  /// Called in the cycle of a packet's last flit, with the packet, the cycles of its head and its last flit,
  /// and the number of switches on its route.
  using OnPacket = std::function<void(const Packet&, Cycle head, Cycle tail, unsigned hops)>;

  sc_core::sc_port<PacketInIf> in;

  PacketSink(sc_core::sc_module_name name, ClockDomain& domain, NodeId node, const PacketSinkConfig& config,
             OnPacket on_packet);
  void step(Cycle now) override;
  std::uint64_t packets() const { return packets_; }
  std::uint64_t flits() const { return flits_; }
  /// True while a packet's head has arrived and its last flit has not. Only valid with an OnPacket.
  bool takes_packet() const { return static_cast<bool>(arriving_.packet); }
  Cycle head() const { return head_; }  ///< Cycle of the head of the packet that is arriving.

 private:
  void end_of_elaboration() override;
  void check(const Packet& packet, Cycle now) const;
  void tell_arrived(Cycle now);

  const NodeId node_;
  const PacketSinkConfig config_;
  const OnPacket on_packet_;
  PacketInIf* in_ = nullptr;
  CounterRandom random_;
  Cycle free_at_ = 0;        ///< Cycle from which the receiver is free; it empties the FIFO in order.
  PacketTransfer arriving_;  ///< The packet whose head has arrived.
  Cycle head_ = 0, tail_ = 0;
  std::uint64_t packets_ = 0, flits_ = 0;
};

}  // namespace tsuji::traffic
