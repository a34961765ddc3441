// SPDX-License-Identifier: Apache-2.0
// The region that software reads at its start.

#include "tsuji/host/boot_block.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <cstring>

#include "host/plain_initiator.h"
#include "support/catch.h"
#include "tsuji/nic/software/tsuji_nic.h"

using namespace tsuji;
using namespace tsuji::host;

namespace {

struct BootReader final : sc_core::sc_module {
  explicit BootReader(sc_core::sc_module_name name) : sc_module(name) {}
  tlm_utils::simple_initiator_socket<BootReader> socket{"socket"};
};

struct BootBench {
  explicit BootBench(PagePlacement placement) : os(config(placement), 2, {5, 6, 7}, 64 << 20) {}
  static OsConfig config(PagePlacement placement) {
    OsConfig config;
    config.placement = placement;
    config.cid = 9;
    config.sender_set = 3;
    config.multicast_entries = 17;
    config.synchronization_entries = 18;
    return config;
  }
  tsuji_boot_block read() const {
    BootFacts facts;
    facts.node = 7;
    facts.nodes = 8;
    facts.clock_period_ps = 12500;
    facts.registers = 0x40000000;
    facts.interrupt_unit = 0x50000000;
    facts.memory_bytes = 64 << 20;
    const BootWords words = boot_words(os, facts);
    tsuji_boot_block block;
    static_assert(sizeof block == sizeof words, "the header for software has the models' size");
    std::memcpy(&block, words.data(), sizeof block);
    return block;
  }
  OsAgent os;
};

}  // namespace

TEST_CASE("boot block: software's header finds what the platform and the operating system have set") {
  const BootBench bench(PagePlacement::contiguous);
  const tsuji_boot_block block = bench.read();
  CHECK(TSUJI_GET(block.word0, BOOT_BLOCK_MAGIC) == TSUJI_BOOT_MAGIC);
  CHECK(TSUJI_GET(block.word0, BOOT_BLOCK_VERSION) == TSUJI_INTERFACE_VERSION);
  CHECK(TSUJI_GET(block.word1, BOOT_BLOCK_NODE) == 7);
  CHECK(TSUJI_GET(block.word1, BOOT_BLOCK_NODES) == 8);
  CHECK(block.clock_period_ps == 12500);
  CHECK(TSUJI_GET(block.word3, BOOT_BLOCK_LOGICAL_PE) == 2);
  CHECK(TSUJI_GET(block.word3, BOOT_BLOCK_CID) == 9);
  CHECK(TSUJI_GET(block.word3, BOOT_BLOCK_SENDER_SET) == 3);
  CHECK(TSUJI_GET(block.word3, BOOT_BLOCK_PES) == 3);
  CHECK(block.registers == 0x40000000);
  CHECK(block.interrupt_unit == 0x50000000);
  CHECK(block.memory_bytes == 64 << 20);
  CHECK(block.queue == bench.os.physical().queue);
  CHECK(block.queue_bytes == bench.os.layout().queue.bytes);
  CHECK(block.node_table == bench.os.physical().node_table);
  CHECK(block.node_table_entries == 3);
  CHECK(block.multicast_table == bench.os.physical().multicast_table);
  CHECK(block.multicast_table_entries == 17);
  CHECK(block.synchronization_table == bench.os.physical().synchronization_table);
  CHECK(block.synchronization_table_entries == 18);
  CHECK(block.segment_table == bench.os.tables_in_memory().segment_table);
  CHECK(block.buffer_table == bench.os.tables_in_memory().buffer_table);
  CHECK(block.buffer_limit_table == bench.os.tables_in_memory().buffer_limit_table);
  CHECK(block.synchronization_counters == bench.os.physical().synchronization_counters);
  CHECK(block.heap == bench.os.layout().heap.address);
  CHECK(block.heap_bytes == bench.os.layout().heap.bytes);
  CHECK(block.heap_physical == bench.os.address_space().translate(block.heap).physical);
  CHECK(block.message0_physical == bench.os.address_space().translate(block.message0).physical);
  CHECK(block.message1 == bench.os.layout().message[1].address);
  CHECK(block.message1_bytes == bench.os.layout().message[1].bytes);
  CHECK(block.log_physical == bench.os.address_space().translate(block.log).physical);
  CHECK(block.log_physical != 0);
}

TEST_CASE("boot block: buffers whose pages are scattered have no physical address") {
  const tsuji_boot_block block = BootBench(PagePlacement::scattered).read();
  CHECK(block.heap != 0);
  CHECK(block.heap_physical == 0);
  CHECK(block.message0_bytes != 0);
  CHECK(block.message0_physical == 0);
}

TEST_CASE("boot block: a target that can be read in parts and never written") {
  BootWords words{};
  words[1] = 0x0807060504030201;
  BootBlock block("block", words);
  BootReader reader("reader");
  auto& initiator = reader.socket;
  initiator.bind(block.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  tlm::tlm_generic_payload payload;
  std::uint32_t part = 0;
  const auto access = [&](tlm::tlm_command command, std::uint64_t address, unsigned length) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&part));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    sc_core::sc_time time;
    initiator->b_transport(payload, time);
    CHECK(time == sc_core::SC_ZERO_TIME);
    return payload.get_response_status();
  };
  CHECK(access(tlm::TLM_READ_COMMAND, 12, 4) == tlm::TLM_OK_RESPONSE);
  CHECK(part == 0x08070605);
  CHECK(access(tlm::TLM_READ_COMMAND, sizeof words - 4, 4) == tlm::TLM_OK_RESPONSE);
  CHECK(access(tlm::TLM_READ_COMMAND, sizeof words - 2, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access(tlm::TLM_READ_COMMAND, ~std::uint64_t{0}, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(access(tlm::TLM_WRITE_COMMAND, 12, 4) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(initiator->transport_dbg(payload) == 0);
  tlm::tlm_dmi dmi;
  CHECK_FALSE(initiator->get_direct_mem_ptr(payload, dmi));
  payload.set_command(tlm::TLM_READ_COMMAND);
  CHECK(initiator->transport_dbg(payload) == 4);
  CHECK(part == 0x08070605);
  REQUIRE(initiator->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.is_read_allowed());
  CHECK_FALSE(dmi.is_write_allowed());
  CHECK(dmi.get_dmi_ptr()[8] == 1);
}

TEST_CASE("boot block: a non-blocking request is answered at the time that it is annotated with") {
  BootWords words{};
  words[0] = 0x1122334455667788;
  BootBlock block("block", words);
  host::test::PlainInitiator<> initiator("initiator");
  initiator.socket.bind(block.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint64_t word = 0;
  auto& payload = initiator.make();
  initiator.fill(payload, tlm::TLM_READ_COMMAND, 0, &word, 8);
  const sc_core::sc_time ahead(7, sc_core::SC_NS);
  CHECK(initiator.request(payload, ahead) == tlm::TLM_UPDATED);
  CHECK(word == 0);
  sc_core::sc_start(sc_core::sc_time(50, sc_core::SC_NS));
  REQUIRE(initiator.answers.size() == 1);
  CHECK(initiator.answers[0].at == ahead);
  CHECK(initiator.answers[0].status == tlm::TLM_OK_RESPONSE);
  CHECK(word == words[0]);
  payload.release();
  CHECK(initiator.freed == 1);
}
