// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/router_packets.h"

#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::network {

RouterPacketAccounts::RouterPacketAccounts(PacketPool& pool, unsigned routers, Hooks hooks)
    : pool_(pool), hooks_(std::move(hooks)), ledger_(routers, "packets of routers"), serials_(routers) {}

PacketIndex RouterPacketAccounts::begin(graph::RouterId from, graph::RouterId to, unsigned flits, Cycle now) {
  PacketRef reference = pool_.make_bare();
  Packet& packet = reference.edit();
  packet.source = End::of_router(from);
  packet.destination = End::of_router(to);
  packet.id = packet_id(packet.source, serials_[from]++);
  packet.flits = static_cast<std::uint16_t>(flits);
  packet.packet_class = PacketClass::control;
  packet.created = packet.injected = now;
  ledger_.born(from, now);
  ++born_;
  flits_made_ += flits;
  hooks_.born();
  return reference.detach();
}

void RouterPacketAccounts::end(graph::RouterId at, PacketIndex index, Cycle head, Cycle now) {
  const Packet& packet = pool_.at(index);
  if (packet.destination != End::of_router(at))
    throw ModelError("router " + std::to_string(at), now, packet_name(packet.id),
                     "ends here and is for " + packet.destination.name());
  const PacketRef last = pool_.attach(index);
  flits_ended_ += packet.flits;
  on_delivered(packet, head, now);
}

void RouterPacketAccounts::on_born(End source, const traffic::Emission& emission, Cycle /*now*/) {
  ledger_.born(source.router(), emission.created);
  ++born_;
  hooks_.born();
}

void RouterPacketAccounts::on_delivered(const Packet& packet, Cycle head, Cycle tail) {
  take(packet, tail);
  ++ended_;
  if (hooks_.ended) hooks_.ended(observe::DeliveredPacket::of(packet, head, tail));
}

void RouterPacketAccounts::take(const Packet& packet, Cycle now) {
  if (!packet.source.is_router())
    throw ModelError("packets of routers", now, packet_name(packet.id), "was not born at a router");
  if (ledger_.take(packet.id, packet.source.router(), now) != packet.created)
    throw ModelError("packets of routers", now, packet_name(packet.id), "was born in another cycle");
}

void RouterPacketAccounts::check(const router::RouterCounters& counters, Cycle now) const {
  if (counters.flits_born == flits_made_ && counters.flits_ended >= flits_ended_) return;
  throw ModelError("packets of routers", now, "",
                   "routers count " + std::to_string(counters.flits_born) + " flits born and " +
                       std::to_string(counters.flits_ended) + " ended; their packets have " +
                       std::to_string(flits_made_) + " and " + std::to_string(flits_ended_));
}

}  // namespace tsuji::network
