// SPDX-License-Identifier: Apache-2.0
// Forbidden actions of a task: refused with a status and an event, while everything else proceeds.

#include "nic/guarded.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;
using namespace tsuji::test::guarded;

namespace {

void refuse_header(Violation cause, const std::function<void(ParcelHeader&)>& change) {
  Guarded pair;
  pair.send({with([](auto&) {}), with(change)});
  CHECK(pair.status() == (static_cast<std::uint64_t>(cause) | 32U << 16U));
  REQUIRE(pair.at_a.refusals.size() == 1);
  CHECK(pair.at_a.refusals[0] == Refused{cause, cid, 2});
  CHECK(pair.at_b.refusals.empty());
  CHECK(pair.b.deliveries.size() == 3);
}

}  // namespace

TEST_CASE("a bad length is refused") {
  refuse_header(Violation::header, [](auto& h) { h.length = 0; });
}
TEST_CASE("a parcel of more than 512 KB is refused") {
  refuse_header(Violation::header, [](auto& h) { h.length = 512 * 1024 + 8; });
}
TEST_CASE("a user's physical address is refused") {
  refuse_header(Violation::header, [](auto& h) { h.physical = true; });
}
TEST_CASE("a user's reply is refused") {
  refuse_header(Violation::header, [](auto& h) { h.protocol = Protocol::remote_read_reply; });
}
TEST_CASE("a protocol that does not exist is refused") {
  refuse_header(Violation::header, [](auto& h) { h.protocol = static_cast<Protocol>(13); });
}
TEST_CASE("a logical PE beyond the node table is refused") {
  refuse_header(Violation::destination, [](auto& h) { h.logical_pe = table_entries; });
}
TEST_CASE("a logical PE without an entry is refused") {
  refuse_header(Violation::destination, [](auto& h) { h.logical_pe = table_entries - 1; });
}
TEST_CASE("an offset beyond the multicast header table is refused") {
  refuse_header(Violation::destination, [](auto& h) {
    h.kind = PacketKind::multicast;
    h.logical_pe = table_entries;
  });
}
TEST_CASE("an unknown sid's entry is refused") {
  refuse_header(Violation::destination, [](auto& h) {
    h.kind = PacketKind::synchronization;
    h.protocol = Protocol::synchronization;
    h.length = 0;
  });
}

TEST_CASE("refused requests do not use up the limit of outstanding requests") {
  Guarded pair;
  const ParcelHeader bad = with([](auto& h) {
    h.protocol = Protocol::remote_read;
    h.logical_pe = table_entries;
  });
  const ParcelHeader worse = with([](auto& h) {
    h.protocol = Protocol::swap;
    h.length = 16;
  });
  for (Node* node : {&pair.a, &pair.b}) {
    node->open_set(reply_set, 0);
    node->open_set(2, cid);  // whose node table it shares
  }
  pair.a.memory.poke_word(buffers_at + std::uint64_t{64} * cid + std::uint64_t{8} * 5, destination_at + 8192);
  const ParcelHeader good = with([](auto& h) {
    h.protocol = Protocol::remote_read;
    h.source = source_at;
    h.destination = destination_at;
  });
  pair.send({bad, worse, bad, worse, good});
  CHECK(pair.at_a.refusals.size() == 4);
  CHECK((pair.a.word(cid, destination_at + 8192) & ReplyNotification::arrived) != 0);
}

TEST_CASE("a bad write pointer has no effect") {
  for (const std::uint64_t pointer : {std::uint64_t{4096}, std::uint64_t{33}, std::uint64_t{1} << 40}) {
    INFO(pointer);
    CHECK_FALSE(HeaderQueue{}.set_write_pointer(pointer).empty());
  }
  Guarded pair;
  pair.at(5, [&] {
    CHECK(pair.a.write(2 * sender_set_stride, 4096) == tlm::TLM_OK_RESPONSE);
    CHECK(pair.a.write(2 * sender_set_stride, 64) == tlm::TLM_OK_RESPONSE);
    CHECK(pair.a.write(2 * sender_set_stride, 32) == tlm::TLM_OK_RESPONSE);  // beyond the read pointer
  });
  pair.send({with([](auto&) {})});
  CHECK(pair.status() == (static_cast<std::uint64_t>(Violation::write_pointer) | 64U << 16U));
  REQUIRE(pair.at_a.refusals.size() == 2);
  CHECK(pair.at_a.refusals[0] == Refused{Violation::write_pointer, cid, 2});
  pair.a.set(2 * sender_set_stride + queue_status, 0);
  CHECK(pair.status() == 0);
}

namespace {

/// Sends a parcel of 8 KB from the second of three pages; the system maps, or refuses, the last.
void send_into_a_gap(bool maps) {
  Guarded pair;
  CounterRandom random(9, 1);
  const auto data = random_bytes(random, 8192);
  pair.a.fill(cid, source_at + 4096, data);
  pair.a.unmap(cid, source_at + 8192);
  pair.at_a.maps = maps;
  ParcelHeader header = dma(source_at + 4096, destination_at + 8192, 8192);
  header.notify = true;
  header.notification = source_at + 4096 * 8;
  pair.send({header});
  CHECK(pair.b.bytes(cid, destination_at + 8192, 4096) ==
        std::vector<unsigned char>(data.begin(), data.begin() + 4096));
  const std::vector<unsigned char> rest(maps ? std::vector<unsigned char>(data.begin() + 4096, data.end())
                                             : std::vector<unsigned char>(4096));
  CHECK(pair.b.bytes(cid, destination_at + 8192 + 4096, 4096) == rest);
  CHECK(pair.a.word(cid, source_at + 4096 * 8) == (maps ? sent_pattern : 0));
  REQUIRE(pair.at_a.faults.size() == 1);
  CHECK(pair.at_a.faults[0] == Faulted{Violation::page, cid, false, source_at + 8192});
  CHECK(pair.at_a.refusals.size() == (maps ? 0 : 1));
  CHECK(pair.status() == (maps ? 0U : static_cast<unsigned>(Violation::page)));
}

}  // namespace

TEST_CASE("a source page that the system maps is sent") {
  send_into_a_gap(true);
}
TEST_CASE("a source page that the system refuses ends its parcel only") {
  send_into_a_gap(false);
}
TEST_CASE("a notification to a read-only page is refused") {
  Guarded pair;
  pair.send({with([](auto& h) {
    h.notify = true;
    h.notification = read_only_at;
  })});
  REQUIRE(pair.at_a.faults.size() == 1);
  CHECK(pair.at_a.faults[0] == Faulted{Violation::read_only, cid, true, read_only_at});
  CHECK(pair.at_a.refusals == std::vector<Refused>{{Violation::read_only, cid, 2}});
  CHECK(pair.a.word(cid, read_only_at) == 0);
  CHECK(pair.b.deliveries.size() == 3);  // the data had left
}

TEST_CASE("a destination page that the system maps is written, and others wait for it") {
  Guarded pair;
  pair.b.unmap(cid, destination_at);
  pair.at_b.maps = true;
  CounterRandom random(7, 1);
  pair.send({with([](auto&) {})});
  CHECK(pair.b.bytes(cid, destination_at, 64) == random_bytes(random, 64));
  REQUIRE(pair.at_b.faults.size() == 1);
  CHECK(pair.at_b.faults[0] == Faulted{Violation::page, cid, true, destination_at});
  // The Receiver handles one packet at a time: later packets come out after the system's answer.
  for (const Delivery& delivery : pair.b.deliveries) CHECK(delivery.now > pair.at_b.answered_at);
  CHECK(pair.b.buffer_word(cid, BufferEntry::status_word) == 0);
}
TEST_CASE("packets to an address in no segment are refused, and later packets are not") {
  Guarded pair;
  pair.send({with([](auto& h) { h.destination = unmapped_at; })});
  CHECK(pair.at_b.refusals == std::vector<Refused>{{Violation::segment, cid, 0}});
  CHECK(pair.refused_packets() == 1);
  CHECK(pair.b.buffer_word(cid, BufferEntry::status_word) == static_cast<unsigned>(Violation::segment));
  CHECK(pair.b.buffer_word(other_cid, BufferEntry::status_word) == 0);
  CHECK(pair.status() == 0);  // the Sender is not notified
}
TEST_CASE("an atomic add to a read-only page is refused") {
  Guarded pair;
  pair.send({with([](auto& h) {
    h.protocol = Protocol::atomic_add;
    h.destination = read_only_at;
    h.length = 8;
  })});
  CHECK(pair.at_b.refusals == std::vector<Refused>{{Violation::read_only, cid, 0}});
  CHECK(pair.b.word(cid, read_only_at) == 0);
}
TEST_CASE("an address register at an odd address is refused") {
  Guarded pair;
  pair.b.memory.poke_word(buffers_at + std::uint64_t{64} * cid + std::uint64_t{8} * 2, 3);
  pair.send({with([](auto& h) { h.protocol = Protocol::remote_dma_register0; })});
  CHECK(pair.at_b.refusals == std::vector<Refused>{{Violation::alignment, cid, 0}});
}

TEST_CASE("a message without room is refused whole, and the pointer stays") {
  Guarded pair;
  pair.send({message(256), message(200), message(64), message(64)});  // a ring of 4 lines holds 3
  CHECK(pair.at_b.refusals ==
        std::vector<Refused>{{Violation::overrun, cid, 0}, {Violation::overrun, cid, 0}});
  CHECK(pair.b.buffer_word(cid, BufferEntry::message_word) == messages_at + 384);
  CHECK(pair.refused_packets() == 2);
  CHECK(pair.b.buffer_word(cid, BufferEntry::status_word) == static_cast<unsigned>(Violation::overrun));
}
TEST_CASE("a message to a page that is refused restores its pointer") {
  Guarded pair;
  pair.b.unmap(cid, messages_at);
  pair.send({message(256)});
  CHECK(pair.at_b.refusals == std::vector<Refused>{{Violation::page, cid, 0}});
  CHECK(pair.b.buffer_word(cid, BufferEntry::message_word) == messages_at);
}
TEST_CASE("a message to a page that is mapped on demand arrives") {
  Guarded pair;
  pair.b.unmap(cid, messages_at);
  pair.at_b.maps = true;
  CounterRandom random(7, 1);
  pair.send({message(64)});
  CHECK(pair.at_b.refusals.empty());
  CHECK(pair.b.bytes(cid, messages_at, 64) == random_bytes(random, 64));
  CHECK(pair.b.buffer_word(cid, BufferEntry::message_word) == messages_at + 128);
}
TEST_CASE("a message for a missing buffer is refused") {
  Guarded pair;
  pair.send({message(64, Protocol::message1)});
  CHECK(pair.at_b.refusals == std::vector<Refused>{{Violation::buffer, cid, 1}});
}
TEST_CASE("a read pointer outside its ring refuses only its own task's messages") {
  Guarded pair;
  pair.b.set(common_os_base + receiver_cid, cid);
  pair.b.set(receiver_task_base + message_read_pointer0, messages_at + 64);
  pair.a.push(3, message(64));
  pair.send({message(64)});
  CHECK(pair.at_b.refusals == std::vector<Refused>{{Violation::buffer, cid, 0}});
  CHECK(pair.b.buffer_word(other_cid, BufferEntry::message_word) == messages_at + 128);
}
TEST_CASE("a log buffer's overrun refuses the packet with its data") {
  Guarded pair;
  const auto logged = [](std::uint64_t at) {
    return with([&](auto& h) {
      h.log = true;
      h.destination = at;
    });
  };
  std::vector<ParcelHeader> headers(7, logged(destination_at));
  headers.push_back(logged(destination_at + 128));
  pair.send(headers);
  CHECK(pair.at_b.refusals == std::vector<Refused>{{Violation::overrun, cid, 2}});
  CHECK(pair.b.bytes(cid, destination_at + 128, 64) == std::vector<unsigned char>(64));
}

namespace {

constexpr std::uint64_t results_at = destination_at + 8192, notifications_at = destination_at + 12288;

/// Guarded with queues for replies, and notifications for node a's task.
struct Asking : Guarded {
  Asking() {
    for (Node* node : {&a, &b}) {
      node->open_set(reply_set, 0);
      node->open_set(2, cid);
    }
    a.memory.poke_word(
        buffers_at + std::uint64_t{64} * cid + std::uint64_t{8} * BufferEntry::reply_notification_word,
        notifications_at);
  }
  std::uint64_t notified(unsigned rrid) const {
    return a.word(cid, notifications_at + std::uint64_t{ReplyNotification::bytes} * rrid);
  }
};

ParcelHeader request(Protocol protocol, std::uint64_t remote, std::uint8_t rrid, std::uint32_t length = 8) {
  return with([&](auto& h) {
    h.protocol = protocol;
    h.source = remote;
    h.destination = results_at;
    h.notification = protocol == Protocol::swap ? results_at : 0;
    h.length = length;
    h.rrid = rrid;
  });
}

/// A read of which this number of pages exists.
void refused_reply_after(unsigned pages) {
  Asking pair;
  pair.b.unmap(cid, source_at + 4096 * pages);
  pair.send({request(Protocol::remote_read, source_at, 4, 8192)});
  const auto& replies = pair.a.deliveries;
  REQUIRE(replies.size() == 1 + 16 * pages);
  const PacketHeader& last = replies.back().header;
  CHECK((last.refused && last.last && last.payload_bytes == 0));
  CHECK(last.first == (pages == 0));
}

}  // namespace

TEST_CASE("a node refuses requests for what its task does not map, and the requesting task is notified") {
  Asking pair;
  std::vector<ParcelHeader> headers;
  for (std::uint8_t rrid = 0; rrid < 6; ++rrid) {
    const Protocol protocol = rrid % 2 == 0 ? Protocol::remote_read : Protocol::compare_swap;
    headers.push_back(request(protocol, rrid == 5 ? read_only_at : unmapped_at, rrid));
    headers.push_back(request(Protocol::swap, unmapped_at, 0));
  }
  headers.push_back(request(Protocol::remote_read, source_at, 9));
  pair.send(headers);
  for (unsigned rrid = 0; rrid < 6; ++rrid)
    CHECK(pair.notified(rrid) == (ReplyNotification::arrived | ReplyNotification::refused));
  CHECK(pair.notified(9) == ReplyNotification::arrived);
  CHECK(pair.at_a.refusals == std::vector<Refused>(12, {Violation::remote, cid, 0}));
  CHECK(pair.a.buffer_word(cid, BufferEntry::status_word) == static_cast<unsigned>(Violation::remote));
  CHECK(pair.b.word(cid, read_only_at) == 0);
  CHECK(pair.a.word(cid, results_at) == 0);
}
TEST_CASE("a refused request leaves its task's message pointer unchanged") {
  Asking pair;
  pair.send({message(64), request(Protocol::swap, unmapped_at, 0), message(64)});
  CHECK(pair.at_a.refusals == std::vector<Refused>{{Violation::remote, cid, 0}});
  CHECK(pair.b.buffer_word(cid, BufferEntry::message_word) == messages_at + 256);
}
TEST_CASE("a page that the TLB holds as read only is refused in its cycle") {
  Guarded pair;
  pair.send(std::vector<ParcelHeader>(3, with([](auto& h) { h.destination = read_only_at; })));
  CHECK(pair.at_b.refusals == std::vector<Refused>(3, {Violation::read_only, cid, 0}));
}
TEST_CASE("a remote read that reaches a missing page ends there") {
  Asking pair;
  CounterRandom random(11, 1);
  const auto data = random_bytes(random, 8192);
  pair.b.fill(cid, source_at, data);
  pair.b.unmap(cid, source_at + 4096);
  pair.send({request(Protocol::remote_read, source_at, 4, 8192)});
  CHECK(pair.notified(4) == (ReplyNotification::arrived | ReplyNotification::refused));
  CHECK(pair.a.bytes(cid, results_at, 4096) == std::vector<unsigned char>(data.begin(), data.begin() + 4096));
  CHECK(pair.at_b.refusals == std::vector<Refused>{{Violation::page, cid, reply_set}});
}
TEST_CASE("a refused reply without data is one empty packet, the first and the last") {
  refused_reply_after(0);
}
TEST_CASE("a refused reply after data ends with an empty packet") {
  refused_reply_after(1);
}
TEST_CASE("a reply to a page that is not mapped ends its request") {
  Asking pair;
  pair.a.unmap(cid, results_at);
  std::vector<ParcelHeader> headers(5, request(Protocol::remote_read, source_at, 4));
  headers.resize(10, request(Protocol::swap, source_at + 512, 0));
  pair.send(headers);
  CHECK(pair.at_a.refusals == std::vector<Refused>(10, {Violation::page, cid, 0}));
}
TEST_CASE("the operating system reads, swaps and compares at physical addresses") {
  Asking pair;
  pair.a.open_set(os_set, cid);
  pair.b.memory.poke_word(0x600008, 77);
  ParcelHeader read = request(Protocol::remote_read, 0x600008, 1);
  ParcelHeader swap = request(Protocol::swap, 0x600008, 0);
  for (ParcelHeader* header : {&read, &swap}) header->physical = true;
  read.destination = 0x700010;
  swap.destination = 88;
  swap.notification = 0x700018;
  pair.a.push(os_set, read);
  pair.a.push(os_set, swap);
  pair.a.ring_at_start(os_set);
  pair.send({});
  CHECK(pair.a.memory.peek_word(0x700010) == 77);
  CHECK(pair.a.memory.peek_word(0x700018) == 77);
  CHECK(pair.b.memory.peek_word(0x600008) == 88);
  // The packets have the requesting task's cid at the other node, too.
  for (const Delivery& one : pair.b.deliveries) CHECK((!one.header.physical || one.header.cid == cid));
  CHECK(pair.notified(1) == ReplyNotification::arrived);
}

TEST_CASE("a log on a page that is refused loses its entry, and no data") {
  Guarded pair;
  pair.b.unmap(cid, log_at);
  CounterRandom random(7, 1);
  std::vector<ParcelHeader> headers(3, with([](auto& h) { h.log = true; }));
  pair.send(headers);
  CHECK(pair.at_b.refusals == std::vector<Refused>(3, {Violation::page, cid, 0}));
  CHECK(pair.b.bytes(cid, destination_at, 64) == random_bytes(random, 64));
  CHECK(pair.b.buffer_word(cid, BufferEntry::log_word) == log_at);
}
TEST_CASE("a message whose log is refused stays, and the next one is placed after it") {
  Guarded pair;
  pair.b.unmap(cid, log_at);
  ParcelHeader logged = message(64);
  logged.log = true;
  CounterRandom random(7, 1);
  const auto data = random_bytes(random, 64);
  pair.send({logged, message(64)});
  CHECK(pair.at_b.refusals == std::vector<Refused>{{Violation::page, cid, 0}});
  CHECK(pair.b.buffer_word(cid, BufferEntry::message_word) == messages_at + 256);
  CHECK(pair.b.bytes(cid, messages_at, 64) == data);
  CHECK(pair.b.bytes(cid, messages_at + 128, 64) == data);
}
