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

/// Port bits of a packet at the switch that its node is connected to.
using FirstPorts = std::function<std::uint32_t(const Packet&)>;
/// Called in the cycle of a packet's birth.
using OnBorn = std::function<void(NodeId, const Emission&)>;

/// Sends the packets of one node in order, from an unbounded source queue. One packet at a time is on the
/// link; it leaves when the FIFOs that it goes to have room. `nodes` is the size of the network. The module
/// does not run between a birth and a departure.
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
  /// Reports that a packet's last flit arrives at the node in cycle `now`.
  void arrived(Cycle now, const Packet& packet);
  std::uint64_t packets_born() const { return born_; }
  /// Packets that are born, without the one at the head of the queue, which has been made.
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
  const OnBorn on_born_;  ///< May be empty.
  PacketOutIf* out_ = nullptr;
  Emission upcoming_;
  bool more_ = false;
  std::vector<Emission> queue_;  ///< Ring buffer that grows if a saturated source needs it.
  std::size_t head_ = 0, queued_ = 0;
  PacketRef next_;  ///< Packet at the head of the queue.
  std::uint32_t next_ports_ = 0;
  Cycle free_at_ = 0;
  std::uint32_t serial_ = 0;
  std::uint64_t born_ = 0, flits_born_ = 0, sent_ = 0;
};

}  // namespace tsuji::traffic
