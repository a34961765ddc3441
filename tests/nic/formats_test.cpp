// SPDX-License-Identifier: Apache-2.0

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/nic/nic_config.h"
#include "tsuji/nic/parcel.h"
#include "tsuji/nic/tables.h"

using namespace tsuji;
using namespace tsuji::nic;

TEST_CASE("parcel and packet headers decode to what was encoded") {
  CounterRandom random(1, 1);
  for (int i = 0; i < 5000; ++i) {
    ParcelHeader parcel;
    parcel.protocol = static_cast<Protocol>(random.below(16));
    parcel.kind = static_cast<PacketKind>(random.below(3));
    parcel.inline_data = random.below(2) != 0;
    parcel.notify = random.below(2) != 0;
    parcel.log = random.below(2) != 0;
    parcel.physical = random.below(2) != 0;
    parcel.length = static_cast<std::uint32_t>(random.below(ParcelHeader::max_data_bytes + 1));
    parcel.logical_pe = static_cast<std::uint16_t>(random.below(4096));
    parcel.rrid = static_cast<std::uint8_t>(random.below(64));
    parcel.source = random.next();
    parcel.destination = random.next();
    parcel.notification = random.next();
    const auto words = parcel.encode();
    const ParcelHeader back = ParcelHeader::decode(words);
    CHECK(back.encode() == words);
    CHECK((back.protocol == parcel.protocol && back.kind == parcel.kind &&
           back.inline_data == parcel.inline_data));
    CHECK((back.notify == parcel.notify && back.log == parcel.log && back.physical == parcel.physical));
    CHECK((back.length == parcel.length && back.logical_pe == parcel.logical_pe && back.rrid == parcel.rrid));

    PacketHeader packet;
    packet.node = static_cast<std::uint16_t>(random.below(1024));
    packet.cid = static_cast<std::uint8_t>(random.below(256));
    packet.protocol = parcel.protocol;
    packet.source_pe = parcel.logical_pe;
    packet.payload_bytes = static_cast<std::uint16_t>(random.below(257));
    packet.first = random.below(2) != 0;
    packet.last = random.below(2) != 0;
    packet.log = random.below(2) != 0;
    packet.address = random.next();
    const PacketHeader got = PacketHeader::decode(packet.encode());
    CHECK((got.node == packet.node && got.cid == packet.cid && got.protocol == packet.protocol));
    CHECK((got.source_pe == packet.source_pe && got.payload_bytes == packet.payload_bytes));
    CHECK((got.first == packet.first && got.last == packet.last && got.log == packet.log));
    CHECK(got.address == packet.address);
  }
}

TEST_CASE("the fields are at the positions of the headers") {
  ParcelHeader parcel;
  parcel.protocol = Protocol::atomic_add;
  parcel.kind = PacketKind::multicast;
  parcel.notify = true;
  parcel.length = 8;
  parcel.logical_pe = 5;
  CHECK(parcel.encode()[0] == (6 | 1U << 4 | 1U << 7 | 8U << 10 | std::uint64_t{5} << 30));
  PacketHeader packet;
  packet.node = 3;
  packet.cid = 2;
  packet.payload_bytes = 256;
  packet.last = true;
  CHECK(packet.encode()[0] == (3 | 2U << 10 | std::uint64_t{256} << 34 | std::uint64_t{1} << 43));
}

TEST_CASE("table entries decode to what was encoded") {
  CounterRandom random(2, 1);
  for (int i = 0; i < 2000; ++i) {
    const bool valid = random.below(2) != 0;
    const NodeEntry node{valid, static_cast<std::uint16_t>(random.below(1024)),
                         static_cast<std::uint8_t>(random.below(256))};
    const NodeEntry node_back = NodeEntry::decode(node.encode());
    CHECK((node_back.valid == valid && node_back.node == node.node && node_back.cid == node.cid));
    const MulticastEntry multicast{valid, random.next(), static_cast<std::uint32_t>(random.below(1 << 18)),
                                   node.cid};
    const MulticastEntry multicast_back = MulticastEntry::decode(multicast.encode());
    CHECK((multicast_back.valid == valid && multicast_back.map == multicast.map));
    CHECK((multicast_back.group == multicast.group && multicast_back.cid == node.cid));
    const SynchronizationEntry sync{valid, random.next(), static_cast<std::uint8_t>(random.below(128)),
                                    node.cid};
    const SynchronizationEntry sync_back = SynchronizationEntry::decode(sync.encode());
    CHECK((sync_back.valid == valid && sync_back.map == sync.map && sync_back.sid == sync.sid));
    CHECK(sync_back.cid == node.cid);
    const SegmentEntry segment{valid, random.next() >> 2, random.next(), random.next()};
    CHECK(SegmentEntry::decode(segment.encode()).encode() == segment.encode());
    const PageEntry page{valid, random.below(2) != 0, random.next() >> 2};
    const PageEntry page_back = PageEntry::decode(page.encode());
    CHECK((page_back.valid == valid && page_back.writable == page.writable &&
           page_back.physical == page.physical));
  }
}

TEST_CASE("an entry of empty memory is invalid") {
  using Two = std::array<std::uint64_t, 2>;
  CHECK(NodeEntry{}.encode() == 0);
  CHECK(MulticastEntry{}.encode() == Two{});
  CHECK(SynchronizationEntry{}.encode() == Two{});
  CHECK(SegmentEntry{}.encode() == std::array<std::uint64_t, 3>{});
  CHECK(PageEntry{}.encode() == 0);
  CHECK_FALSE(PageEntry::decode(0).valid);
}

TEST_CASE("a value that would change other fields is refused") {
  ParcelHeader parcel;
  parcel.length = 1U << 20;
  CHECK_THROWS_AS(parcel.encode(), ModelError);
  parcel.length = 8;
  parcel.logical_pe = 4096;
  CHECK_THROWS_AS(parcel.encode(), ModelError);
}

TEST_CASE("packets have port flit, header and three flits for 8 bytes") {
  const PacketSizes sizes;
  CHECK(sizes.flits(PacketKind::single_cast, 256) == 1 + 18 + 96);
  CHECK(sizes.flits(PacketKind::single_cast, 8) == 1 + 18 + 3);
  CHECK(sizes.flits(PacketKind::single_cast, 12) == 1 + 18 + 6);
  CHECK(sizes.flits(PacketKind::multicast, 8) == 1 + 18 + 3);
  CHECK(sizes.flits(PacketKind::synchronization, 0) == 1 + 9);
}

TEST_CASE("each kind of packet has its own header length") {
  PacketSizes sizes;
  sizes.header_flits = 6;
  sizes.multicast_header_flits = 20;
  sizes.synchronization_header_flits = 11;
  sizes.flits_per_word = 4;
  CHECK(sizes.flits(PacketKind::single_cast, 256) == 1 + 6 + 128);
  CHECK(sizes.flits(PacketKind::multicast, 8) == 1 + 20 + 4);
  CHECK(sizes.flits(PacketKind::synchronization, 0) == 1 + 11);
}

TEST_CASE("a configuration out of range is refused by its key") {
  NicConfig config;
  config.validate();
  config.sender.read_ahead_packets = 3;
  CHECK_THROWS_WITH(config.validate(), "sender.read_ahead_packets: out of range (got '3'); accepted: 1..2");
  config = {};
  config.receiver.tlb_entries = 0;
  CHECK_THROWS_AS(config.validate(), ConfigError);
  config = {};
  config.sizes.max_payload_bytes = 200;
  CHECK_THROWS_AS(config.validate(), ConfigError);
}

TEST_CASE("requests and reply paths decode to what was encoded, at the positions that the headers give") {
  CounterRandom random(5, 1);
  for (int i = 0; i < 2000; ++i) {
    const auto protocol = static_cast<Protocol>(7 + random.below(3));
    RequestBody body;
    body.words[0] = random.next();
    if (protocol != Protocol::remote_read) body.words[1] = random.next();
    body.length = static_cast<std::uint32_t>(8 * random.below(65537));
    body.cid = static_cast<std::uint8_t>(random.below(256));
    body.node = static_cast<std::uint16_t>(random.below(1024));
    std::array<std::byte, 24> bytes{};
    body.encode(protocol, bytes.data());
    const RequestBody back = RequestBody::decode(protocol, bytes.data());
    CHECK((back.words == body.words && back.length == body.length));
    CHECK((back.cid == body.cid && back.node == body.node));

    const ReplyPath path{body.node, body.cid, static_cast<std::uint8_t>(random.below(256)),
                         random.below(2) != 0};
    const ReplyPath got = ReplyPath::decode(path.encode());
    CHECK((got.node == path.node && got.cid == path.cid && got.asked_cid == path.asked_cid));
    CHECK(got.equal == path.equal);

    PacketHeader packet;
    packet.rrid = static_cast<std::uint8_t>(random.below(64));
    packet.equal = path.equal;
    const PacketHeader header = PacketHeader::decode(packet.encode());
    CHECK((header.rrid == packet.rrid && header.equal == packet.equal));
  }
  CHECK(ReplyPath{5, 3, 2, true}.encode() == (5 | 3U << 10 | 2U << 18 | 1U << 26));
  PacketHeader packet;
  packet.rrid = 9;
  packet.equal = true;
  CHECK(packet.encode()[0] == (std::uint64_t{9} << 46 | std::uint64_t{1} << 52));
}
