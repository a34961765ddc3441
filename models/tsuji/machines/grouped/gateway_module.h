// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/machines/grouped/gateway.h"

namespace tsuji::machines {

/// SystemC module of a gateway: ports and timing.
class GatewayModule final : public sc_core::sc_module, public Clocked, public Described {
 public:
  std::string stands_for() const override {
    return "gateway of a group of nodes to the other groups; in no paper";
  }
  sc_core::sc_port<PacketInIf> from_group, from_others;
  sc_core::sc_port<PacketOutIf> to_group, to_others;

  /// `config` and `pool` outlive the module.
  GatewayModule(sc_core::sc_module_name name, ClockDomain& domain, const GatewayConfig& config,
                GroupNumbers numbers, unsigned group, PacketPool& pool, const graph::Multistage& topology);

  void step(Cycle now) override;
  const Gateway& gateway() const { return gateway_; }
  const GatewayConfig& config() const { return config_; }
  void set_probe(GatewayProbe* probe) { gateway_.set_probe(probe); }

 private:
  struct Ports;
  void end_of_elaboration() override;

  const GatewayConfig& config_;
  const graph::FirstRoute route_;
  Gateway gateway_;
  PacketInIf* in_[2] = {};  ///< [GatewaySide]: channel into the gateway
  PacketOutIf* out_[2] = {};
};

}  // namespace tsuji::machines
