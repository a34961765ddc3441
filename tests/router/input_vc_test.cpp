// SPDX-License-Identifier: Apache-2.0

#include "tsuji/router/vc/input_vc.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::router;

namespace {

constexpr PacketIndex packet = 17;

FlitSlot slot_of(PacketIndex of, std::uint16_t sequence, unsigned flags = 0) {
  Flit flit;
  flit.packet = of;
  flit.sequence = sequence;
  flit.flags = static_cast<std::uint8_t>(Flit::is_flit | flags);
  FlitSlot slot;
  slot.fill(flit, 5);
  return slot;
}

}  // namespace

TEST_CASE("a head waits from its arrival at the front until it has left, and the packet until its tail has") {
  InputVc vc;
  FlitRing far_end;
  CHECK_FALSE(vc.head_waits());
  CHECK_FALSE(vc.head_left());
  vc.begin(packet, 30);
  CHECK(vc.state == VcState::routing);
  CHECK(vc.head_waits());
  CHECK(vc.since == 30);
  vc.wait();
  CHECK(vc.state == VcState::waiting);
  CHECK(vc.head_waits());
  vc.hold(far_end, 3, 2, 33);
  CHECK(vc.state == VcState::active);
  CHECK(vc.out == &far_end);
  CHECK(vc.out_port == 3);
  CHECK(vc.out_vc == 2);
  CHECK(vc.ready == 33);
  CHECK(vc.head_waits());
  CHECK(vc.since == 30);
  vc.flit_left(34);
  CHECK_FALSE(vc.head_waits());
  CHECK(vc.head_left());
  CHECK(vc.since == 34);
  vc.finish();
  CHECK(vc.state == VcState::idle);
  CHECK_FALSE(vc.head_waits());
  CHECK_FALSE(vc.head_left());
}

TEST_CASE("a packet that begins keeps no state of its predecessor") {
  InputVc vc;
  vc.begin(packet, 30);
  vc.reported = true;
  vc.flit_left(31);
  vc.flit_left(32);
  vc.finish();
  vc.begin(packet + 1, 40);
  CHECK(vc.packet == packet + 1);
  CHECK(vc.sequence == 0);
  CHECK(vc.since == 40);
  CHECK_FALSE(vc.reported);
}

TEST_CASE("only the packet's next flit is due, killed or not") {
  FlitSlot slots[2];
  InputVc vc;
  vc.slots = slots;
  vc.end = 2 * FlitRing::slot_words;
  vc.begin(packet, 10);
  slots[0] = slot_of(packet, 0, Flit::head);
  CHECK(vc.front_is_due());
  slots[0] = slot_of(packet + 1, 0, Flit::head);
  CHECK_FALSE(vc.front_is_due());
  slots[0] = slot_of(packet, 1);
  CHECK_FALSE(vc.front_is_due());
  vc.flit_left(11);
  CHECK(vc.front_is_due());
  slots[0].free(20);
  CHECK_FALSE(vc.front_is_due());
}
