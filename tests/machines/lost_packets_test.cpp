// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/lost_packets.h"

#include <string>

#include "support/catch.h"
#include "tsuji/nic/parcel.h"

using namespace tsuji;
using namespace tsuji::machines;

namespace {

Packet packet(NodeId source, std::uint32_t serial, NodeId destination, const nic::PacketHeader& header) {
  Packet made;
  made.id = packet_id(source, serial);
  made.source = source;
  made.destination = destination;
  made.header = header.encode();
  return made;
}

nic::PacketHeader header(nic::Protocol protocol, std::uint64_t address, std::uint16_t bytes) {
  nic::PacketHeader one;
  one.protocol = protocol;
  one.address = address;
  one.payload_bytes = bytes;
  return one;
}

Cenju4Config two_jobs() {
  Cenju4Config config;
  config.network.topology.nodes = 8;
  config.jobs = {{1, 4, 6}, {6, 1}};
  return config;
}

}  // namespace

TEST_CASE("lost packets are reported with cycle, packet, ranks, parcel, bytes and cause") {
  const Cenju4Config config = two_jobs();
  LostPackets lost(config, 0);
  CHECK(lost.report(9).empty());
  nic::PacketHeader last = header(nic::Protocol::remote_dma, 0x1f00, 256);
  last.last = true;
  nic::PacketHeader whole = header(nic::Protocol::message1, 768, 96);
  whole.first = whole.last = true;
  nic::PacketHeader first = header(nic::Protocol::remote_dma_register1, 64, 128);
  first.first = true;
  lost.add(packet(4, 9, 6, first), "in_recovery", 70);
  lost.add(packet(1, 3, 0, whole), "link_down", 70);
  lost.add(packet(4, 2, 1, last), "dead_router", 60);
  lost.add(packet(6, 8, 4, header(nic::Protocol::remote_read, 0xabc, 16)), "no_way", 80);
  CHECK(lost.packets() == 4);
  CHECK(lost.destinations() == std::vector<NodeId>{0, 1, 4, 6});
  const std::string first_lines =
      "\n  lost: packet 4.2 from rank 1 of job 0 at node 4 to rank 0 of job 0, rank 1 of job 1 at node 1, "
      "remote_dma, 256 bytes to address 0x1f00, last of its parcel, in cycle 60: dead_router"
      "\n  lost: packet 1.3 from rank 0 of job 0, rank 1 of job 1 at node 1 to node 0, message1, 96 bytes "
      "from "
      "byte 768 of the parcel on, all of its parcel, in cycle 70: link_down";
  CHECK(lost.report(2) == first_lines + "\n  and 2 more");
  CHECK(
      lost.report(4) ==
      first_lines +
          "\n  lost: packet 4.9 from rank 1 of job 0 at node 4 to rank 2 of job 0, rank 0 of job 1 at node "
          "6, remote_dma_register1, 128 bytes at the register's address + 64, first of its parcel, in cycle "
          "70: in_recovery"
          "\n  lost: packet 6.8 from rank 2 of job 0, rank 0 of job 1 at node 6 to rank 1 of job 0 at node "
          "4, remote_read, 16 bytes from address 0xabc, in cycle 80: no_way");
}

TEST_CASE("packets that were given up are reported with their tries and the last drop, if there was one") {
  Cenju4Config config;
  config.network.topology.nodes = 4;
  LostPackets lost(config, 3);
  const nic::PacketHeader word = header(nic::Protocol::atomic_add, 0x10, 8);
  lost.add(packet(0, 1, 1, word), "unreachable", 5);
  lost.add(packet(2, 1, 3, word), "given_up", 6);
  CHECK(
      lost.report(9) ==
      "\n  lost: packet 0.1 from rank 0 at node 0 to rank 1 at node 1, atomic_add, 8 bytes to address 0x10, "
      "in cycle 5: given_up after 3 tries, the last drop: unreachable"
      "\n  lost: packet 2.1 from rank 2 at node 2 to rank 3 at node 3, atomic_add, 8 bytes to address 0x10, "
      "in cycle 6: given_up after 3 tries");
}

TEST_CASE(
    "a lost multicast and a lost synchronization are reported by kind, with one of the nodes that miss "
    "them") {
  Cenju4Config config;
  config.network.topology.nodes = 4;
  LostPackets lost(config, 0);
  Packet multicast = packet(0, 1, 2, header(nic::Protocol::remote_dma, 0x20, 8));
  multicast.kind = PacketKind::multicast;
  lost.add(multicast, "link_down", 5);
  Packet synchronization = packet(0, 2, 3, {});
  synchronization.kind = PacketKind::synchronization;
  synchronization.sid = 17;
  lost.add(synchronization, "link_down", 6);
  CHECK(lost.report(9) ==
        "\n  lost: packet 0.1 from rank 0 at node 0 to rank 2 at node 2, multicast, remote_dma, 8 bytes to "
        "address "
        "0x20, in cycle 5: link_down"
        "\n  lost: packet 0.2 from rank 0 at node 0 to rank 3 at node 3, synchronization 17, in cycle 6: "
        "link_down");
}
