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

/// The ports and the time around a switch of any kind. A packet that the kind cannot take is a ModelError.
class SwitchModule final : public sc_core::sc_module, public Clocked, public Described {
 public:
  /// The switch's own words, or the name of its kind.
  std::string stands_for() const override {
    const std::string own = switch_->stands_for();
    return own.empty() ? kind_.name : own;
  }
  void add_parts(PartList& parts) const override { switch_->add_parts(parts); }

  sc_core::sc_vector<sc_core::sc_port<PacketInIf>> in;
  sc_core::sc_vector<sc_core::sc_port<PacketOutIf>> out;

  /// `kind` outlives the module.
  SwitchModule(sc_core::sc_module_name name, ClockDomain& domain, const SwitchKind& kind,
               const SwitchPlace& place, unsigned ports, graph::SwitchRoute route);
  ~SwitchModule() override;

  /// The switch's own, without the way through here (Clocked::hand_steps_to).
  void step(Cycle now) override { switch_->step(now); }
  unsigned ports() const { return static_cast<unsigned>(in.size()); }
  /// From the end of elaboration on.
  PacketSwitch& packet_switch() { return *switch_; }
  const PacketSwitch& packet_switch() const { return *switch_; }
  /// After elaboration, before the first cycle. ModelError where the kind does not tell its synchronizations.
  /// A switch has one, so a further one calls the one before it.
  void set_sync_probe(SyncProbe* probe);
  SyncProbe* sync_probe() const { return sync_probe_; }

 private:
  class Gate;
  void end_of_elaboration() override;

  const SwitchKind& kind_;
  const SwitchPlace place_;
  const graph::SwitchRoute route_;
  std::vector<std::unique_ptr<Gate>> gates_;  ///< of the inputs, where the kind takes some packets only
  std::unique_ptr<PacketSwitch> switch_;
  SyncProbe* sync_probe_ = nullptr;
};

}  // namespace tsuji::crosspoint
