// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/sender/packet_builder.h"

#include <cstring>

#include "tsuji/core/flit.h"

namespace tsuji::nic {
namespace {

/// Address word of a parcel's packets, without the offset.
std::uint64_t first_address(const ParcelHeader& header) {
  if (is_message(header.protocol)) return 0;
  return is_request(header.protocol) ? header.source : header.destination;
}

/// A packet without data from memory is a complete parcel, or the end of a refused reply.
PacketCut cut_whole(const ParcelState& parcel) {
  PacketCut cut;
  const ParcelHeader& header = parcel.header;
  if (!parcel.refused)
    cut.bytes = static_cast<std::uint16_t>(is_request(header.protocol) ? RequestBody::bytes(header.protocol)
                                                                       : header.length);
  cut.first = parcel.offset == 0;
  cut.last = true;
  return cut;
}

}  // namespace

PacketCut PacketBuilder::cut(const ParcelState& parcel) {
  if (!parcel.reads_memory() || parcel.refused) return cut_whole(parcel);
  const ParcelHeader& header = parcel.header;
  const bool one_packet = is_message(header.protocol) || header.protocol == Protocol::synchronization;
  const std::uint64_t to = one_packet ? 0 : header.destination;
  return cutter_.next(header.source, to, header.length, parcel.offset, parcel.last_line);
}

void PacketBuilder::build(Packet& packet, const ParcelState& parcel, const PacketCut& cut) {
  packet.destination = parcel.node;
  packet.group = parcel.group;
  packet.map = parcel.map;
  packet.sid = parcel.sid;
  packet.kind = parcel.header.kind;
  packet.payload_bytes = cut.bytes;
  packet.flits = static_cast<std::uint16_t>(sizes_.flits(packet.kind, cut.bytes));
  packet.spelling.header_flits = static_cast<std::uint8_t>(sizes_.header(packet.kind));
  packet.spelling.word_flits = static_cast<std::uint8_t>(sizes_.flits_per_word);
  PacketHeader header;
  header.node = static_cast<std::uint16_t>(routing_field(packet));
  header.cid = static_cast<std::uint8_t>(parcel.destination_cid);
  header.protocol = parcel.header.protocol;
  header.source_pe = parcel.source_pe;
  header.payload_bytes = cut.bytes;
  header.first = cut.first;
  header.last = cut.last;
  header.log = parcel.header.log;
  header.interrupt = parcel.header.interrupt;
  header.refused = parcel.refused;
  header.physical = parcel.header.physical;
  header.rrid = parcel.header.rrid;
  header.address = first_address(parcel.header) + cut.offset;
  if (header.protocol == Protocol::compare_swap_reply)
    header.equal = ReplyPath::decode(parcel.header.notification).equal;
  packet.header = header.encode();
  if (cut.reads == 0 && cut.bytes > 0) fill_body(packet, parcel);
}

void PacketBuilder::fill_body(Packet& packet, const ParcelState& parcel) const {
  const ParcelHeader& header = parcel.header;
  if (!is_request(header.protocol)) {
    std::memcpy(packet.payload.data(), &header.source, packet.payload_bytes);
    return;
  }
  RequestBody body;
  body.words = {header.destination, header.notification};
  body.length = header.length;
  body.cid = static_cast<std::uint8_t>(parcel.cid);
  body.node = static_cast<std::uint16_t>(node_);
  body.physical = header.physical;
  body.encode(header.protocol, packet.payload.data());
}

void PacketBuilder::take_line(Packet& packet, const LineRead& read, const unsigned char* line) {
  std::memcpy(packet.payload.data() + read.payload, line + read.skip, read.bytes);
}

}  // namespace tsuji::nic
