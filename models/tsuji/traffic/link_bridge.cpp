// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/link_bridge.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::traffic {

LinkBridge::LinkBridge(const LinkBridgeConfig& config, PacketInIf& from, PacketOutIf& to, NodeId node,
                       unsigned nodes, const BridgeUnit& unit)
    : config_(config),
      from_(from),
      to_(to),
      unit_(unit),
      node_(node),
      order_to_(nodes),
      expected_from_(nodes),
      usual_to_(unit.to == nullptr ? 0 : nodes),
      usual_from_(usual_to_.size()) {}

void LinkBridge::bind(Clocked& node) {
  from_.bind_receiver(node, unit_.to == nullptr ? 1 : 2, config_.fifo_packets, 0);
  to_.bind_sender(node);
  if (unit_.to == nullptr) return;
  unit_.to->bind_sender(node);
  unit_.from->bind_receiver(node, 1, config_.ready_packets, 0);
}

void LinkBridge::advance(Cycle now) {
  now_ = now;
  event_ = never;
  receive(now);
  if (unit_.to != nullptr) {
    receive_from_unit(now);
    forward_to_unit(now);
  }
  forward(now);
}

void LinkBridge::receive(Cycle now) {
  PacketTransfer transfer;
  Cycle arrival = 0;
  while (from_.receive(now, transfer, arrival)) {
    Packet& packet = transfer.packet.edit();
    if (packet.kind != PacketKind::single_cast && unit_.to != nullptr) {
      if (packet.kind == PacketKind::multicast) number_multicast(packet, now);
      to_unit_.push_back(std::move(transfer.packet));
      continue;
    }
    if (packet.kind != PacketKind::single_cast || packet.destination.number() >= order_to_.size())
      throw ModelError("bridge of node " + std::to_string(node_), now, packet_name(packet.id),
                       "this network carries packets from one node to one other only");
    packet.order = order_to_[packet.destination.node()]++;
    if (unit_.to != nullptr) packet.group = packet.order;
    in_fifo_.emplace_back(packet.destination, packet.order);
    outgoing_.push_back(std::move(transfer.packet));
  }
}

void LinkBridge::number_multicast(Packet& packet, Cycle now) {
  constexpr unsigned map_nodes = 64;
  std::vector<MulticastNumbers::Number> numbers;
  for (std::uint64_t left = packet.map; left != 0; left &= left - 1) {
    const NodeId member = map_nodes * packet.group + static_cast<unsigned>(__builtin_ctzll(left));
    if (member >= order_to_.size())
      throw ModelError("bridge of node " + std::to_string(node_), now, packet_name(packet.id),
                       "its map names node " + std::to_string(member) + ", and the last node is " +
                           std::to_string(order_to_.size() - 1));
    const std::uint32_t place = order_to_[member]++;
    if (place != usual_to_[member]) numbers.emplace_back(member, place);
    usual_to_[member] = place + 1;
  }
  const unsigned readers = static_cast<unsigned>(__builtin_popcountll(packet.map)) + (unit_.keeps ? 1 : 0);
  packet.order = unit_.numbers->add(std::move(numbers), readers);
}

void LinkBridge::receive_from_unit(Cycle now) {
  PacketTransfer transfer;
  Cycle arrival = 0;
  while (unit_.from->receive(now, transfer, arrival)) {
    Incoming packet{std::move(transfer.packet), 0, transfer.hops, true};
    if (packet.packet->kind == PacketKind::synchronization) {
      make_ready(std::move(packet));
      continue;
    }
    std::uint32_t& usual = usual_from_[packet.packet->source.node()];
    packet.place = unit_.numbers->read(packet.packet->order, node_, usual);
    usual = packet.place + 1;
    come(std::move(packet), now);
  }
}

void LinkBridge::forward_to_unit(Cycle now) {
  if (to_unit_.empty()) return;
  if (now < unit_free_at_) return look_again_at(unit_free_at_);
  if ((unit_.to->room(now) & 1U) == 0) {
    look_again_at(unit_.to->room_at(0));
    return unit_.to->watch_room(1);
  }
  unit_.to->watch_room(0);
  const Packet& packet = *to_unit_.front();
  unit_free_at_ = now + packet.flits;
  from_.release(packet.kind == PacketKind::multicast ? usual_fifo : synchronization_fifo, unit_free_at_);
  unit_.to->send(now, {std::move(to_unit_.front()), 1, 0});
  to_unit_.pop_front();
  if (!to_unit_.empty()) look_again_at(unit_free_at_);
}

bool LinkBridge::next(Emission& emission) {
  if (outgoing_.empty()) return false;
  PacketRef packet = std::move(outgoing_.front());
  outgoing_.pop_front();
  emission = Emission{};
  emission.created = now_;
  emission.flits = packet->flits;
  emission.payload_bytes = packet->payload_bytes;
  emission.destination = packet->destination;
  emission.packet = packet.detach();
  return true;
}

void LinkBridge::departed(Cycle now, const Packet& packet) {
  leave_fifo(now, packet);
}

void LinkBridge::dropped(Cycle now, const Packet& packet, const char*) {
  leave_fifo(now, packet);
}

void LinkBridge::leave_fifo(Cycle now, const Packet& packet) {
  const auto place = std::find(in_fifo_.begin(), in_fifo_.end(), Sent(packet.destination, place_of(packet)));
  if (place == in_fifo_.end()) return;
  in_fifo_.erase(place);
  from_.release(usual_fifo, now);
}

void LinkBridge::take(Cycle now, PacketRef packet) {
  event_ = now + 1;
  const Packet& own = *packet;
  come({std::move(packet), place_of(own), own.hops, false}, now);
}

/// A packet waits for those of its source that were sent before it.
void LinkBridge::come(Incoming&& packet, Cycle now) {
  const End source = packet.packet->source;
  std::uint32_t& expected = expected_from_[source.node()];
  if (packet.place != expected) {
    if (early_.size() >= config_.early_packets)
      throw ModelError(
          "bridge of node " + std::to_string(node_), now, packet_name(packet.packet->id),
          std::to_string(early_.size()) +
              " packets already wait for those that they overtook, as many as nic.early_packets");
    ++packets_early_;
    if (packet.of_unit) unit_.from->release(0, now + packet.packet->flits);
    packet.of_unit = false;
    early_.push_back(std::move(packet));
    return;
  }
  make_ready(std::move(packet));
  ++expected;
  const auto is_next = [&](const Incoming& early) {
    return early.packet->source == source && early.place == expected;
  };
  for (auto at = std::find_if(early_.begin(), early_.end(), is_next); at != early_.end();
       at = std::find_if(early_.begin(), early_.end(), is_next)) {
    make_ready(std::move(*at));
    early_.erase(at);
    ++expected;
  }
}

void LinkBridge::make_ready(Incoming&& packet) {
  if (!packet.of_unit) ++ready_of_network_;
  ready_.push_back(std::move(packet));
}

void LinkBridge::forward(Cycle now) {
  if (ready_.empty()) return;
  if (now < free_at_) return look_again_at(free_at_);
  if ((to_.room(now) & 1U) == 0) {
    look_again_at(to_.room_at(0));
    return to_.watch_room(1);
  }
  to_.watch_room(0);
  Incoming& front = ready_.front();
  free_at_ = now + front.packet->flits;
  if (front.of_unit)
    unit_.from->release(0, free_at_);
  else
    --ready_of_network_;
  to_.send(now, {std::move(front.packet), 1, front.hops});
  ready_.pop_front();
  if (!ready_.empty()) look_again_at(free_at_);
}

std::uint64_t LinkBridge::flits_held() const {
  std::uint64_t flits = 0;
  for (const PacketRef& packet : outgoing_) flits += packet->flits;
  for (const PacketRef& packet : to_unit_) flits += packet->flits;
  for (const Incoming& packet : ready_) flits += packet.packet->flits;
  return flits + flits_waiting();
}

std::uint64_t LinkBridge::flits_waiting() const {
  std::uint64_t flits = 0;
  for (const Incoming& packet : early_) flits += packet.packet->flits;
  return flits;
}

}  // namespace tsuji::traffic
