// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/link_bridge.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::traffic {

LinkBridge::LinkBridge(const LinkBridgeConfig& config, PacketInIf& from, PacketOutIf& to, NodeId node,
                       unsigned nodes)
    : config_(config), from_(from), to_(to), node_(node), order_to_(nodes), expected_from_(nodes) {}

void LinkBridge::bind(Clocked& node) {
  from_.bind_receiver(node, 1, config_.fifo_packets, 0);
  to_.bind_sender(node);
}

void LinkBridge::advance(Cycle now) {
  now_ = now;
  event_ = never;
  receive(now);
  forward(now);
}

void LinkBridge::receive(Cycle now) {
  PacketTransfer transfer;
  Cycle arrival = 0;
  while (from_.receive(now, transfer, arrival)) {
    Packet& packet = transfer.packet.edit();
    if (packet.kind != PacketKind::single_cast || packet.destination.number() >= order_to_.size())
      throw ModelError("bridge of node " + std::to_string(node_), now, packet_name(packet.id),
                       "this network carries packets from one node to one other only");
    packet.order = order_to_[packet.destination.node()]++;
    in_fifo_.emplace_back(packet.destination, packet.order);
    outgoing_.push_back(std::move(transfer.packet));
  }
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
  const auto place = std::find(in_fifo_.begin(), in_fifo_.end(), Sent(packet.destination, packet.order));
  if (place == in_fifo_.end()) return;
  in_fifo_.erase(place);
  from_.release(0, now);
}

void LinkBridge::take(Cycle now, PacketRef packet) {
  std::uint32_t& expected = expected_from_[packet->source.node()];
  event_ = now + 1;
  if (packet->order != expected) {
    if (early_.size() >= config_.early_packets)
      throw ModelError(
          "bridge of node " + std::to_string(node_), now, packet_name(packet->id),
          std::to_string(early_.size()) +
              " packets that overtook others wait for them already, as many as nic.early_packets");
    ++packets_early_;
    early_.push_back(std::move(packet));
    return;
  }
  const End source = packet->source;
  ready_.push_back(std::move(packet));
  ++expected;
  const auto is_next = [&](const PacketRef& early) {
    return early->source == source && early->order == expected;
  };
  for (auto at = std::find_if(early_.begin(), early_.end(), is_next); at != early_.end();
       at = std::find_if(early_.begin(), early_.end(), is_next)) {
    ready_.push_back(std::move(*at));
    early_.erase(at);
    ++expected;
  }
}

void LinkBridge::forward(Cycle now) {
  if (ready_.empty()) return;
  if (now < free_at_) {
    event_ = free_at_;
    return;
  }
  if ((to_.room(now) & 1U) == 0) {
    const Cycle at = to_.room_at(0);
    if (at != never) event_ = at;
    to_.watch_room(1);
    return;
  }
  to_.watch_room(0);
  const unsigned hops = ready_.front()->hops;
  free_at_ = now + ready_.front()->flits;
  to_.send(now, {std::move(ready_.front()), 1, static_cast<std::uint16_t>(hops)});
  ready_.pop_front();
  if (!ready_.empty()) event_ = free_at_;
}

std::uint64_t LinkBridge::flits_held() const {
  std::uint64_t flits = 0;
  for (const PacketRef& packet : outgoing_) flits += packet->flits;
  for (const PacketRef& packet : ready_) flits += packet->flits;
  return flits + flits_waiting();
}

std::uint64_t LinkBridge::flits_waiting() const {
  std::uint64_t flits = 0;
  for (const PacketRef& packet : early_) flits += packet->flits;
  return flits;
}

}  // namespace tsuji::traffic
