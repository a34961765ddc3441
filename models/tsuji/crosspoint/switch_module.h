// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/crosspoint/packet_switch.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/link/packet_link.h"

namespace tsuji::crosspoint {

/// SystemC module around a switch of any kind: ports and timing. ModelError for a packet of a kind that the
/// switch does not accept.
class SwitchModule final : public sc_core::sc_module, public Clocked, public Described {
 public:
  /// The switch's stands_for(), or the name of its kind.
  std::string stands_for() const override {
    const std::string own = switch_->stands_for();
    return own.empty() ? kind_.name : own;
  }
  /// Adds the parts of the switch.
  void add_parts(PartList& parts) const override { switch_->add_parts(parts); }

  /// Input ports, by port number; each is bound to a channel before elaboration ends.
  sc_core::sc_vector<sc_core::sc_port<PacketInIf>> in;
  /// Output ports, by port number; each is bound to a channel before elaboration ends.
  sc_core::sc_vector<sc_core::sc_port<PacketOutIf>> out;

  /// `kind` outlives the module.
  SwitchModule(sc_core::sc_module_name name, ClockDomain& domain, const SwitchKind& kind,
               const SwitchPlace& place, unsigned ports, graph::SwitchRoute route);
  /// Ends the switch.
  ~SwitchModule() override;

  /// Only for the interface: the clock calls the switch's step() directly (Clocked::hand_steps_to).
  void step(Cycle now) override { switch_->step(now); }
  /// Number of input ports, which equals that of output ports.
  unsigned ports() const { return static_cast<unsigned>(in.size()); }
  /// The switch exists after elaboration.
  PacketSwitch& packet_switch() { return *switch_; }
  /// The switch; it exists after elaboration.
  const PacketSwitch& packet_switch() const { return *switch_; }
  /// Sets the observer of synchronizations, after elaboration and before the first cycle. A switch has one; a
  /// second one calls the one before it. ModelError if the kind does not report synchronizations.
  void set_sync_probe(SyncProbe* probe);
  /// Sets the pool of packets that the switch makes, before the end of elaboration; it outlives the packets.
  void set_pool(PacketPool& pool) { pool_ = &pool; }
  /// Observer of synchronizations; null: none.
  SyncProbe* sync_probe() const { return sync_probe_; }

 private:
  class Gate;
  void end_of_elaboration() override;

  const SwitchKind& kind_;
  const SwitchPlace place_;
  const graph::SwitchRoute route_;
  std::vector<std::unique_ptr<Gate>> gates_;  ///< [input]; empty if the switch accepts packets of all kinds
  std::unique_ptr<PacketSwitch> switch_;
  SyncProbe* sync_probe_ = nullptr;
  PacketPool* pool_ = nullptr;
};

}  // namespace tsuji::crosspoint
