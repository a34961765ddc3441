// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/packet.h"

#include <algorithm>

namespace tsuji {

std::string packet_name(PacketId id) {
  return packet_source(id).name() + "." + std::to_string(id & 0xffffffffU);
}

Packet* PacketPool::take() {
  if (free_.empty()) {
    chunks_.push_back(std::make_unique<Chunk>());
    free_.reserve(chunks_.size() * chunk_packets);
    auto index = static_cast<PacketIndex>(chunks_.size() * chunk_packets);
    auto& packets = chunks_.back()->packets;
    for (auto packet = packets.rbegin(); packet != packets.rend(); ++packet) {
      packet->pool_ = this;
      packet->index_ = --index;
      free_.push_back(&*packet);
    }
  }
  Packet* packet = free_.back();
  free_.pop_back();
  ++in_use_;
  return packet;
}

PacketRef PacketPool::make() {
  PacketRef reference = make_bare();
  Packet& packet = reference.edit();
  if (packet.payload.bytes_ != nullptr) return reference;
  Chunk& chunk = *chunks_[packet.index_ / chunk_packets];
  chunk.payloads.reset(new std::byte[chunk_packets * Packet::max_payload_bytes]);
  for (std::size_t p = 0; p < chunk_packets; ++p)
    chunk.packets[p].payload.bytes_ = chunk.payloads.get() + p * Packet::max_payload_bytes;
  return reference;
}

PacketRef PacketPool::make_bare() {
  Packet* packet = take();
  packet->id = 0;
  packet->created = packet->injected = 0;
  packet->map = 0;
  packet->header = {};
  packet->source = packet->destination = {};
  packet->group = 0;
  packet->kind = PacketKind::single_cast;
  packet->packet_class = PacketClass::normal;
  packet->sid = 0;
  packet->flits = packet->payload_bytes = packet->hops = 0;
  packet->order = packet->oldest = 0;
  packet->decision = 0;
  packet->acknowledges = false;
  FlitSpelling& spelling = packet->spelling;
  spelling.header_flits = spelling.word_flits = spelling.error_count = 0;
  return PacketRef(packet);
}

PacketRef PacketPool::clone(const Packet& from) {
  PacketRef copy = make();
  Packet& to = copy.edit();
  to.id = from.id;
  to.created = from.created;
  to.injected = from.injected;
  to.map = from.map;
  to.header = from.header;
  to.source = from.source;
  to.destination = from.destination;
  to.group = from.group;
  to.kind = from.kind;
  to.packet_class = from.packet_class;
  to.sid = from.sid;
  to.spelling = from.spelling;
  to.flits = from.flits;
  to.payload_bytes = from.payload_bytes;
  to.hops = from.hops;
  to.decision = from.decision;
  to.order = from.order;
  to.oldest = from.oldest;
  to.acknowledges = from.acknowledges;
  to.tables = from.tables;
  std::copy_n(from.payload.data(), from.payload_bytes, to.payload.data());
  return copy;
}

}  // namespace tsuji
