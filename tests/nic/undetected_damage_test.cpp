// SPDX-License-Identifier: Apache-2.0

#include "nic/rig.h"
#include "support/catch.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

constexpr unsigned cid = 1, other_cid = 7;
constexpr std::uint64_t mapped_at = 0x10000, read_only_at = 0x20000, message_at = 0x11000, log_at = 0x12000;

/// A check that three or more flipped bits of a word deceive: it accepts the packet `hit` with a header that
/// was never sent.
class Deceived final : public PacketCheck {
 public:
  using Change = std::function<void(PacketHeader&)>;
  Deceived(PacketPool& pool, Change change) : pool_(pool), change_(std::move(change)) {}
  CheckResult check(const Packet& packet) override {
    if ((packet.id & 0xffffffffU) != hit) return {};
    PacketHeader header = PacketHeader::decode(packet.header);
    change_(header);
    CheckResult result{CheckVerdict::corrected, {}, pool_.clone(packet)};
    result.repaired.edit().header = header.encode();
    return result;
  }
  std::uint32_t hit = 1;

 private:
  PacketPool& pool_;
  Change change_;
};

struct Bench : Pair {
  explicit Bench(Deceived::Change change) : Pair("pair"), check(pool, std::move(change)) {
    elaborate();
    a.open_set(2, cid);
    b.open_set(2, cid);
    for (Node* node : {&a, &b}) {
      node->map(cid, mapped_at, 4);
      node->map(cid, read_only_at, 1, false);
      node->buffer(cid, 0, message_at, 1024);
      node->buffer(cid, 2, log_at, 128);
    }
    b.set(common_os_base + receiver_cid, cid);
    b.nic.set_check(&check);
  }
  std::uint64_t dropped() const {
    std::uint64_t all = 0;
    for (const std::uint64_t cause : b.nic.receiver_counters().dropped) all += cause;
    return all;
  }
  std::uint64_t impossible() const {
    return b.nic.receiver_counters().dropped[static_cast<unsigned>(ReceiverDropCause::impossible)];
  }
  Deceived check;
};

/// The second of three remote DMAs of 64 bytes has a changed header: the others arrive, and it is dropped.
void the_second_is_dropped(Deceived::Change change) {
  Bench bench(std::move(change));
  CounterRandom random(1, 1);
  const auto data = random_bytes(random, 64);
  bench.a.fill(cid, mapped_at, data);
  for (std::uint64_t n = 0; n < 3; ++n) {
    ParcelHeader header = dma(mapped_at, mapped_at + 0x100 * (n + 1), 64);
    header.log = true;
    bench.a.push(2, header);
  }
  bench.a.ring_at_start(2);
  bench.run();
  CHECK(bench.impossible() == 1);
  CHECK(bench.dropped() == 1);
  REQUIRE(bench.b.deliveries.size() == 2);
  CHECK(bench.b.deliveries[0].id == packet_id(0, 0));
  CHECK(bench.b.deliveries[1].id == packet_id(0, 2));
  const std::vector<unsigned char> nothing(64);
  CHECK(bench.b.bytes(cid, mapped_at + 0x100, 64) == data);
  CHECK(bench.b.bytes(cid, mapped_at + 0x200, 64) == nothing);
  CHECK(bench.b.bytes(cid, mapped_at + 0x300, 64) == data);
  // Both logs are written, one after the other, and no pointer moved for the dropped one.
  CHECK(bench.b.word(cid, log_at + 8) == mapped_at + 0x100);
  CHECK(bench.b.word(cid, log_at + 24) == mapped_at + 0x300);
  CHECK(bench.b.buffer_word(cid, BufferEntry::log_word) == log_at + 32);
  CHECK(bench.b.buffer_word(cid, 0) == message_at);
  CHECK(bench.b.nic.drained(bench.domain.now() + 200));
}

}  // namespace

TEST_CASE("undetected damage: a header with a longer packet is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.payload_bytes = 256; });
}
TEST_CASE("undetected damage: a header with an odd length is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.payload_bytes ^= 3; });
}
TEST_CASE("undetected damage: a header with an unknown protocol is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.protocol = static_cast<Protocol>(9); });
}
TEST_CASE("undetected damage: a header with a synchronization is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.protocol = Protocol::synchronization; });
}
TEST_CASE("undetected damage: a header with an atomic add of 64 bytes is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.protocol = Protocol::atomic_add; });
}
TEST_CASE("undetected damage: a header with an unmapped page is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.address |= std::uint64_t{1} << 60; });
}
TEST_CASE("undetected damage: a header with a read-only page is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.address = read_only_at; });
}
TEST_CASE("undetected damage: a header with an unaligned address is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.address |= 3; });
}
TEST_CASE("undetected damage: a header with words for an odd word is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.address |= 4; });
}
TEST_CASE("undetected damage: a header with the last bytes of the address space is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.address = ~std::uint64_t{0} - 7; });
}
TEST_CASE("undetected damage: a header with an unknown buffer is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.protocol = Protocol::message1; });
}
TEST_CASE("undetected damage: a header with an absent task is dropped and counted") {
  the_second_is_dropped([](PacketHeader& h) { h.cid = other_cid; });
}

namespace {

/// The second of three parcels of `bytes` has a changed header; `answers`: the node answers requests.
void a_request_is_dropped(std::uint32_t bytes, Deceived::Change change, bool answers = true) {
  Bench bench(std::move(change));
  if (answers) bench.b.open_set(reply_set, 0);
  for (std::uint64_t n = 0; n < 3; ++n) bench.a.push(2, dma(mapped_at, mapped_at + 0x100 * (n + 1), bytes));
  bench.a.ring_at_start(2);
  bench.run();
  CHECK(bench.impossible() == 1);
  CHECK(bench.dropped() == 1);
  CHECK(bench.b.deliveries.size() == 2);
  CHECK(bench.a.deliveries.empty());
  CHECK(bench.b.nic.drained(bench.domain.now() + 200));
}

}  // namespace

TEST_CASE("undetected damage: a header with a swap on an unmapped page is dropped and counted") {
  a_request_is_dropped(24, [](PacketHeader& h) {
    h.protocol = Protocol::swap;
    h.address = std::uint64_t{1} << 60;
  });
}
TEST_CASE("undetected damage: a header with a swap at an odd address is dropped and counted") {
  a_request_is_dropped(24, [](PacketHeader& h) {
    h.protocol = Protocol::swap;
    h.address = mapped_at + 4;
  });
}
TEST_CASE("undetected damage: a header with a read of nothing is dropped and counted") {
  a_request_is_dropped(16, [](PacketHeader& h) { h.protocol = Protocol::remote_read; });
}
TEST_CASE("undetected damage: a header with a request to a node without replies is dropped and counted") {
  a_request_is_dropped(
      24, [](PacketHeader& h) { h.protocol = Protocol::compare_swap; }, false);
}
TEST_CASE("undetected damage: a header with an unexpected reply is dropped and counted") {
  a_request_is_dropped(8, [](PacketHeader& h) { h.protocol = Protocol::swap_reply; });
}

TEST_CASE("a dropped message whose log has no place leaves no gap") {
  Bench bench([](PacketHeader& h) { h.log = true; });
  bench.b.buffer(cid, 2, log_at, 0);
  for (unsigned n = 0; n < 3; ++n) {
    ParcelHeader header = dma(mapped_at + std::uint64_t{8} * n, 0, 8);
    header.protocol = Protocol::message0;
    bench.a.fill(cid, mapped_at + std::uint64_t{8} * n,
                 std::vector<unsigned char>(8, static_cast<unsigned char>(n + 1)));
    bench.a.push(2, header);
  }
  bench.a.ring_at_start(2);
  bench.run();
  CHECK(bench.impossible() == 1);
  CHECK(bench.b.word(cid, message_at) == 0x0101010101010101);
  CHECK(bench.b.word(cid, message_at + 128) == 0x0303030303030303);
  CHECK(bench.b.buffer_word(cid, 0) == message_at + 256);
}

TEST_CASE("an equal header of a packet without damage stops the run") {
  OpenPair pair(cid);
  pair.a.map(cid, mapped_at, 1);
  pair.a.push(2, dma(mapped_at, mapped_at, 64));
  pair.a.ring_at_start(2);
  CHECK_THROWS_AS(pair.run(), ModelError);
}
