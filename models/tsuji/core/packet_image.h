// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tsuji/core/packet.h"

namespace tsuji {

/// Fields of a packet in a flit network, without its payload and its place in a pool: what another process
/// needs to route, deliver and count it.
struct PacketImage {
  PacketImage() = default;
  /// The fields of `packet`.
  explicit PacketImage(const Packet& packet)
      : id(packet.id),
        created(packet.created),
        injected(packet.injected),
        header(packet.header),
        source(packet.source),
        destination(packet.destination),
        group(packet.group),
        order(packet.order),
        tables(packet.tables),
        oldest(packet.oldest),
        flits(packet.flits),
        hops(packet.hops),
        payload_bytes(packet.payload_bytes),
        decision(packet.decision),
        kind(packet.kind),
        packet_class(packet.packet_class),
        sid(packet.sid),
        acknowledges(packet.acknowledges),
        marked(packet.marked) {}
  /// Sets the fields of `packet`.
  void copy_to(Packet& packet) const {
    packet.id = id;
    packet.created = created;
    packet.injected = injected;
    packet.header = header;
    packet.source = source;
    packet.destination = destination;
    packet.group = group;
    packet.order = order;
    packet.tables = tables;
    packet.oldest = oldest;
    packet.flits = flits;
    packet.hops = hops;
    packet.payload_bytes = payload_bytes;
    packet.decision = decision;
    packet.kind = kind;
    packet.packet_class = packet_class;
    packet.sid = sid;
    packet.acknowledges = acknowledges;
    packet.marked = marked;
  }

  PacketId id = 0;                                 ///< Packet::id
  Cycle created = 0;                               ///< Packet::created
  Cycle injected = 0;                              ///< Packet::injected
  std::array<std::uint64_t, 2> header{};           ///< Packet::header
  End source;                                      ///< Packet::source
  End destination;                                 ///< Packet::destination
  std::uint32_t group = 0;                         ///< Packet::group
  std::uint32_t order = 0;                         ///< Packet::order
  std::uint32_t tables = 0;                        ///< Packet::tables
  std::uint32_t oldest = 0;                        ///< Packet::oldest
  std::uint16_t flits = 0;                         ///< Packet::flits
  std::uint16_t hops = 0;                          ///< Packet::hops
  std::uint16_t payload_bytes = 0;                 ///< Packet::payload_bytes
  std::uint16_t decision = 0;                      ///< Packet::decision
  PacketKind kind = PacketKind::single_cast;       ///< Packet::kind
  PacketClass packet_class = PacketClass::normal;  ///< Packet::packet_class
  std::uint8_t sid = 0;                            ///< Packet::sid
  bool acknowledges = false;                       ///< Packet::acknowledges
  bool marked = false;                             ///< Packet::marked
};

}  // namespace tsuji
