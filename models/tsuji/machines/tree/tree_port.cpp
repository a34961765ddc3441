// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_port.h"

#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::machines {

struct TreePort::Ports {
  TreePort& port;

  bool room(unsigned branch, Cycle now) const { return (port.channels_[branch].out->room(now) & 1U) != 0; }
  void send(unsigned branch, Cycle now, PacketTransfer&& transfer) const {
    if (port.is_link(branch)) {
      traffic::Emission hop;
      hop.created = now;
      hop.payload_bytes = 0;
      hop.packet_class = PacketClass::control;
      hop.destination = End::of_router(port.tree_.links(port.router_)[branch].neighbour);
      hop.flits = port.flits_between_units(*transfer.packet);
      hop.header = {transfer.packet->id, 0};
      port.outbox_.push_back(hop);
      port.last_hop_ = hop;
      port.sends_ =
          transfer.packet->kind == PacketKind::multicast ? Sends::multicast : Sends::synchronization;
    }
    port.channels_[branch].out->send(now, std::move(transfer));
  }
  void release(unsigned branch, Cycle at) const { port.channels_[branch].in->release(0, at); }
  void wait_room(NodeTree::Branches branches, Cycle now) const {
    for (unsigned branch = 0; branch < port.channels_.size(); ++branch) {
      PacketOutIf& out = *port.channels_[branch].out;
      const bool waits = (branches >> branch & 1U) != 0;
      out.watch_room(waits ? 1 : 0);
      const Cycle at = out.room_at(0);
      if (waits && at != never && at > now) port.self_->wake_at(at);
    }
  }
};

TreePort::TreePort(sc_core::sc_module_name module_name, const TreeUnit::Parts& parts,
                   std::vector<Channels> channels, const traffic::MulticastNumbers& numbers)
    : sc_module(module_name),
      tree_(parts.tree),
      router_(parts.router),
      fifo_packets_(parts.config.fifo_packets),
      channels_(std::move(channels)),
      numbers_(numbers),
      unit_(parts) {}

/// With the numbers that a multicast carries.
std::uint16_t TreePort::flits_between_units(const Packet& packet) const {
  const unsigned numbers = packet.kind == PacketKind::multicast ? numbers_.count(packet.order) : 0;
  return static_cast<std::uint16_t>(packet.flits + numbers);
}

void TreePort::bind(Clocked& node) {
  self_ = &node;
  for (const Channels& one : channels_) {
    one.out->bind_sender(node);
    one.in->bind_receiver(node, 1, fifo_packets_, 0);
  }
}

void TreePort::advance(Cycle now) {
  PacketTransfer transfer;
  Cycle head = 0;
  for (unsigned branch = 0; branch < channels_.size(); ++branch)
    while (!is_link(branch) && channels_[branch].in->receive(now, transfer, head)) {
      const Cycle whole = head + transfer.packet->flits;
      unit_.accept(branch, std::move(transfer), whole, now);
    }
  Ports ports{*this};
  event_ = unit_.step(now, ports);
  if (wave_) show(now);
}

bool TreePort::next(traffic::Emission& emission) {
  if (outbox_.empty()) return false;
  emission = outbox_.front();
  outbox_.pop_front();
  return true;
}

void TreePort::arrived(Cycle now, const Packet& packet) {
  const NodeTree::TreeLink* const link = tree_.link_to(router_, packet.source.router());
  PacketTransfer transfer;
  Cycle head = 0;
  if (link == nullptr || !channels_[tree_.branch_at(router_, *link)].in->receive(now, transfer, head) ||
      transfer.packet->id != packet.header[0])
    throw ModelError(name(), now, packet_name(packet.id), "is no packet that a unit of a neighbour has sent");
  transfer.hops = static_cast<std::uint16_t>(transfer.hops + packet.hops);
  unit_.accept(tree_.branch_at(router_, *link), std::move(transfer), now + 1, now);
  event_ = now + 1;
}

void TreePort::departed(Cycle now, const Packet&) {
  unit_.departed();
  sends_ = Sends::nothing;
  event_ = now + 1;
}

void TreePort::add_wave(observe::Wave& wave) {
  wave_ = std::make_unique<WaveGroup>(wave, self_->domain(), "network.r" + std::to_string(router_) + ".unit");
  wave_->add("sends", 2, observe::WaveFormat::decimal, {"nothing", "multicast", "synchronization"});
  wave_->add("to_router", 32, observe::WaveFormat::decimal);
  wave_->add("packet_id", 64, observe::WaveFormat::hex);
  wave_->add("held", 16, observe::WaveFormat::decimal);
  wave_->add("barriers", 8, observe::WaveFormat::decimal);
}

void TreePort::show(Cycle now) {
  wave_->show(now, Signal::sends, static_cast<std::uint64_t>(sends_));
  if (sends_ != Sends::nothing) {
    wave_->show(now, Signal::to_router, last_hop_.destination.router());
    wave_->show(now, Signal::packet_id, last_hop_.header[0]);
  }
  wave_->show(now, Signal::held, unit_.packets_held());
  wave_->show(now, Signal::barriers, unit_.barriers_open());
}

}  // namespace tsuji::machines
