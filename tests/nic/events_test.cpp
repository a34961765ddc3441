// SPDX-License-Identifier: Apache-2.0
// Events that interrupt the operating system, and their cycles.

#include "nic/guarded.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;
using namespace tsuji::test::guarded;

namespace {

constexpr std::uint64_t bit(NicEvent event) {
  return std::uint64_t{1} << static_cast<unsigned>(event);
}
unsigned times(const System& system, NicEvent event) {
  unsigned times = 0;
  for (const std::uint64_t bits : system.events) times += (bits & bit(event)) != 0 ? 1 : 0;
  return times;
}

}  // namespace

TEST_CASE("a set that has sent everything raises its event when its last flit has left") {
  Guarded pair;
  pair.a.set(sender_os_base + 2 * sender_set_stride + empty_interrupt, 1);
  // The set is empty at once; after the parcels, one with a notification, it is empty a second time.
  ParcelHeader header = with([](auto& h) { h.length = 4096; });
  header.notify = true;
  header.notification = source_at + 8192;
  pair.at(2000, [&] { pair.a.ring(2); });
  pair.a.push(2, header);
  pair.run();
  CHECK(times(pair.at_a, NicEvent::sender_empty) == 2);
  CHECK(pair.a.word(cid, source_at + 8192) == sent_pattern);
  CHECK(pair.a.get(event_os_base + empty_sets) == 1U << 2U);
  pair.a.set(event_os_base + empty_sets, 1U << 2U);
  CHECK(pair.a.get(event_os_base + empty_sets) == 0);
}
TEST_CASE("a set is reported empty once, in the cycle in which its last flit has left") {
  Guarded pair;
  pair.a.set(sender_os_base + 2 * sender_set_stride + empty_interrupt, 1);
  pair.a.push(2, with([](auto& h) { h.length = 4096; }));
  pair.at(2000, [&] { pair.a.ring(2); });
  pair.a.push(3, with([](auto&) {}));  // a later parcel of another set raises no event of this set
  pair.at(20000, [&] { pair.a.ring(3); });
  pair.run();
  REQUIRE(times(pair.at_a, NicEvent::sender_empty) == 2);
  const Delivery& last = pair.b.deliveries[15];
  CHECK(pair.at_a.raised_at[1] == last.injected + PacketSizes{}.flits(PacketKind::single_cast, 256));
}
TEST_CASE("an enabled event that was not pending raises the interrupt") {
  struct Line final : InterruptLine {
    void raised(Cycle now) override { at.push_back(now); }
    std::vector<Cycle> at;
  } line;
  NicEvents events;
  events.set_line(&line);
  events.enable(bit(NicEvent::received), 1);
  events.sender_empty(2, 2);
  events.received(7, 3);
  events.received(8, 4);
  CHECK(line.at == std::vector<Cycle>{3});
  events.clear(bit(NicEvent::received), 0);
  events.received(7, 5);
  CHECK(line.at == std::vector<Cycle>{3, 5});
  events.enable(bit(NicEvent::received) | bit(NicEvent::sender_empty), 6);
  events.enable(0, 7);
  CHECK(line.at == std::vector<Cycle>{3, 5, 6});
  CHECK(events.pending() == (bit(NicEvent::received) | bit(NicEvent::sender_empty)));
  CHECK(events.cid_bits(CidList::received, 0) == 0x180);
}
TEST_CASE("a parcel interrupts its receiver if both enable it") {
  for (const bool sender : {false, true})
    CHECK(PacketHeader::decode([&] {
            PacketHeader header;
            header.interrupt = sender;
            return header.encode();
          }())
              .interrupt == sender);
  Guarded pair;
  pair.b.memory.poke_word(limits_at + std::uint64_t{128} * cid + 56, BufferLimits::receive_interrupt);
  const ParcelHeader quiet = with([](auto&) {});
  const ParcelHeader loud = with([](auto& h) {
    h.interrupt = true;
    h.length = 1024;
  });
  pair.a.push(3, loud);  // the other task has interrupts disabled
  pair.send({quiet, loud, quiet});
  CHECK(times(pair.at_b, NicEvent::received) == 1);
  CHECK(pair.b.get(event_os_base + cid_list0) == 1U << cid);
  pair.b.set(event_os_base + cid_list0, 1U << cid);
  CHECK(pair.b.get(event_os_base + cid_list0) == 0);
}
namespace {

/// Counts the interrupts of quarters while `lines` lines arrive in a message buffer of 32.
void check_quarters(unsigned lines, unsigned interrupts) {
  Guarded pair;
  pair.b.buffer(cid, 0, messages_at, 4096);
  pair.b.memory.poke_word(limits_at + std::uint64_t{128} * cid + 56, BufferLimits::quarter_interrupt(0));
  pair.send(std::vector<ParcelHeader>(lines, message(128)));
  CHECK(times(pair.at_b, NicEvent::quarter) == interrupts);
  CHECK(pair.b.get(event_os_base + cid_list0 + 32) == (interrupts == 0 ? 0 : 1U << cid));
}

}  // namespace

TEST_CASE("seven lines of 32 raise no quarter interrupt") {
  check_quarters(7, 0);
}
TEST_CASE("a buffer's pointer that enters another quarter interrupts") {
  check_quarters(8, 1);
}
TEST_CASE("the log's quarters interrupt independently") {
  Guarded pair;
  pair.b.memory.poke_word(limits_at + std::uint64_t{128} * cid + 56, BufferLimits::quarter_interrupt(2));
  std::vector<ParcelHeader> headers(2, with([](auto& h) { h.log = true; }));
  pair.send(headers);
  CHECK(times(pair.at_b, NicEvent::quarter) == 1);
  CHECK(pair.b.get(event_os_base + cid_list0 + 96) == 1U << cid);
}
TEST_CASE("events that are not enabled stay pending until they are") {
  Guarded pair;
  pair.b.set(event_os_base + event_enable, 0);
  pair.at(6000, [&] { pair.b.write(event_os_base + event_enable, bit(NicEvent::receiver_refused)); });
  pair.send({with([](auto& h) { h.protocol = Protocol::message1; })});
  CHECK(pair.at_b.events == std::vector<std::uint64_t>{bit(NicEvent::receiver_refused)});
  CHECK(pair.at_b.refusals.size() == 1);
}
TEST_CASE("a refusal between a handler's read and its acknowledgement is not lost") {
  NicEvents events;
  events.sender_refused(Violation::header, 4, 2, 1);
  const std::uint64_t seen = events.sender_refusal().encode();
  events.sender_refused(Violation::destination, 4, 2, 2);
  events.sender_refused(Violation::destination, 5, 3, 3);
  events.clear_sender_refusal(seen);
  CHECK(events.sender_refusal().encode() == (seen | std::uint64_t{1} << 32U));
  events.clear_sender_refusal(events.sender_refusal().encode());
  CHECK(events.sender_refusal().encode() == 0);
}
