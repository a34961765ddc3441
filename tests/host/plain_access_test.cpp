// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <vector>

#include "host/plain_bench.h"
#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/link/width_adapter.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::host::test;
using sc_core::sc_time;
using tlm::TLM_READ_COMMAND;
using tlm::TLM_WRITE_COMMAND;
using Kind = MemoryAccessKind;

namespace {
void moves_bytes(bool cached) {
  PlainBench bench;
  constexpr unsigned size = 1024;
  std::vector<unsigned char> flat(size);
  if (cached) bench.controller.bind_cache(bench.snooped);
  unsigned served = 0;
  bench.thread([&] {
    CounterRandom random(5, 1);
    for (unsigned i = 0; i < 3000; ++i) {
      if (cached && random.below(4) == 0) {  // the cache gets newer bytes
        const std::uint64_t line = random.below(size / 128) * 128;
        const std::uint64_t value = random.next();
        if (bench.snooped.cache.state(line) == LineState::invalid) {
          unsigned char bytes[128];
          bench.memory.storage().read(line, bytes, 128);
          bench.snooped.cache.fill(line, bytes);
        }
        bench.snooped.cache.store(line + 8, &value, 8);
        std::memcpy(&flat[line + 8], &value, 8);
      }
      const auto length = static_cast<unsigned>(1 + random.below(300));
      const std::uint64_t address = random.below(size - length);
      const unsigned width = random.below(3) == 0 ? 1 + random.below(length + 4) : length;
      std::array<unsigned char, 5> enables{};
      for (auto& enable : enables) enable = random.below(2) == 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
      const unsigned enable_length = random.below(2) == 0 ? 0 : 1 + random.below(5);
      std::vector<unsigned char> data(length);
      for (auto& byte : data) byte = static_cast<unsigned char>(random.next());
      std::vector<unsigned char> expected = data;
      const bool write = random.below(2) == 0;
      for (unsigned b = 0; b < length; ++b) {
        if (enable_length != 0 && enables[b % enable_length] == 0) continue;
        unsigned char& byte = flat[address + b % width];
        write ? byte = data[b] : expected[b] = byte;
      }
      bench.processor.transport(write ? TLM_WRITE_COMMAND : TLM_READ_COMMAND, address, data.data(), length,
                                sc_core::SC_ZERO_TIME, [&](auto& payload) {
                                  payload.set_streaming_width(width);
                                  if (enable_length == 0) return;
                                  payload.set_byte_enable_ptr(enables.data());
                                  payload.set_byte_enable_length(enable_length);
                                });
      CHECK(bench.processor.status == ok);
      CHECK(data == expected);
      ++served;
    }
  });
  bench.run();
  CHECK(served == 3000);
  unsigned char bytes[size];
  tlm::tlm_generic_payload payload;
  bench.processor.fill(payload, TLM_READ_COMMAND, 0, bytes, size);
  CHECK(bench.receiver.socket->transport_dbg(payload) == size);
  CHECK(std::memcmp(bytes, flat.data(), size) == 0);
}
}  // namespace

TEST_CASE(
    "plain access: any length, alignment, byte enables and streaming width move the right bytes, without a "
    "cache") {
  moves_bytes(false);
}

TEST_CASE(
    "plain access: any length, alignment, byte enables and streaming width move the right bytes, beside a "
    "cache") {
  moves_bytes(true);
}

namespace {
void costs(bool cached) {
  PlainBench bench;
  if (cached) bench.controller.bind_cache(bench.snooped);
  bench.snooped.make_dirty(0x2000, 77);
  bench.thread([&] {
    std::array<unsigned char, 256> data{};
    const auto cost = [&](tlm::tlm_command command, std::uint64_t address, unsigned length) {
      // Requested half a cycle after an edge: the grant comes half a cycle later.
      const sc_time edge = bench.main.time_of(bench.main.cycle_at_kernel_time() + 200);
      sc_core::wait(edge + cycles(0.5) - sc_core::sc_time_stamp());
      const sc_time end = bench.processor.transport(command, address, data.data(), length);
      CHECK(bench.processor.status == ok);
      return (end - edge) / cycles(1) - 1;
    };
    const double asked = cached ? 13 : 0;
    CHECK(cost(TLM_READ_COMMAND, 0, 8) == asked + 8);
    CHECK(cost(TLM_READ_COMMAND, 4, 8) == asked + 9);  // parts of two words
    CHECK(cost(TLM_READ_COMMAND, 3, 1) == asked + 8);
    CHECK(cost(TLM_READ_COMMAND, 0, 128) == asked + 23);
    // Two lines are two grants; the second comes when the first has ended.
    CHECK(cost(TLM_READ_COMMAND, 64, 128) == 2 * (asked + 8 + 7));
    CHECK(cost(TLM_WRITE_COMMAND, 0, 4) == (cached ? 13 + 8 : 0) + 2 + 1);
    CHECK(cost(TLM_WRITE_COMMAND, 0, 128) == 2 + 16);
    CHECK(cost(TLM_READ_COMMAND, 0x2000, 8) == (cached ? 34 : 8));
    std::memset(data.data(), 0, 256);
    CHECK(cost(tlm::TLM_IGNORE_COMMAND, 1ULL << 50, 4) == 1);
  });
  bench.run();
  const auto& counters = bench.controller.counters();
  const auto processors = static_cast<unsigned>(MemoryInitiator::processor);
  CHECK(counters.requests[static_cast<unsigned>(cached ? Kind::coherent_read : Kind::noncoherent_read)]
                         [processors] == 7);
  CHECK(counters.refused == 0);
}
}  // namespace

TEST_CASE("plain access: costs of its kind of request, to the cycle, without a cache") {
  costs(false);
}

TEST_CASE("plain access: costs of its kind of request, to the cycle, beside a cache") {
  costs(true);
}

TEST_CASE(
    "plain access: byte enables make a whole line a partial one, so that the cache's other bytes stay") {
  PlainBench bench;
  bench.controller.bind_cache(bench.snooped);
  bench.snooped.make_dirty(0x2000, 77);
  bench.thread([&] {
    std::array<unsigned char, 128> data{};
    data.fill(1);
    std::array<unsigned char, 16> enables{};
    enables[8] = TLM_BYTE_ENABLED;
    bench.first.transport(TLM_WRITE_COMMAND, 0x2000, data.data(), 128, sc_core::SC_ZERO_TIME,
                          [&](auto& payload) {
                            payload.set_byte_enable_ptr(enables.data());
                            payload.set_byte_enable_length(16);
                          });
  });
  bench.run();
  CHECK(bench.word(0x2000) == 77);
  CHECK(bench.word(0x2008) == 1);
  CHECK(bench.snooped.cache.state(0x2000) == LineState::invalid);
}

TEST_CASE("plain access: errors are responses, and change nothing") {
  PlainBench bench;
  const std::uint64_t end = bench.memory.storage().bytes();
  bench.thread([&] {
    std::array<unsigned char, 256> data{};
    data.fill(9);
    const auto status = [&](std::uint64_t address, unsigned length,
                            const std::function<void(tlm::tlm_generic_payload&)>& spoil = {}) {
      const sc_time before = present();
      const sc_time over = bench.first.transport(TLM_WRITE_COMMAND, address, data.data(), length,
                                                 sc_core::SC_ZERO_TIME, spoil);
      CHECK(over - before == cycles(2));
      sc_core::wait(over - sc_core::sc_time_stamp());
      return bench.first.status;
    };
    unsigned char enables[2] = {TLM_BYTE_ENABLED, 1};
    CHECK(status(end, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(status(end - 128, 136) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(status(end - 1, 2) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(status(~std::uint64_t{0} - 7, 16) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(status(0, 0) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(status(0, 8, [](auto& p) { p.set_data_ptr(nullptr); }) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(status(0, 8, [](auto& p) { p.set_streaming_width(0); }) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(status(0, 8, [&](auto& p) {
            p.set_byte_enable_ptr(enables);
            p.set_byte_enable_length(2);
          }) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    CHECK(status(0, 8, [&](auto& p) { p.set_byte_enable_ptr(enables); }) ==
          tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  });
  bench.run();
  CHECK(bench.controller.counters().refused == 9);
  CHECK(bench.word(0) == 0);
  CHECK(bench.word(end - 128) == 0);
}

TEST_CASE("plain access: a payload with the extension keeps its limits and the protocol's errors") {
  PlainBench bench;
  bench.thread([&] {
    std::uint64_t word = 1;
    const auto status = [&](const std::function<void(tlm::tlm_generic_payload&, MemoryAccess&)>& spoil) {
      MemoryAccess access;
      access.kind = Kind::coherent_write;
      const sc_time asked = present();
      const sc_time over =
          bench.first.transport(TLM_WRITE_COMMAND, 64, &word, 8, sc_core::SC_ZERO_TIME, [&](auto& payload) {
            payload.set_extension(&access);
            spoil(payload, access);
          });
      // A write of 8 bytes takes 24 cycles, a refusal one.
      CHECK(over - asked == cycles(bench.first.status == ok ? 25 : 2));
      sc_core::wait(over - sc_core::sc_time_stamp());
      return bench.first.status;
    };
    using Payload = tlm::tlm_generic_payload;
    unsigned char enables[1] = {TLM_BYTE_ENABLED};
    CHECK(status([](Payload&, MemoryAccess&) {}) == ok);
    CHECK(status([&](Payload& p, MemoryAccess&) {
            p.set_byte_enable_ptr(enables);
            p.set_byte_enable_length(1);
          }) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    CHECK(status([](Payload& p, MemoryAccess&) { p.set_streaming_width(4); }) ==
          tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(status([](Payload&, MemoryAccess& a) { a.kind = Kind::noncoherent_read; }) ==
          tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(status([](Payload& p, MemoryAccess&) { p.set_data_ptr(nullptr); }) ==
          tlm::TLM_GENERIC_ERROR_RESPONSE);
  });
  bench.run();
  CHECK(bench.controller.counters().refused == 4);
}

TEST_CASE("plain access: atomic accesses leave the initiator's write data unchanged") {
  PlainBench bench;
  const std::uint64_t before = 5;
  bench.memory.storage().write(64, &before, 8);
  bench.thread([&] {
    for (const Kind kind : {Kind::atomic_add, Kind::swap, Kind::compare_swap}) {
      std::array<std::uint64_t, 2> operands{bench.word(64), 9};
      const auto sent = operands;
      MemoryAccess access;
      access.kind = kind;
      const unsigned length = kind == Kind::compare_swap ? 16 : 8;
      const std::uint64_t old = bench.word(64);
      bench.first.transport(TLM_WRITE_COMMAND, 64, operands.data(), length, sc_core::SC_ZERO_TIME,
                            [&](auto& payload) { payload.set_extension(&access); });
      CHECK(bench.first.status == ok);
      CHECK(operands == sent);
      CHECK(access.old_value == old);
    }
  });
  bench.run();
  CHECK(bench.word(64) == 9);  // 5 + 5 = 10, replaced by 9
}

TEST_CASE("plain access: debug transport has no time and no effect on arbitration") {
  PlainBench bench;
  bench.controller.bind_cache(bench.snooped);
  bench.snooped.make_dirty(0x2000, 77);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint64_t word = 0;
  tlm::tlm_generic_payload payload;
  bench.first.fill(payload, TLM_READ_COMMAND, 0x2000, &word, 8);
  CHECK(bench.first.socket->transport_dbg(payload) == 8);
  CHECK(word == 77);
  CHECK(bench.snooped.cache.state(0x2000) == LineState::dirty);
  CHECK(bench.controller.counters().busy_cycles == 0);
  CHECK(bench.controller.counters().requests == MemoryControllerCounters{}.requests);
}

namespace {
void direct_pointers(bool cached) {
  PlainBench bench;
  if (cached) bench.controller.bind_cache(bench.snooped);
  const std::uint64_t before = 5;
  bench.memory.storage().write(0x3000, &before, 8);
  bench.thread([&] {
    tlm::tlm_generic_payload payload;
    tlm::tlm_dmi dmi;
    bench.first.fill(payload, TLM_WRITE_COMMAND, 0x3010, nullptr, 8);
    CHECK(bench.first.socket->get_direct_mem_ptr(payload, dmi) == !cached);
    std::uint64_t word = 0;
    bench.first.transport(TLM_READ_COMMAND, 0x3000, &word, 8);
    CHECK(bench.first.dmi_allowed == !cached);
    CHECK(word == 5);
    if (cached) return;
    CHECK(dmi.get_start_address() == 0x3000);
    CHECK(dmi.get_end_address() == 0x3fff);
    CHECK(dmi.is_read_write_allowed());
    CHECK(dmi.get_read_latency() == cycles(8));
    CHECK(dmi.get_write_latency() == cycles(3));
    dmi.get_dmi_ptr()[0] = 6;
    bench.receiver.transport(TLM_READ_COMMAND, 0x3000, &word, 8);
    CHECK(word == 6);
    bench.memory.allow_dmi(false);
    REQUIRE(bench.first.invalidated.size() == 1);
    CHECK(bench.receiver.invalidated.empty());
    CHECK_FALSE(bench.first.socket->get_direct_mem_ptr(payload, dmi));
    // Served nevertheless, at the time of the memory's b_transport, which equals the controller's for reads.
    sc_core::wait(cycles(100) - sc_core::sc_time_stamp());
    const sc_time asked = present();
    CHECK(bench.receiver.transport(TLM_READ_COMMAND, 0x3000, &word, 8) - asked == cycles(9));
    CHECK_FALSE(bench.receiver.dmi_allowed);
  });
  bench.run();
}
}  // namespace

TEST_CASE(
    "plain access: direct pointers while no cache is bound, with the controller's times, until invalidated, "
    "without a cache") {
  direct_pointers(false);
}

TEST_CASE(
    "plain access: direct pointers while no cache is bound, with the controller's times, until invalidated, "
    "beside a cache") {
  direct_pointers(true);
}

TEST_CASE("plain access: no direct pointer reaches beyond the controller's part of a memory") {
  PlainBench bench({}, 2);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::uint64_t end = bench.memory.storage().bytes() / 2;
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  bench.first.fill(payload, TLM_WRITE_COMMAND, end, nullptr, 8);
  CHECK_FALSE(bench.first.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_start_address() == end);
  CHECK(dmi.get_end_address() == ~std::uint64_t{0});
  payload.set_address(end - 8);
  CHECK(bench.first.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.get_end_address() == end - 1);
}

TEST_CASE("plain access: initiators of 64 bits are connected by an adapter") {
  PlainBench bench;
  PlainInitiator<64> wide("wide");
  WidthAdapter<64, 32> adapter("adapter");
  wide.socket.bind(adapter.from_initiator);
  adapter.to_target.bind(bench.controller.add_initiator("wide_place"));
  std::uint64_t read = 0;
  bench.thread([&] {
    std::uint64_t word = 0x1122334455667788;
    const sc_time end = wide.transport(TLM_WRITE_COMMAND, 8, &word, 8);
    CHECK(end == cycles(1 + 3));
    sc_core::wait(end);
    wide.transport(TLM_READ_COMMAND, 8, &read, 8);
    CHECK(read == word);
    auto& payload = wide.make();
    wide.fill(payload, TLM_READ_COMMAND, 8, &read, 4);
    sc_core::wait(cycles(100) - sc_core::sc_time_stamp());
    CHECK(wide.request(payload) == tlm::TLM_ACCEPTED);
    tlm::tlm_dmi dmi;
    CHECK(wide.socket->get_direct_mem_ptr(payload, dmi));
    CHECK(wide.socket->transport_dbg(payload) == 4);
    bench.memory.clear();
  });
  bench.run();
  REQUIRE(wide.answers.size() == 1);
  CHECK(wide.answers[0].data_at == cycles(101 + 8));
  CHECK(wide.invalidated.size() == 1);
}
