// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/core/packet.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/traffic/checked_source.h"

namespace tsuji::traffic {

/// Where a node's packets go first: the port bits for the switch that it is cabled to.
using FirstPorts = std::function<std::uint32_t(const Packet&)>;
/// Sees a packet of the node in the cycle of its birth.
using OnBorn = std::function<void(NodeId, const Emission&)>;

/// Sends one node's packets in order, from a source queue without bound: one is on the wires at a time, and
/// leaves when its FIFOs have room. `nodes`: of the network. Nothing runs between a birth and a departure.
class PacketInjector final : public sc_core::sc_module, public Clocked, public Described {
 public:
  std::string stands_for() const override {
    return "a node's source of packets, without a network interface";
  }
  sc_core::sc_port<PacketOutIf> out;

  PacketInjector(sc_core::sc_module_name name, ClockDomain& domain, PacketPool& pool, NodeId node,
                 unsigned nodes, std::unique_ptr<EmissionSource> source, FirstPorts first_ports,
                 OnBorn on_born = {});

  void step(Cycle now) override;
  /// A packet's last flit arrives at the node in cycle `now`.
  void arrived(Cycle now, const Packet& packet);
  std::uint64_t packets_born() const { return born_; }
  /// Born, and not made yet: the queue without its head.
  std::uint64_t packets_queued() const { return queued_ - (next_ ? 1 : 0); }
  std::uint64_t flits_born() const { return flits_born_; }
  std::uint64_t packets_waiting() const { return queued_; }
  std::uint64_t packets_sent() const { return sent_; }
  bool finished() const { return !more_ && queued_ == 0; }

 private:
  void end_of_elaboration() override;
  void take_births(Cycle now);
  void enqueue(const Emission& emission);
  PacketRef make(const Emission& emission);

  PacketPool& pool_;
  const NodeId node_;
  CheckedSource source_;
  const FirstPorts first_ports_;
  const OnBorn on_born_;  ///< may be empty
  PacketOutIf* out_ = nullptr;
  Emission upcoming_;
  bool more_ = false;
  std::vector<Emission> queue_;  ///< a ring that grows when a saturated source needs it
  std::size_t head_ = 0, queued_ = 0;
  PacketRef next_;  ///< the queue's head as a packet
  std::uint32_t next_ports_ = 0;
  Cycle free_at_ = 0;
  std::uint32_t serial_ = 0;
  std::uint64_t born_ = 0, flits_born_ = 0, sent_ = 0;
};

}  // namespace tsuji::traffic
