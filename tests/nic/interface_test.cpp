// SPDX-License-Identifier: Apache-2.0
// The description of the interface against what the models do, and the header for software against the
// models.

#include "tsuji/nic/software/tsuji_nic.h"

#include <string>

#include "nic/described_registers.h"
#include "nic/rig.h"
#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/nic/parcel.h"
#include "tsuji/nic/registers.h"
#include "tsuji/nic/tables.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

tlm::tlm_response_status access_register(Node& node, tlm::tlm_command command, std::uint64_t offset) {
  std::uint64_t value = 0;
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(8);
  payload.set_streaming_width(8);
  sc_core::sc_time time;
  node.registers->b_transport(payload, time);
  return payload.get_response_status();
}

}  // namespace

TEST_CASE("the interface has the registers that its description has, and no others") {
  Pair pair("pair");
  elaborate();
  REQUIRE(described_registers.size() == 98);
  pair.at(3, [&] {
    for (std::uint64_t offset = 0; offset < register_space_bytes; offset += 8) {
      CAPTURE(offset);
      const auto place = described_registers.find(offset);
      const auto read = access_register(pair.a, tlm::TLM_READ_COMMAND, offset);
      if (place == described_registers.end()) {
        REQUIRE(read == tlm::TLM_ADDRESS_ERROR_RESPONSE);
        REQUIRE(access_register(pair.a, tlm::TLM_WRITE_COMMAND, offset) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
        continue;
      }
      REQUIRE(read == tlm::TLM_OK_RESPONSE);
      if (place->second == "ro")
        REQUIRE(access_register(pair.a, tlm::TLM_WRITE_COMMAND, offset) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
  });
  pair.run();
}

TEST_CASE("software's header reads each field of a parcel header that the models write") {
  CounterRandom random(11, 1);
  for (int i = 0; i < 1000; ++i) {
    ParcelHeader parcel;
    parcel.protocol = static_cast<Protocol>(random.below(16));
    parcel.kind = static_cast<PacketKind>(random.below(3));
    parcel.inline_data = random.below(2) != 0;
    parcel.notify = random.below(2) != 0;
    parcel.log = random.below(2) != 0;
    parcel.physical = random.below(2) != 0;
    parcel.interrupt = random.below(2) != 0;
    parcel.length = static_cast<std::uint32_t>(random.below(1 << 20));
    parcel.logical_pe = static_cast<std::uint16_t>(random.below(4096));
    parcel.rrid = static_cast<std::uint8_t>(random.below(64));
    parcel.source = random.next();
    parcel.destination = random.next();
    parcel.notification = random.next();
    tsuji_parcel_header software{};
    software.word0 =
        TSUJI_PUT(parcel.protocol, PARCEL_HEADER_PROTOCOL) | TSUJI_PUT(parcel.kind, PARCEL_HEADER_KIND) |
        TSUJI_PUT(parcel.inline_data, PARCEL_HEADER_INLINE_DATA) |
        TSUJI_PUT(parcel.notify, PARCEL_HEADER_NOTIFY) | TSUJI_PUT(parcel.log, PARCEL_HEADER_LOG) |
        TSUJI_PUT(parcel.physical, PARCEL_HEADER_PHYSICAL) | TSUJI_PUT(parcel.length, PARCEL_HEADER_LENGTH) |
        TSUJI_PUT(parcel.logical_pe, PARCEL_HEADER_LOGICAL_PE) | TSUJI_PUT(parcel.rrid, PARCEL_HEADER_RRID) |
        TSUJI_PUT(parcel.interrupt, PARCEL_HEADER_INTERRUPT);
    software.source = parcel.source;
    software.destination = parcel.destination;
    software.notification = parcel.notification;
    const auto words = parcel.encode();
    CHECK(words[0] == software.word0);
    CHECK(words[1] == software.source);
    CHECK(words[2] == software.destination);
    CHECK(words[3] == software.notification);
    CHECK(TSUJI_GET(words[0], PARCEL_HEADER_LENGTH) == parcel.length);
  }
  CHECK(sizeof(tsuji_parcel_header) == ParcelHeader::bytes);
}

TEST_CASE("software's header has the models' tables") {
  const auto node = NodeEntry{true, 0x2a5, 0x7c}.encode();
  CHECK(node ==
        (TSUJI_PUT(0x2a5, NODE_ENTRY_NODE) | TSUJI_PUT(0x7c, NODE_ENTRY_CID) | TSUJI_NODE_ENTRY_VALID_MASK));
  const auto page = PageEntry{true, true, 0x123456789000}.encode();
  CHECK(page == (UINT64_C(0x123456789000) | TSUJI_PAGE_ENTRY_VALID_MASK | TSUJI_PAGE_ENTRY_WRITABLE_MASK));
  const auto group = MulticastEntry{true, 5, 0x2fedc, 9}.encode();
  CHECK(group[0] == 5);
  CHECK(group[1] == (TSUJI_PUT(0x2fedc, MULTICAST_ENTRY_GROUP) | TSUJI_PUT(9, MULTICAST_ENTRY_CID) |
                     TSUJI_MULTICAST_ENTRY_VALID_MASK));
  CHECK(offsetof(tsuji_buffer_limits, word7) == 8 * BufferLimits::interrupt_word);
  CHECK(offsetof(tsuji_buffer_limits, message0_read_pointer) == 8 * BufferLimits::read_pointer_word);
  CHECK(TSUJI_BUFFER_LIMITS_RECEIVE_INTERRUPT_MASK == BufferLimits::receive_interrupt);
  CHECK(TSUJI_PUT(4, BUFFER_LIMITS_QUARTER_INTERRUPT) == BufferLimits::quarter_interrupt(2));
  CHECK(TSUJI_EVENT_QUARTER == static_cast<unsigned>(NicEvent::quarter));
  CHECK(TSUJI_QUEUE_STATE(3) == sender_os_base + 3 * sender_set_stride + queue_state);
  CHECK(TSUJI_CID_LIST(15) == event_os_base + cid_list0 + 15 * 8);
}
