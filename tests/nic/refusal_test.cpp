// SPDX-License-Identifier: Apache-2.0

#include "nic/rig.h"
#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;
using Catch::Contains;

namespace {

constexpr unsigned cid = 1;
constexpr std::uint64_t mapped_at = 0x10000, read_only_at = 0x20000;

/// The error that stops the run when node a sends `header` to node b.
std::string stopped_by(
    const ParcelHeader& header, unsigned set = 2, const std::function<void(Pair&)>& prepare = [](Pair&) {}) {
  Pair pair("pair");
  elaborate();
  pair.a.open_set(set, cid);
  pair.b.open_set(2, cid);
  for (Node* node : {&pair.a, &pair.b}) {
    node->map(cid, mapped_at, 1);
    node->map(cid, read_only_at, 1, false);
    node->buffer(cid, 0, mapped_at, 256);
  }
  pair.b.set(common_os_base + receiver_cid, cid);
  prepare(pair);
  pair.a.push(set, header);
  pair.a.ring_at_start(set);
  return text_of<ModelError>([&] { pair.run(); }, "nothing");
}

ParcelHeader with(const std::function<void(ParcelHeader&)>& change) {
  ParcelHeader header = dma(mapped_at, mapped_at, 64);
  change(header);
  return header;
}

}  // namespace

TEST_CASE("a valid parcel stops no run") {
  CHECK(stopped_by(with([](auto&) {})) == "nothing");
}

TEST_CASE("a bad header stops the run with its place and cause") {
  CHECK(stopped_by(with([](auto& h) { h.length = 10; })) ==
        "pair_a.nic.sender, cycle 39: parcel of set 2 at queue offset 0: data length 10 is not a multiple of "
        "4");
}
TEST_CASE("a user's physical address stops the run") {
  CHECK_THAT(stopped_by(with([](auto& h) { h.physical = true; })),
             Contains("physical addresses outside the operating system's queue"));
}
TEST_CASE("a logical PE out of range stops the run") {
  CHECK_THAT(stopped_by(with([](auto& h) { h.logical_pe = 16; })),
             Contains("node table: offset 16 is out of range (entries: 16)"));
}
TEST_CASE("an offset out of range of the multicast header table stops the run") {
  CHECK_THAT(stopped_by(with([](auto& h) {
               h.kind = PacketKind::multicast;
               h.logical_pe = 16;
             })),
             Contains("multicast header table: offset 16 is out of range (entries: 16)"));
}
TEST_CASE("an offset out of range of the synchronization header table stops the run") {
  CHECK_THAT(stopped_by(with([](auto& h) {
               h.kind = PacketKind::synchronization;
               h.protocol = Protocol::synchronization;
               h.length = 0;
               h.logical_pe = 16;
             })),
             Contains("synchronization header table: offset 16 is out of range (entries: 16)"));
}
TEST_CASE("a multicast header table between two entries stops the run") {
  CHECK_THAT(stopped_by(with([](auto& h) { h.kind = PacketKind::multicast; }), 2,
                        [](Pair& pair) {
                          pair.a.set(sender_os_base + 2 * sender_set_stride + multicast_table_base,
                                     multicast_table_at + 8);
                        }),
             Contains("multicast header table: its base is not aligned to its entries"));
}
TEST_CASE("a bad header after a good one is named by its own place") {
  CHECK_THAT(stopped_by(with([](auto& h) { h.length = 10; }), 2,
                        [](Pair& pair) { pair.a.push(2, with([](auto&) {})); }),
             Contains("parcel of set 2 at queue offset 32: data length 10"));
}
TEST_CASE("an invalid node entry stops the run") {
  CHECK_THAT(stopped_by(with([](auto& h) { h.logical_pe = 15; })),
             Contains("the table entry of logical PE or offset 15 is invalid or names no node"));
}
TEST_CASE("an invalid multicast entry stops the run") {
  CHECK_THAT(stopped_by(with([](auto& h) { h.kind = PacketKind::multicast; })),
             Contains("the table entry of logical PE or offset 1 is invalid or names no node"));
}
TEST_CASE("a destination without a port stops the run") {
  CHECK_THAT(
      stopped_by(with([](auto&) {}), 2, [](Pair& pair) { pair.hops.ports = [](NodeId) { return 0U; }; }),
      Contains("no port leads to the destination"));
}
TEST_CASE("an unmapped source stops the run") {
  CHECK_THAT(
      stopped_by(with([](auto& h) { h.source = 0x30000; })),
      Contains("sender") && Contains("queue offset 0: logical address 0x30000 of cid 1 is not mapped"));
}
TEST_CASE("a read-only notification address stops the run") {
  CHECK_THAT(stopped_by(with([](auto& h) {
               h.notify = true;
               h.notification = read_only_at;
             })),
             Contains("logical address 0x20000 of cid 1 is to be written, but its page is read only"));
}
TEST_CASE("a read-only source is accepted") {
  CHECK(stopped_by(with([](auto& h) { h.source = read_only_at; })) == "nothing");
}
TEST_CASE("an unmapped destination stops the run and names the packet") {
  CHECK_THAT(stopped_by(with([](auto& h) { h.destination = 0x30000; })),
             Contains("pair_b.nic.receiver") &&
                 Contains("packet 0.0: logical address 0x30000 of cid 1 is not mapped"));
}
TEST_CASE("a read-only destination stops the run") {
  CHECK_THAT(stopped_by(with([](auto& h) { h.destination = read_only_at; })),
             Contains("its page is read only"));
}
TEST_CASE("a packet for another node stops the run") {
  CHECK_THAT(stopped_by(with([](auto& h) { h.logical_pe = 5; })),
             Contains("packet 0.0: delivered to node 1, which is not one of its destinations"));
}
TEST_CASE("a message buffer's overrun stops the run and names the packet") {
  const ParcelHeader message = with([](auto& h) { h.protocol = Protocol::message0; });
  CHECK_THAT(
      stopped_by(message, 2, [&](Pair& pair) { pair.a.push(2, message); }),
      Contains(
          "packet 0.1: cid 1: message buffer 0: overrun: 64 bytes at 0x10080 would reach the read pointer "
          "0x10000"));
}
TEST_CASE("a message without a buffer stops the run") {
  CHECK_THAT(stopped_by(with([](auto& h) { h.protocol = Protocol::message1; })),
             Contains("message buffer 1: the buffer does not exist (size 0)"));
}
TEST_CASE("a log buffer's overrun stops the run") {
  const ParcelHeader logged = with([](auto& h) { h.log = true; });
  CHECK_THAT(stopped_by(logged, 2,
                        [&](Pair& pair) {
                          pair.b.buffer(cid, 2, mapped_at + 1024, 128);
                          for (int i = 0; i < 7; ++i) pair.a.push(2, logged);
                        }),
             Contains("packet 0.7: cid 1: log buffer: overrun: 16 bytes at 0x10470"));
}
namespace {

/// The error that stops a synchronization parcel with this entry of node a's table.
std::string synchronization_stopped_by(const SynchronizationEntry& entry) {
  const auto words = entry.encode();
  return stopped_by(with([](auto& h) {
                      h.protocol = Protocol::synchronization;
                      h.kind = PacketKind::synchronization;
                      h.length = 0;
                    }),
                    2,
                    [&](Pair& pair) { pair.a.memory.poke(synchronization_table_at + 16, words.data(), 16); });
}

/// The error that stops a multicast parcel with this entry of node a's table.
std::string multicast_stopped_by(const MulticastEntry& entry) {
  const auto words = entry.encode();
  return stopped_by(with([](auto& h) { h.kind = PacketKind::multicast; }), 2,
                    [&](Pair& pair) { pair.a.memory.poke(multicast_table_at + 16, words.data(), 16); });
}

}  // namespace

TEST_CASE("a synchronization packet without a table stops the run") {
  CHECK_THAT(synchronization_stopped_by({true, 0b11, 5, cid}),
             Contains("the cid has no synchronization notification table"));
}
TEST_CASE("a synchronization entry without members stops the run") {
  CHECK_THAT(synchronization_stopped_by({true, 0, 5, cid}),
             Contains("the table entry of logical PE or offset 1 is invalid or names no node"));
}
TEST_CASE("an invalid synchronization entry stops the run") {
  CHECK_THAT(synchronization_stopped_by({false, 0b11, 5, cid}),
             Contains("the table entry of logical PE or offset 1 is invalid or names no node"));
}
TEST_CASE("a multicast entry without members stops the run") {
  CHECK_THAT(multicast_stopped_by({true, 0, 0, cid}),
             Contains("the table entry of logical PE or offset 1 is invalid or names no node"));
}
TEST_CASE("an invalid multicast entry with members stops the run") {
  CHECK_THAT(multicast_stopped_by({false, 0b10, 0, cid}),
             Contains("the table entry of logical PE or offset 1 is invalid or names no node"));
}
TEST_CASE("a multicast packet for a node with this number in another group stops the run") {
  CHECK_THAT(multicast_stopped_by({true, 0b10, 1, cid}),
             Contains("delivered to node 1, which is not one of its destinations"));
}
TEST_CASE("a multicast packet for other nodes of the group stops the run") {
  CHECK_THAT(multicast_stopped_by({true, ~std::uint64_t{0b10}, 0, cid}),
             Contains("delivered to node 1, which is not one of its destinations"));
}

namespace {

/// The error that stops a valid parcel when a node's memory controller breaks the protocol for the request
/// that holds byte `at`.
std::string broken_memory_stops(Memory::Fault fault, Node Pair::*node, std::uint64_t at) {
  return stopped_by(with([](auto&) {}), 2, [&](Pair& pair) {
    (pair.*node).memory.fault = fault;
    (pair.*node).memory.faulty = at;
  });
}

constexpr std::uint64_t first_header_at = queues_at + 2 * 0x10000;

}  // namespace

TEST_CASE("memory that refuses the Sender's request stops the run") {
  CHECK_THAT(broken_memory_stops(Memory::Fault::refuses, &Pair::a, first_header_at),
             Contains("pair_a.nic.sender, cycle 3: memory refused a request: TLM_ADDRESS_ERROR_RESPONSE") &&
                 Contains("(physical address " + std::to_string(first_header_at) + ")"));
}
TEST_CASE("memory that refuses the Receiver's request stops the run") {
  CHECK_THAT(broken_memory_stops(Memory::Fault::refuses, &Pair::b, segments_at + std::uint64_t{4} * cid * 24),
             Contains("pair_b.nic.receiver") && Contains("memory refused a request"));
}
TEST_CASE("memory with the extension that answers within the request stops the run") {
  CHECK_THAT(broken_memory_stops(Memory::Fault::at_once, &Pair::a, first_header_at),
             Contains("the memory controller answered before its time"));
}
TEST_CASE("memory whose last word comes before its grant stops the run") {
  CHECK_THAT(broken_memory_stops(Memory::Fault::in_the_past, &Pair::a, first_header_at),
             Contains("the memory controller answered before its time"));
}
TEST_CASE("memory that answers twice stops the run") {
  CHECK_THAT(broken_memory_stops(Memory::Fault::twice, &Pair::a, first_header_at),
             Contains("the memory controller answered out of turn"));
}
TEST_CASE("memory that does not accept a request stops the run") {
  CHECK_THAT(broken_memory_stops(Memory::Fault::not_accepted, &Pair::a, first_header_at),
             Contains("the memory controller answered out of turn"));
}

namespace {

std::string register_write_stops(std::uint64_t offset, std::uint64_t value) {
  Pair pair("pair");
  elaborate();
  pair.a.open_set(2, cid);
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  pair.at(10, [&] { status = pair.a.write(offset, value); });
  try {
    pair.run();
  } catch (const ModelError& error) {
    CHECK(status == tlm::TLM_GENERIC_ERROR_RESPONSE);
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("a write pointer outside the queue stops the run") {
  CHECK(register_write_stops(0x2000, 8192) ==
        "pair_a.nic.sender, cycle 11: set 2: write pointer 8192 lies outside the queue");
}
TEST_CASE("a write pointer of a queue that is off stops the run") {
  CHECK_THAT(register_write_stops(0x3000, 32), Contains("set 3: write pointer of a disabled queue"));
}
TEST_CASE("a cid that does not exist stops the run") {
  CHECK_THAT(register_write_stops(common_os_base + receiver_cid, 256), Contains("cid 256 does not exist"));
}
TEST_CASE("a queue overrun stops the run") {
  Pair pair("pair");
  elaborate();
  pair.a.open_set(2, cid);
  pair.at(10, [&] { pair.a.write(0x2000, 4096 - 32); });
  pair.at(11, [&] { pair.a.write(0x2000, 0); });
  CHECK_THROWS_WITH(pair.run(), Contains("set 2: write pointer 0 overruns the read pointer 0"));
}
TEST_CASE("a register access at a clock edge by a process that cannot wait stops the run") {
  Pair pair("pair");
  Script at_the_edge(pair.domain);
  elaborate();
  pair.a.open_set(2, cid);
  at_the_edge.at(5, [&] { pair.a.write(common_os_base + receiver_cid, 1); });
  CHECK_THROWS_WITH(pair.run(), Contains("b_transport was called by a process that cannot wait"));
}
