// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/grouped/gateway_module.h"

#include <utility>

namespace tsuji::machines {

struct GatewayModule::Ports {
  GatewayModule& module;

  bool receive(GatewaySide from, Cycle now, PacketTransfer& transfer, Cycle& arrival) const {
    return in(from).receive(now, transfer, arrival);
  }
  std::uint32_t room(GatewaySide to, Cycle now) const { return out(to).room(now); }
  void send(GatewaySide to, Cycle now, PacketTransfer&& transfer) const {
    out(to).watch_room(0);
    out(to).send(now, std::move(transfer));
  }
  void release(GatewaySide from, Cycle at) const { in(from).release(0, at); }
  void wait_room(GatewaySide to, Cycle now, std::uint32_t fifos) const {
    out(to).watch_room(fifos);
    for (std::uint32_t left = fifos; left != 0; left &= left - 1) {
      const Cycle at = out(to).room_at(static_cast<unsigned>(__builtin_ctz(left)));
      if (at != never && at > now) module.wake_at(at);
    }
  }

 private:
  PacketInIf& in(GatewaySide side) const { return *module.in_[static_cast<unsigned>(side)]; }
  PacketOutIf& out(GatewaySide side) const { return *module.out_[static_cast<unsigned>(side)]; }
};

GatewayModule::GatewayModule(sc_core::sc_module_name module_name, ClockDomain& domain,
                             const GatewayConfig& config, GroupNumbers numbers, unsigned group,
                             PacketPool& pool, const graph::Multistage& topology)
    : sc_module(module_name),
      Clocked(domain),
      from_group("from_group"),
      from_others("from_others"),
      to_group("to_group"),
      to_others("to_others"),
      config_(config),
      route_(topology, topology.gateway_line()),
      gateway_({config, numbers, group, pool, route_, name()}) {}

void GatewayModule::end_of_elaboration() {
  in_[static_cast<unsigned>(GatewaySide::group)] = from_group.operator->();
  in_[static_cast<unsigned>(GatewaySide::others)] = from_others.operator->();
  out_[static_cast<unsigned>(GatewaySide::group)] = to_group.operator->();
  out_[static_cast<unsigned>(GatewaySide::others)] = to_others.operator->();
  for (PacketInIf* const channel : in_)
    channel->bind_receiver(*this, 1, config_.fifo_packets, config_.cycles);
  for (PacketOutIf* const channel : out_) channel->bind_sender(*this);
}

void GatewayModule::step(Cycle now) {
  Ports ports{*this};
  const Cycle next = gateway_.step(now, ports);
  if (next != never) wake_at(next);
}

}  // namespace tsuji::machines
