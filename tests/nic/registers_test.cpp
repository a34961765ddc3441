// SPDX-License-Identifier: Apache-2.0

#include "nic/rig.h"
#include "support/catch.h"
#include "tsuji/nic/packet_check.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

constexpr unsigned cid = 1;

struct Access {
  Node& node;
  std::uint64_t value = 0;
  unsigned length = 8, streaming = 8;
  unsigned char* enables = nullptr;
  sc_core::sc_time ahead{};  ///< by which the initiator has run ahead of the kernel
  tlm::tlm_response_status run(tlm::tlm_command command, std::uint64_t offset) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(length);
    payload.set_streaming_width(streaming);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(enables == nullptr ? 0 : 8);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.set_dmi_allowed(true);
    sc_core::sc_time time = ahead;
    node.registers->b_transport(payload, time);
    CHECK_FALSE(payload.is_dmi_allowed());
    CHECK(time == sc_core::SC_ZERO_TIME);
    return payload.get_response_status();
  }
  tlm::tlm_response_status read(std::uint64_t offset) { return run(tlm::TLM_READ_COMMAND, offset); }
  tlm::tlm_response_status write(std::uint64_t offset) { return run(tlm::TLM_WRITE_COMMAND, offset); }
};

}  // namespace

TEST_CASE("register accesses of the wrong kind get TLM's error responses") {
  Pair pair("pair");
  elaborate();
  pair.at(3, [&] {
    Access access{pair.a};
    CHECK(access.read(0x0000) == tlm::TLM_OK_RESPONSE);
    CHECK(access.read(0x0004) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access.read(0x0018) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access.write(0x0018) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access.write(queue_read_pointer) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(access.read(0x4000) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access.read(0x8060) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access.write(0x8060) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access.read(0xC028) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access.read(0xD038) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access.write(0xD038) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access.read(0xE058) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    // A task cannot change its identity: the registers that name it are on the operating system's page.
    CHECK(access.read(receiver_task_base) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(access.write(receiver_task_base) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    // The only valid answers to a fault.
    access.value = 3;
    CHECK(access.write(event_os_base + sender_fault_state) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(access.write(event_os_base + receiver_fault_state) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(access.read(0x10000) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    // The last register of every page.
    for (const std::uint64_t offset : {0x0010, 0x3010, 0x8058, 0xB058, 0xC020, 0xD030, 0xE050, 0xE0F8}) {
      access.value = 1;
      CHECK(access.read(offset) == tlm::TLM_OK_RESPONSE);
      CHECK(access.value == 0);
    }
    for (const std::uint64_t offset :
         {0x3018, 0x7FF8, 0xB060, 0xBFF8, 0xC028, 0xCFF8, 0xDFF8, 0xE058, 0xE078, 0xE100, 0xFFF8}) {
      CHECK(access.read(offset) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
      CHECK(access.write(offset) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    CHECK(access.run(tlm::TLM_IGNORE_COMMAND, 0) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    unsigned char enables[8] = {0, 1};  // 0 and 0xff are the only values
    access.enables = enables;
    CHECK(access.read(0) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    access.enables = nullptr;
    access.length = 0;
    CHECK(access.read(0) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    access.length = 8;
    access.streaming = 0;
    CHECK(access.read(0) == tlm::TLM_BURST_ERROR_RESPONSE);
    access.length = access.streaming = 16;
    CHECK(access.read(0) == tlm::TLM_BURST_ERROR_RESPONSE);
    access.length = access.streaming = 4;
    CHECK(access.read(6) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
  pair.run();
}

TEST_CASE("registers hold the written values, each set and half separately") {
  Pair pair("pair");
  elaborate();
  pair.at(3, [&] {
    Access access{pair.a};
    std::vector<std::uint64_t> offsets{0xC000, 0xC008, 0xC010, 0xD008, 0xD010,
                                       0xD018, 0xD020, 0xD028, 0xD030};
    for (unsigned set = 0; set < 4; ++set) {
      for (std::uint64_t at = source_pe; at <= synchronization_table_entries; at += 8) {
        offsets.push_back(sender_os_base + set * sender_set_stride + at);
      }
    }
    std::uint64_t value = 0;
    for (const std::uint64_t offset : offsets) {
      access.value = value += 128;
      if (offset % 0x1000 == source_pe && offset < 0xC000) access.value = value % 4096;
      CHECK(access.write(offset) == tlm::TLM_OK_RESPONSE);
    }
    value = 0;
    for (const std::uint64_t offset : offsets) {
      value += 128;
      CHECK(access.read(offset) == tlm::TLM_OK_RESPONSE);
      CHECK(access.value == (offset % 0x1000 == source_pe && offset < 0xC000 ? value % 4096 : value));
    }
    // The registers belong to the task that has the processor: the operating system exchanges them.
    access.value = 9;
    CHECK(access.write(common_os_base + receiver_cid) == tlm::TLM_OK_RESPONSE);
    CHECK(access.read(common_os_base + receiver_cid) == tlm::TLM_OK_RESPONSE);
    CHECK(access.value == 9);
    CHECK(access.read(receiver_task_base + address_register0) == tlm::TLM_OK_RESPONSE);
    CHECK(access.value == std::uint64_t{4} * 128);
  });
  pair.run();
}

TEST_CASE(
    "a value without a meaning for the hardware is refused with its cause, and to a debugger without one") {
  const std::uint64_t set2 = sender_os_base + 2 * sender_set_stride;
  struct Refused {
    std::uint64_t offset, value;
    std::string cause;
  };
  const std::vector<Refused> refused{
      {common_os_base + segment_table_base, 12, "segment table base is not a multiple of 8"},
      {common_os_base + buffer_table_base, 64, "buffer table base is not aligned to 128 bytes"},
      {common_os_base + buffer_limit_table_base, 64, "buffer limit table base is not aligned to 128 bytes"},
      {common_os_base + receiver_cid, 256, "cid 256 does not exist"},
      {set2 + queue_cid, 256, "set 2: cid 256 does not exist"},
      {set2 + source_pe, 4096, "set 2: a logical PE has 12 bits"},
      {set2 + queue_base, 2048, "set 2: queue base 2048 is not aligned"},
      {set2 + queue_bytes, 5000, "set 2: queue size 5000"}};
  Pair pair("pair");
  elaborate();
  for (const Refused& write : refused) {
    CHECK_THROWS_WITH(pair.a.set(write.offset, write.value), Catch::Contains(write.cause));
    CHECK(pair.a.debug_write(write.offset, write.value) == 0);
    CHECK(pair.a.get(write.offset) == 0);
  }
  pair.a.set(common_os_base + segment_table_base, 8);
  pair.a.set(common_os_base + buffer_table_base, 128);
  pair.a.set(common_os_base + buffer_limit_table_base, 256);
  pair.a.set(common_os_base + receiver_cid, 255);
  pair.a.set(set2 + queue_cid, 255);
  pair.a.set(set2 + source_pe, 4095);
  pair.a.set(set2 + queue_base, 4096);
  pair.a.set(set2 + queue_bytes, 4096);
}

TEST_CASE("an initiator that has run ahead of the kernel reaches a register at its own time") {
  Pair pair("pair");
  elaborate();
  sc_core::sc_time written;
  pair.at(3, [&] {
    sc_core::sc_spawn([&] {
      Access access{pair.a};
      access.value = 77;
      access.ahead = pair.domain.time_of(10) - pair.domain.time_of(0);
      CHECK(access.write(receiver_task_base + log_read_pointer) == tlm::TLM_OK_RESPONSE);
      written = sc_core::sc_time_stamp();
    });
  });
  pair.at(12, [&] { CHECK(pair.a.get(receiver_task_base + log_read_pointer) == 0); });
  pair.at(14, [&] { CHECK(pair.a.get(receiver_task_base + log_read_pointer) == 77); });
  pair.run();
  CHECK(written == pair.processors.time_of(13));
}

TEST_CASE("an address register counts for packets that arrive after it was written") {
  OpenPair pair(cid);
  pair.b.map(cid, 0x10000, 2);
  pair.b.set(common_os_base + receiver_cid, cid);
  ParcelHeader header;
  header.protocol = Protocol::remote_dma_register2;
  header.inline_data = true;
  header.length = 8;
  header.logical_pe = 1;
  header.destination = 0x100;
  for (unsigned i = 0; i < 4; ++i) {
    pair.at(1000 * i + 500,
            [&, i] { pair.b.write(receiver_task_base + address_register0 + 16, 0x10000 + 0x400 * i); });
    pair.at(1000 * i + 600, [&, i]() mutable {
      CHECK(pair.b.buffer_word(cid, BufferEntry::address_register_word + 2) == 0x10000 + 0x400 * i);
      header.source = i + 1;
      pair.a.push(2, header);
      pair.a.ring(2);
    });
  }
  pair.run();
  for (unsigned i = 0; i < 4; ++i) CHECK(pair.b.word(cid, 0x10100 + 0x400 * i) == i + 1);
  CHECK(pair.b.nic.receiver_counters().buffer_entry_misses == 1);
  CHECK(pair.b.nic.receiver_counters().buffer_entry_hits == 3);
}

namespace {

/// Drops and corrects packets by their serial number, in place of the check of flits.
struct Spoiler final : PacketCheck {
  CheckResult check(const Packet& packet) override {
    const auto serial = static_cast<std::uint32_t>(packet.id);
    if (serial % 5 == 1) return {CheckVerdict::dropped, static_cast<ReceiverDropCause>(serial / 5 % 3), {}};
    return {serial % 5 == 2 ? CheckVerdict::corrected : CheckVerdict::ok, {}, {}};
  }
};

}  // namespace

TEST_CASE("packets that the check drops are counted by cause, written nowhere, and release their place") {
  Pair pair("pair");
  Spoiler spoiler;
  pair.b.nic.set_check(&spoiler);
  elaborate();
  pair.a.open_set(2, cid);
  pair.b.open_set(2, cid);
  pair.b.map(cid, 0x10000, 1);
  for (unsigned i = 0; i < 60; ++i) {
    pair.a.push(2, inline_word(i + 1, 0x10000 + 8 * i));
  }
  pair.a.ring_at_start(2);
  pair.run();
  for (unsigned i = 0; i < 60; ++i) CHECK(pair.b.word(cid, 0x10000 + 8 * i) == (i % 5 == 1 ? 0 : i + 1));
  const auto& counters = pair.b.nic.receiver_counters();
  CHECK(counters.corrected == 12);
  CHECK(counters.dropped == std::array<std::uint64_t, receiver_drop_causes>{4, 4, 4, 0, 0, 0});
  CHECK(counters.packets[0] == 48);
  CHECK(pair.pool.in_use() == 0);
}
