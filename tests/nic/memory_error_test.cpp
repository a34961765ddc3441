// SPDX-License-Identifier: Apache-2.0
#include "nic/guarded.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;
using namespace tsuji::test::guarded;

// Error responses of the memory controller to a network interface whose interrupt line is connected.

namespace {

constexpr std::uint64_t valid = std::uint64_t{1} << 63;
constexpr std::uint64_t memory_error_bit = std::uint64_t{1} << static_cast<unsigned>(NicEvent::memory_error);

void fail_at(Node& node, std::uint64_t physical) {
  node.memory.fault = Memory::Fault::refuses;
  node.memory.faulty = physical;
}

}  // namespace

TEST_CASE("memory error: data that the Sender cannot read are 0, and all else proceeds") {
  Guarded pair;
  CounterRandom random(1, 1);
  const auto data = random_bytes(random, 256);
  pair.a.fill(cid, source_at + 4096, data);
  const std::uint64_t at = pair.a.physical(cid, source_at + 4096 + 128);
  fail_at(pair.a, at);
  const ParcelHeader header = with([](auto& h) {
    h.source = source_at + 4096;
    h.length = 256;
  });
  pair.send({header, header});
  auto expected = data;
  std::fill(expected.begin() + 128, expected.end(), 0);
  CHECK(pair.b.bytes(cid, destination_at, 256) == expected);
  REQUIRE_FALSE(pair.at_a.events.empty());
  CHECK((pair.at_a.events.front() & memory_error_bit) != 0);
  CHECK(pair.a.get(event_os_base + sender_memory_error) == (valid | at));
  CHECK(pair.a.get(event_os_base + receiver_memory_error) == 0);
  pair.a.set(event_os_base + sender_memory_error, 0);
  CHECK(pair.a.get(event_os_base + sender_memory_error) == 0);
}

TEST_CASE("memory error: a header that cannot be read is refused, the next one is not") {
  Guarded pair;
  const std::uint64_t first_header = queues_at + 2 * 0x10000;
  fail_at(pair.a, first_header);
  pair.send({with([](auto&) {})});
  CHECK(pair.b.bytes(cid, destination_at, 64) == std::vector<unsigned char>(64));
  CHECK(pair.a.get(event_os_base + sender_memory_error) == (valid | first_header));
  CHECK((pair.status() & 0xff) == static_cast<std::uint64_t>(Violation::header));
}

TEST_CASE(
    "memory error: the Receiver has a separate register, which keeps the first error until it is cleared") {
  Guarded pair;
  const std::uint64_t at = pair.b.physical(cid, destination_at);
  fail_at(pair.b, at + 8);
  pair.send({with([](auto&) {}), with([](auto&) {})});
  CHECK(pair.b.get(event_os_base + receiver_memory_error) == (valid | at));
  CHECK(pair.b.get(event_os_base + sender_memory_error) == 0);
  CHECK(pair.a.get(event_os_base + event_pending) == 0);
  pair.b.set(event_os_base + receiver_memory_error, 1);
  CHECK(pair.b.get(event_os_base + receiver_memory_error) == 0);
}

TEST_CASE("memory error: none from a target without the extension, whose words arrive at the same time") {
  Pair usual("usual"), plain("plain");
  plain.a.memory.plain = plain.b.memory.plain = true;
  elaborate();
  CounterRandom random(3, 1);
  const auto data = random_bytes(random, 4096);
  for (Pair* pair : {&usual, &plain}) {
    pair->a.open_set(2, cid);
    pair->b.open_set(2, cid);
    pair->a.map(cid, source_at, 2);
    pair->b.map(cid, destination_at, 2);
    pair->a.fill(cid, source_at, data);
    for (const unsigned bytes : {8U, 128U, 1000U, 4096U}) {
      ParcelHeader header = dma(source_at, destination_at, bytes);
      header.notify = true;
      header.notification = source_at + 4096;
      pair->a.push(2, header);
    }
    pair->a.ring_at_start(2);
  }
  usual.run();
  REQUIRE(usual.b.deliveries.size() > 16);
  REQUIRE(plain.b.deliveries.size() == usual.b.deliveries.size());
  for (std::size_t i = 0; i < usual.b.deliveries.size(); ++i) {
    CHECK(plain.b.deliveries[i].created == usual.b.deliveries[i].created);
    CHECK(plain.b.deliveries[i].injected == usual.b.deliveries[i].injected);
    CHECK(plain.b.deliveries[i].now == usual.b.deliveries[i].now);
  }
  CHECK(plain.b.bytes(cid, destination_at, 4096) == data);
  CHECK(plain.a.memory.log == usual.a.memory.log);
}
