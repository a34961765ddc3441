// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/station.h"

#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::interconnect {

void Station::post(Cycle at, const MessagePart& message, NodeId to, std::uint32_t order,
                   const DataView& view) {
  outgoing_.push_back({MessageCutter(message, wire_.packet_bytes), at, to, order, view});
}

bool Station::next(traffic::Emission& emission) {
  if (outgoing_.empty() || outgoing_.front().at > now_) return false;
  Outgoing& front = outgoing_.front();
  const MessagePart part = front.parts.next();
  PacketRef reference = part.payload_bytes() == 0 ? pool_->make_bare() : pool_->make();
  Packet& packet = reference.edit();
  part.pack(front.view, packet);
  packet.id = packet_id(node_, serial_++);
  packet.source = node_;
  packet.destination = front.to;
  packet.created = front.at;
  packet.order = front.order;
  packet.sid = part.is_response ? classes_.response : classes_.request;
  packet.flits = static_cast<std::uint16_t>(wire_.flits(part.payload_bytes()));
  emission = {};
  emission.created = packet.created;
  emission.destination = packet.destination;
  emission.flits = packet.flits;
  emission.payload_bytes = packet.payload_bytes;
  emission.sid = packet.sid;
  emission.packet = reference.detach();
  if (!front.parts.more()) outgoing_.pop_front();
  return true;
}

void Station::take(Cycle now, PacketRef packet) {
  const bool is_response = packet->sid == classes_.response;
  StationSide* const side = is_response ? initiator_ : target_;
  if (side == nullptr)
    fail(now, *packet,
         is_response ? "a response arrives at a node without an initiator"
                     : "a request arrives at a node without a target");
  side->take(now, MessagePart::of(*packet, is_response), *packet);
}

void Station::departed(Cycle now, const Packet& packet) {
  const bool is_response = packet.sid == classes_.response;
  const MessagePart part = MessagePart::of(packet, is_response);
  if (part.last) (is_response ? target_ : initiator_)->left(now, packet.destination.node(), part.tag);
}

void Station::dropped(Cycle now, const Packet& packet, const char* cause) {
  fail(now, packet, std::string("the network has dropped it (") + cause + "); its transaction has no answer");
}

void Station::fail(Cycle now, const Packet& packet, const std::string& what) const {
  throw ModelError("interconnect, node " + std::to_string(node_), now, packet_name(packet.id), what);
}

}  // namespace tsuji::interconnect
