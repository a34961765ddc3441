// SPDX-License-Identifier: Apache-2.0

#include "nic/rig.h"
#include "support/catch.h"

// Every step of a packet takes the cycles of its own key (rooms/nic.md, Time of a packet, step by step). All
// keys differ here, and the accesses that memory sees in between give the time of each step.

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

constexpr unsigned cid = 1;
constexpr std::uint64_t source_at = 0x800000;
constexpr Cycle select = 3, check_header = 5, set_port = 7, choose = 11, translate = 13, build = 17;
constexpr Cycle check = 19, place = 23, receiver_translate = 29;

/// Time of a coherent read from its grant to its first word, of a noncoherent one, and of a write from its
/// grant to its end without its words.
constexpr Cycle coherent = MemoryTimes{}.coherent_first, noncoherent = MemoryTimes{}.noncoherent_first,
                write = MemoryTimes{}.write;
constexpr Cycle grant = 1;  ///< after the request

NicConfig all_different() {
  NicConfig config;
  config.sender.select_queue_cycles = select;
  config.sender.check_header_cycles = check_header;
  config.sender.set_port_cycles = set_port;
  config.sender.choose_cycles = choose;
  config.sender.translate_cycles = translate;
  config.sender.build_header_cycles = build;
  config.receiver.check_cycles = check;
  config.receiver.place_cycles = place;
  config.receiver.translate_cycles = receiver_translate;
  return config;
}

Cycle free_at_once(const Packet& packet, unsigned, Cycle arrival) {
  return arrival + packet.flits;
}

/// Checks the steps from the read of the parcel's header to the cycle in which it is in its register. The
/// write pointer is written before cycle `seen`.
Cycle check_header_steps(const std::vector<MemoryRequest>& log, std::size_t first, Cycle seen) {
  REQUIRE(log.size() >= first + 2);
  CHECK(log[first].granted == seen + select + grant);
  CHECK(log[first].last_word == log[first].granted + coherent + 3);
  CHECK(log[first + 1].granted == log[first].last_word + check_header + grant);
  return log[first + 1].granted + noncoherent + set_port;
}

}  // namespace

TEST_CASE("each step of a parcel without data takes its own time") {
  Lone lone(all_different(), 1, free_at_once);
  elaborate();
  lone.node.open_set(2, cid);
  lone.node.push(2, inline_word(0x123, 0x400000));
  lone.at(1000, [&] { lone.node.ring(2); });
  lone.run();
  REQUIRE(lone.sink.seen.size() == 1);
  const Packet& packet = *lone.sink.seen[0].packet;
  CHECK(packet.created == check_header_steps(lone.node.memory.log, 0, 1001));
  CHECK(packet.injected == packet.created + 1 + choose + build);
}

TEST_CASE("each step of a parcel with data takes its own time, and its head leaves after its last grant") {
  NicConfig config = all_different();
  // Longer than the time in which the words come.
  config.sender.release_cycles = 90;
  Lone lone(config, 1, free_at_once);
  elaborate();
  lone.node.open_set(2, cid);
  lone.node.map(cid, source_at, 1);
  for (unsigned i = 0; i < 2; ++i) {
    lone.at(1000 * (i + 1), [&] {
      lone.node.push(2, dma(source_at, 0x400000, 8));
      lone.node.ring(2);
    });
  }
  lone.run();
  REQUIRE(lone.sink.seen.size() == 2);
  const auto& log = lone.node.memory.log;
  REQUIRE(log.size() == 2 + 2 + 1 + 2 + 1);  // header and table, walk, line; header and table, line
  const Packet& first = *lone.sink.seen[0].packet;
  CHECK(first.created == check_header_steps(log, 0, 1001));
  CHECK(log[2].granted == first.created + 1 + choose + translate + grant);
  // A walk ends with one more TLB look-up.
  CHECK(log[4].granted == log[3].last_word + translate + build + grant);
  CHECK(first.injected == log[4].granted + 90);
  const Packet& second = *lone.sink.seen[1].packet;
  CHECK(second.created == check_header_steps(log, 5, 2001));
  CHECK(log[7].granted == second.created + 1 + choose + translate + build + grant);
  CHECK(second.injected == log[7].granted + 90);
}

TEST_CASE("each step of a notification takes its own time, from its packet's last flit on") {
  Lone lone(all_different(), 1, free_at_once);
  elaborate();
  lone.node.open_set(2, cid);
  lone.node.map(cid, source_at, 1);
  ParcelHeader header = dma(0x123, 0x400000, 8);
  header.inline_data = header.notify = true;
  header.notification = source_at;
  for (unsigned i = 0; i < 2; ++i) {
    lone.at(1000 * (i + 1), [&] {
      lone.node.push(2, header);
      lone.node.ring(2);
    });
  }
  lone.run();
  REQUIRE(lone.sink.seen.size() == 2);
  const auto& log = lone.node.memory.log;
  REQUIRE(log.size() == 2 + 2 + 1 + 2 + 1);  // header and table, walk, notification; all but the walk again
  const auto gone = [](const Sink::Seen& seen) { return seen.packet->injected + seen.packet->flits; };
  CHECK(log[2].granted == gone(lone.sink.seen[0]) + choose + translate + grant);
  CHECK(log[4].granted == log[3].last_word + translate + grant);
  CHECK(log[7].granted == gone(lone.sink.seen[1]) + choose + translate + grant);
  CHECK(log[7].address == lone.node.physical(cid, source_at));
}

TEST_CASE("each step of a received packet takes its own time") {
  OpenPair pair(cid, all_different());
  pair.b.map(cid, source_at, 2);
  pair.b.buffer(cid, 0, source_at, 4096);
  ParcelHeader header = word_message();
  for (unsigned i = 0; i < 2; ++i) {
    pair.at(1000 * (i + 1), [&] {
      pair.a.push(2, header);
      pair.a.ring(2);
    });
  }
  pair.run();
  REQUIRE(pair.b.deliveries.size() == 2);
  const auto& log = pair.b.memory.log;
  // Buffer and limit table, walk of two reads, message, pointer; then message and pointer only.
  REQUIRE(log.size() == 4 + 2 + 2);
  const Cycle first_whole = pair.b.deliveries[0].injected + 1 + 22;
  CHECK(log[0].granted == first_whole + check + grant);
  CHECK(log[1].granted == log[0].last_word + grant);
  CHECK(log[2].granted == log[1].last_word + place + receiver_translate + grant);
  CHECK(log[4].granted == log[3].last_word + receiver_translate + grant);
  const Cycle second_whole = pair.b.deliveries[1].injected + 1 + 22;
  CHECK(log[6].granted == second_whole + check + place + receiver_translate + grant);
  CHECK(log[7].granted == log[6].last_word + grant);
  CHECK(pair.b.deliveries[1].now == log[7].granted + write + 1);
}
