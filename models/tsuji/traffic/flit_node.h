// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <systemc>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/link/flit_link.h"
#include "tsuji/traffic/flit_node_state.h"

namespace tsuji::traffic {

/// Processor interface without a network interface's functions: the SystemC port and clock around
/// FlitNodeState.
class FlitNode final : public sc_core::sc_module, public Clocked, public Described {
 public:
  std::string stands_for() const override {
    return "processor interface: a source of packets and their sink";
  }
  /// Bound to one link end, or to two if injection and ejection use different links.
  sc_core::sc_port<FlitEndIf, 2, sc_core::SC_ONE_OR_MORE_BOUND> port;

  FlitNode(sc_core::sc_module_name name, ClockDomain& domain, const FlitNodeState::Parts& parts, End end,
           std::unique_ptr<EmissionSource> source, std::unique_ptr<CongestionControl> control = nullptr);

  /// Runs the state's step(). The clock domain calls the state directly instead (Clocked::hand_steps_to).
  void step(Cycle now) override { state_->step(now); }
  FlitNodeState& state() { return *state_; }
  const FlitNodeState& state() const { return *state_; }

 private:
  void end_of_elaboration() override;

  const ArenaPtr<FlitNodeState> state_;
};

}  // namespace tsuji::traffic
