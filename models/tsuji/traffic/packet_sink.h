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
  unsigned fifo_packets = 2;  ///< whole packets
  /// Longest time of a packet in the FIFO after its last flit, drawn at random (0: none), as with a slow
  /// receiver.
  unsigned stall_cycles = 0;
  std::uint64_t seed = 1;
};

/// Takes packets out of the network and checks that each brings the bytes that its source put in.
class PacketSink final : public sc_core::sc_module, public Clocked, public Described {
 public:
  std::string stands_for() const override { return "a node's sink of packets, without a network interface"; }
  /// Called in the cycle of a packet's last flit: the packet, the cycle of its head and of its last flit,
  /// switches passed.
  using OnPacket = std::function<void(const Packet&, Cycle head, Cycle tail, unsigned hops)>;

  sc_core::sc_port<PacketInIf> in;

  PacketSink(sc_core::sc_module_name name, ClockDomain& domain, NodeId node, const PacketSinkConfig& config,
             OnPacket on_packet);
  void step(Cycle now) override;
  std::uint64_t packets() const { return packets_; }
  std::uint64_t flits() const { return flits_; }
  /// A packet's head is here and its last flit is not; with an OnPacket only.
  bool takes_packet() const { return static_cast<bool>(arriving_.packet); }
  Cycle head() const { return head_; }  ///< of that packet

 private:
  void end_of_elaboration() override;
  void check(const Packet& packet, Cycle now) const;
  void tell_arrived(Cycle now);

  const NodeId node_;
  const PacketSinkConfig config_;
  const OnPacket on_packet_;
  PacketInIf* in_ = nullptr;
  CounterRandom random_;
  Cycle free_at_ = 0;        ///< a slow receiver empties its FIFO in order
  PacketTransfer arriving_;  ///< its head is here
  Cycle head_ = 0, tail_ = 0;
  std::uint64_t packets_ = 0, flits_ = 0;
};

}  // namespace tsuji::traffic
