// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/grouped/gateway.h"

#include "tsuji/core/error.h"

namespace tsuji::machines {

void GatewayConfig::validate() const {
  if (fifo_packets < 1 || fifo_packets > 8)
    throw ConfigError("gateway.fifo_packets", std::to_string(fifo_packets), "out of range", "1..8");
  if (cycles < 1 || cycles > 1000)
    throw ConfigError("gateway.cycles", std::to_string(cycles), "out of range", "1..1000");
  if (word_flits > 64)
    throw ConfigError("gateway.word_flits", std::to_string(word_flits), "out of range", "0..64");
}

GatewayCounters& GatewayCounters::operator+=(const GatewayCounters& other) {
  from_group += other.from_group;
  to_others += other.to_others;
  from_others += other.from_others;
  to_group += other.to_group;
  copied += other.copied;
  absorbed += other.absorbed;
  released += other.released;
  multicasts += other.multicasts;
  synchronizations += other.synchronizations;
  return *this;
}

Gateway::Gateway(const Parts& parts)
    : config_(parts.config),
      numbers_(parts.numbers),
      group_(parts.group),
      pool_(parts.pool),
      route_(parts.route),
      name_(parts.name),
      barriers_(parts.numbers) {}

void Gateway::begin_out(Cycle now) {
  const PacketTransfer& transfer = out_.held.front().transfer;
  const Packet& packet = *transfer.packet;
  out_.begun = out_.first = true;
  out_.left = 0;
  if (packet.kind == PacketKind::single_cast) {
    if (numbers_.group_of(packet.destination.node()) == group_) refuse(now, packet, "is for its own group");
    return;
  }
  const bool synchronizes = packet.kind == PacketKind::synchronization;
  out_.left = packet.map & ~numbers_.map_of(group_, synchronizes ? 0 : packet.group);
  if (out_.left == 0) refuse(now, packet, "is for its own group");
  ++(synchronizes ? counters_.synchronizations : counters_.multicasts);
  if (synchronizes) join(group_, packet, transfer.hops, now);
}

/// Copies after the first are numbered by the gateway, so that packets between gateways have distinct
/// numbers.
PacketTransfer Gateway::next_out() {
  const PacketTransfer& transfer = out_.held.front().transfer;
  const Packet& own = *transfer.packet;
  PacketRef copy = pool_.clone(own);
  Packet& packet = copy.edit();
  GatewayWord word{own.kind, own.source.node(), 0, own.group, transfer.hops};
  if (own.kind == PacketKind::single_cast) {
    word.destination = own.destination.node();
    packet.destination = numbers_.group_of(word.destination);
  } else {
    const std::uint32_t node_group = own.kind == PacketKind::multicast ? own.group : 0;
    const unsigned group = numbers_.first_group(node_group, out_.left);
    const std::uint64_t members = numbers_.map_of(group, node_group);
    packet.destination = group;
    if (own.kind == PacketKind::multicast) packet.map &= members;
    out_.left &= ~members;
  }
  if (!out_.first) packet.id = packet_id(End::of_router(group_), serial_++);
  out_.first = false;
  packet.kind = PacketKind::single_cast;
  packet.source = group_;
  packet.group = word.encode();
  packet.flits = static_cast<std::uint16_t>(own.flits + config_.word_flits);
  return {std::move(copy), 1, 0};
}

PacketTransfer Gateway::unpacked(const PacketTransfer& transfer) {
  const GatewayWord word = GatewayWord::decode(transfer.packet->group);
  PacketRef copy = pool_.clone(*transfer.packet);
  Packet& packet = copy.edit();
  packet.kind = word.kind;
  packet.packet_class = PacketClass::normal;
  packet.source = word.source;
  packet.destination = word.destination;
  packet.group = word.group;
  packet.hops = 0;
  packet.flits = static_cast<std::uint16_t>(packet.flits - config_.word_flits);
  return {std::move(copy), 0, static_cast<std::uint16_t>(word.hops + transfer.hops)};
}

/// Counts a group at the upper level; with the last one the gateway owes its own group the release.
void Gateway::join(unsigned group, const Packet& packet, unsigned hops, Cycle now) {
  if (!barriers_.arrive(group, packet, now, name_)) return;
  PacketRef release = pool_.clone(packet);
  release.edit().source = End::of_router(group_);
  release.edit().id = packet_id(End::of_router(group_), serial_++);
  ++counters_.released;
  if (probe_ != nullptr) probe_->on_round(packet, now);
  owed_.push_back({std::move(release), 0, static_cast<std::uint16_t>(hops)});
}

std::uint64_t Gateway::flits_held() const {
  std::uint64_t flits = 0;
  for (const Held& held : out_.held) flits += held.transfer.packet->flits;
  for (const Held& held : in_.held) flits += held.transfer.packet->flits;
  for (const PacketTransfer& release : owed_) flits += release.packet->flits;
  return flits;
}

void Gateway::refuse(Cycle now, const Packet& packet, const char* what) const {
  throw ModelError(name_, now, packet_name(packet.id), what);
}

}  // namespace tsuji::machines
