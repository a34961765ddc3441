// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "support/catch.h"
#include "tsuji/nic/packet_check.h"
#include "tsuji/nic/sender/packet_builder.h"

// The builder of packets without a Sender, and the destinations that a Receiver reads.

using namespace tsuji;
using namespace tsuji::nic;

namespace {

constexpr NodeId sender = 77;

ParcelState parcel_of(Protocol protocol, std::uint32_t length) {
  ParcelState parcel;
  parcel.header.protocol = protocol;
  parcel.header.length = length;
  parcel.header.source = 0x1111'2222'3333'4440;
  parcel.header.destination = 0x5555'6666'7777'8880;
  parcel.header.notification = 0x9999'aaaa'bbbb'cccc | 1U << 26;
  parcel.cid = 3;
  parcel.node = 5;
  return parcel;
}

std::uint64_t word_of(const Packet& packet, unsigned number) {
  std::uint64_t word = 0;
  std::memcpy(&word, packet.payload.data() + std::size_t{8} * number, 8);
  return word;
}

}  // namespace

TEST_CASE("packet builder: requests carry the words that their header does not hold") {
  PacketPool pool;
  PacketBuilder builder(PacketSizes(), sender);
  for (const Protocol protocol : {Protocol::remote_read, Protocol::swap, Protocol::compare_swap}) {
    const ParcelState parcel = parcel_of(protocol, 40);
    const PacketCut cut = builder.cut(parcel);
    PacketRef packet = pool.make();
    builder.build(packet.edit(), parcel, cut);
    const bool reads = protocol == Protocol::remote_read;
    CHECK(packet->payload_bytes == (reads ? 16 : 24));
    CHECK(packet->header[1] == parcel.header.source);
    CHECK(word_of(*packet, 0) == parcel.header.destination);
    if (!reads) CHECK(word_of(*packet, 1) == parcel.header.notification);
    const RequestBody body = RequestBody::decode(protocol, packet->payload.data());
    CHECK((body.node == sender && body.cid == 3 && body.length == 40));
  }
}

TEST_CASE("packet builder: a refused reply ends with an empty packet, whatever was sent before") {
  PacketBuilder builder(PacketSizes(), sender);
  ParcelState parcel = parcel_of(Protocol::remote_read_reply, 600);
  for (const std::uint32_t offset : {0U, 256U}) {
    parcel.offset = offset;
    parcel.refused = false;
    CHECK(builder.cut(parcel).bytes == 256);
    parcel.refused = true;
    const PacketCut cut = builder.cut(parcel);
    CHECK((cut.bytes == 0 && cut.reads == 0 && cut.last && cut.offset == 0));
    CHECK(cut.first == (offset == 0));
  }
}

TEST_CASE("packet builder: only a compare and swap's reply reports whether the values were equal") {
  PacketPool pool;
  PacketBuilder builder(PacketSizes(), sender);
  for (const Protocol protocol : {Protocol::swap_reply, Protocol::compare_swap_reply}) {
    const ParcelState parcel = parcel_of(protocol, 8);
    PacketRef packet = pool.make();
    builder.build(packet.edit(), parcel, builder.cut(parcel));
    CHECK(PacketHeader::decode(packet->header).equal == (protocol == Protocol::compare_swap_reply));
  }
}

TEST_CASE("a Receiver takes a multicast's group from its header") {
  Packet packet;
  PacketHeader header;
  header.node = 2;
  packet.header = header.encode();
  packet.map = std::uint64_t{1} << 5;
  packet.group = 9;  // of the model alone
  CHECK(is_destination(packet, 2));
  CHECK_FALSE(is_destination(packet, 133));
  packet.kind = PacketKind::multicast;
  CHECK(is_destination(packet, 2 * 64 + 5));
  CHECK_FALSE(is_destination(packet, 2 * 64 + 6));
  CHECK_FALSE(is_destination(packet, 9 * 64 + 5));
  packet.kind = PacketKind::synchronization;
  CHECK(is_destination(packet, 5));
  CHECK_FALSE(is_destination(packet, 69));
}
