// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_port.h"

#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::machines {

namespace {

/// Flits of a confirmation: port flit, source and tree, number.
constexpr std::uint16_t confirmation_flits = 3;

// A packet between two units names its contents, or the source of a confirmed multicast, in the first header
// word; the second one has the tree, the number or round, and whether it is a confirmation.
constexpr std::uint64_t is_confirmation = std::uint64_t{1} << 32;
std::uint64_t number_of(std::uint32_t tree, std::uint64_t number) {
  return std::uint64_t{tree} << 33 | number;
}

}  // namespace

struct TreePort::Ports {
  TreePort& port;

  bool room(unsigned branch, Cycle now) const { return (port.channels_[branch].out->room(now) & 1U) != 0; }
  void send(unsigned branch, Cycle now, PacketTransfer&& transfer, std::uint32_t number) const {
    const Packet& packet = *transfer.packet;
    const Sends what = packet.kind == PacketKind::multicast ? Sends::multicast : Sends::synchronization;
    if (port.is_link(branch)) {
      port.last_hop_.flits = port.flits_between_units(packet);
      port.leave(branch, now, what, packet.id, number);
    }
    if (port.probe_ != nullptr) port.probe_->on_send(port.router_, port.neighbour(branch), packet, now);
    port.channels_[branch].out->send(now, std::move(transfer));
  }
  void confirm(unsigned branch, Cycle now, const MulticastName& multicast) const {
    port.last_hop_.flits = confirmation_flits;
    port.leave(branch, now, Sends::confirmation, multicast.source, is_confirmation | multicast.number);
  }
  void confirmed(const Packet& packet) const { port.numbers_.read(packet.order, packet.source.node(), 0); }
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

void TreePort::leave(unsigned branch, Cycle now, Sends what, std::uint64_t name, std::uint64_t number) {
  last_hop_.created = now;
  last_hop_.payload_bytes = 0;
  last_hop_.packet_class = PacketClass::control;
  last_hop_.destination = End::of_router(tree_.links(router_)[branch].neighbour);
  last_hop_.header = {name, number_of(unit_.tree_number(), number)};
  outbox_.push_back(last_hop_);
  sends_ = what;
}

TreePort::TreePort(sc_core::sc_module_name module_name, const TreeUnit::Parts& parts,
                   std::vector<Channels> channels, std::vector<Channels> all,
                   traffic::MulticastNumbers& numbers)
    : sc_module(module_name),
      tree_(parts.tree),
      router_(parts.router),
      fifo_packets_(parts.config.fifo_packets),
      channels_(std::move(channels)),
      all_channels_(std::move(all)),
      numbers_(numbers),
      unit_(parts) {}

/// Length of a packet between units, including the numbers that a multicast carries for members, its own
/// number, and the number of the tree if the tree changes.
std::uint16_t TreePort::flits_between_units(const Packet& packet) const {
  unsigned numbers = packet.kind == PacketKind::multicast ? numbers_.count(packet.order) : 0;
  if (unit_.changes()) ++numbers;
  return static_cast<std::uint16_t>(packet.flits + numbers);
}

End TreePort::neighbour(unsigned branch) const {
  const std::size_t links = tree_.links(router_).size();
  if (branch < links) return End::of_router(tree_.links(router_)[branch].neighbour);
  return tree_.nodes(router_)[branch - links];
}

void TreePort::bind(Clocked& node) {
  self_ = &node;
  for (const Channels& one : all_channels_) {
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
      if (probe_ != nullptr) probe_->on_take(router_, neighbour(branch), *transfer.packet, head);
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

/// A packet of an earlier tree, or over a link that has died since, is late: its neighbour has gone on
/// without it.
void TreePort::arrived(Cycle now, const Packet& packet) {
  event_ = now + 1;
  const NodeTree::TreeLink* const link = tree_.link_to(router_, packet.source.router());
  const unsigned branch = link == nullptr ? 0 : tree_.branch_at(router_, *link);
  const std::uint64_t number = packet.header[1] - number_of(unit_.tree_number(), 0);
  const bool of_this_tree = number < number_of(1, 0);
  if (unit_.changes() && (!of_this_tree || (link != nullptr && unit_.is_dead(branch))))
    return unit_.come_late();
  const auto low = static_cast<std::uint32_t>(number);
  if (link != nullptr && unit_.changes() && (number & is_confirmation) != 0)
    return unit_.accept_confirmation(branch, {static_cast<NodeId>(packet.header[0]), low}, now + 1);
  PacketTransfer transfer;
  Cycle head = 0;
  if (link == nullptr || !channels_[branch].in->receive(now, transfer, head) ||
      transfer.packet->id != packet.header[0])
    throw ModelError(name(), now, packet_name(packet.id), "is no packet that a unit of a neighbour has sent");
  transfer.hops = static_cast<std::uint16_t>(transfer.hops + packet.hops);
  if (probe_ != nullptr) probe_->on_take(router_, packet.source, *transfer.packet, now);
  unit_.accept(branch, std::move(transfer), now + 1, now, unit_.changes() ? low : 0);
}

void TreePort::departed(Cycle now, const Packet&) {
  left(now);
}

/// The packet that leaves, or one that has left: packets have numbers in their order.
void TreePort::dropped(Cycle now, const Packet& packet, const char*) {
  if (static_cast<std::uint32_t>(packet.id) == hops_left_) left(now);
}

void TreePort::left(Cycle now) {
  ++hops_left_;
  unit_.departed();
  sends_ = Sends::nothing;
  event_ = now + 1;
}

void TreePort::change(Cycle now, std::vector<Channels> channels) {
  for (const Channels& one : channels_) one.out->watch_room(0);
  channels_ = std::move(channels);
  unit_.change();
  event_ = now;
  self_->wake_at(now);
}

void TreePort::add_wave(observe::Wave& wave) {
  wave_ = std::make_unique<WaveGroup>(wave, self_->domain(), "network.r" + std::to_string(router_) + ".unit");
  std::vector<std::string> sent = {"nothing", "multicast", "synchronization"};
  if (unit_.changes()) sent.emplace_back("confirmation");
  wave_->add("sends", 2, observe::WaveFormat::decimal, std::move(sent));
  wave_->add("to_router", 32, observe::WaveFormat::decimal);
  wave_->add("packet_id", 64, observe::WaveFormat::hex);
  wave_->add("held", 16, observe::WaveFormat::decimal);
  wave_->add("barriers", 8, observe::WaveFormat::decimal);
  if (!unit_.changes()) return;
  wave_->add("tree", 16, observe::WaveFormat::decimal);
  wave_->add("kept", 16, observe::WaveFormat::decimal);
}

void TreePort::show(Cycle now) {
  wave_->show(now, Signal::sends, static_cast<std::uint64_t>(sends_));
  if (sends_ != Sends::nothing) {
    wave_->show(now, Signal::to_router, last_hop_.destination.router());
    wave_->show(now, Signal::packet_id, last_hop_.header[0]);
  }
  wave_->show(now, Signal::held, unit_.packets_held());
  wave_->show(now, Signal::barriers, unit_.barriers_open());
  if (!unit_.changes()) return;
  wave_->show(now, Signal::tree, unit_.tree_number());
  wave_->show(now, Signal::kept, unit_.packets_kept());
}

}  // namespace tsuji::machines
