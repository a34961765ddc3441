#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "host/plain_initiator.h"
#include "host/requester.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/host/cache.h"
#include "tsuji/host/memory.h"
#include "tsuji/host/memory_controller.h"
#include "tsuji/link/width_adapter.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::host::test;
using sc_core::sc_time;
using tlm::TLM_READ_COMMAND;
using tlm::TLM_WRITE_COMMAND;
using Kind = MemoryAccessKind;

namespace {

constexpr auto ok = tlm::TLM_OK_RESPONSE;

sc_time cycles(double count) {
  return sc_time(12.5 * count, sc_core::SC_NS);
}

class SnoopedCache final : public CacheSnoop {
 public:
  LineState snoop_read(std::uint64_t address, unsigned char* line) override {
    return cache.snoop_read(address, line);
  }
  void snoop_invalidate(std::uint64_t address) override { cache.invalidate(address); }
  bool write_back_granted(std::uint64_t address) override { return cache.state(address) == LineState::dirty; }
  unsigned char* debug_line(std::uint64_t address) override { return cache.find_data(address); }
  void make_dirty(std::uint64_t line, std::uint64_t value) {
    const unsigned char zero[128] = {};
    cache.fill(line, zero);
    cache.store(line, &value, 8);
  }
  Cache cache{CacheConfig{}};
};

/// Plain initiators in the places of Receiver and processor and in two further ones; a Sender with the
/// extension. A thread of the test's own is the initiators' program.
struct PlainBench {
  explicit PlainBench(const ClockDomainConfig& clock = {})
      : main("main", clock),
        memory("memory", {}),
        controller("controller", main, {}, memory.storage().bytes()),
        receiver("receiver"),
        processor("processor"),
        first("first"),
        second("second"),
        sender("sender", main, main) {
    controller.memory().bind(memory.socket);
    receiver.socket.bind(controller.receiver);
    sender.socket.bind(controller.sender);
    processor.socket.bind(controller.processor);
    first.socket.bind(controller.add_initiator("first_place"));
    second.socket.bind(controller.add_initiator("second_place"));
  }
  static void thread(const std::function<void()>& body) { sc_core::sc_spawn(body); }
  void run() {
    sc_core::sc_start();
    main.rethrow_failure();
  }
  std::uint64_t word(std::uint64_t address) {
    std::uint64_t value = 0;
    memory.storage().read(address, &value, 8);
    return value;
  }
  ClockDomain main;
  Memory memory;
  MemoryController controller;
  PlainInitiator<> receiver, processor, first, second;
  Requester sender;
  SnoopedCache snooped;
};

}  // namespace

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
    "plain access: any length, alignment, byte enables and streaming width move the bytes they should, "
    "without a cache") {
  moves_bytes(false);
}

TEST_CASE(
    "plain access: any length, alignment, byte enables and streaming width move the bytes they should, "
    "beside a cache") {
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
      // Asked for half a cycle after an edge: the grant comes half a cycle later.
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
    // Two lines are two grants; the second comes when the first is through.
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

TEST_CASE("plain access: costs of the row that it is, to the cycle, without a cache") {
  costs(false);
}

TEST_CASE("plain access: costs of the row that it is, to the cycle, beside a cache") {
  costs(true);
}

TEST_CASE("plain access: byte enables make a whole line a part of one, so that the cache's bytes stay") {
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

TEST_CASE("plain access: errors are answers, and change nothing") {
  PlainBench bench;
  const std::uint64_t end = bench.memory.storage().bytes();
  bench.thread([&] {
    std::array<unsigned char, 256> data{};
    data.fill(9);
    const auto status = [&](std::uint64_t address, unsigned length,
                            const std::function<void(tlm::tlm_generic_payload&)>& spoil = {}) {
      const sc_time before = sc_core::sc_time_stamp();
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
      const sc_time asked = sc_core::sc_time_stamp();
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

TEST_CASE("plain access: atomic accesses leave the initiator's write data alone") {
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
  CHECK(bench.word(64) == 9);  // 5 + 5, 10, 9 in its place
}

TEST_CASE("plain access: blocking ones take part in arbitration, in the order of places") {
  PlainBench bench;
  std::vector<std::pair<char, Cycle>> order;
  const auto read = [&](char who, PlainInitiator<>& initiator, double at) {
    bench.thread([&, who, at] {
      sc_core::wait(cycles(at));
      std::uint64_t word = 0;
      const sc_time end = initiator.transport(TLM_READ_COMMAND, 0, &word, 8);
      order.emplace_back(who, end / cycles(1));
    });
  };
  // All ask while the Sender's line (granted in 1, 23 cycles) is under way; the two of one place in their
  // order.
  read('2', bench.second, 4.25);
  read('1', bench.first, 3);
  read('p', bench.processor, 6.5);
  read('q', bench.processor, 2.5);
  read('r', bench.receiver, 20);
  bench.sender.plan({{0, Kind::noncoherent_read, 0, 128, 0}, {5, Kind::noncoherent_read, 0, 8, 0}});
  bench.run();
  // The Sender's second is registered in cycle 24, with its first's last word.
  using Order = std::vector<std::pair<char, Cycle>>;
  CHECK(order == Order{{'r', 24 + 8}, {'q', 40 + 8}, {'p', 48 + 8}, {'1', 56 + 8}, {'2', 64 + 8}});
  REQUIRE(bench.sender.answers.size() == 2);
  CHECK(bench.sender.answers[1].granted == 32);
}

TEST_CASE(
    "plain access: at any time, edges and annotations included, the next edge is the first that counts") {
  PlainBench bench;
  bench.thread([&] {
    std::uint64_t word = 0;
    const auto end_of = [&](double at, double ahead) {
      sc_core::wait(cycles(at) - sc_core::sc_time_stamp());
      return bench.first.transport(TLM_READ_COMMAND, 0, &word, 8, cycles(ahead)) / cycles(1);
    };
    CHECK(end_of(100, 0) == 101 + 8);  // at an edge
    CHECK(end_of(200.01, 0) == 201 + 8);
    CHECK(end_of(300.99, 0) == 301 + 8);
    CHECK(end_of(400, 50) == 451 + 8);  // an initiator that has run ahead
    CHECK(end_of(500, 50.5) == 551 + 8);
  });
  bench.run();
}

TEST_CASE("plain access: a request at an edge counts from the next one on, whichever process runs first") {
  // The thread's event and the controller's fall into one delta cycle in both orders.
  PlainBench bench;
  bench.sender.plan({{10, Kind::noncoherent_read, 0, 8, 0}, {30, Kind::noncoherent_read, 0, 8, 0}});
  for (unsigned k = 0; k < 2; ++k) {
    bench.thread([&, k] {
      sc_core::wait(cycles(11 + 20 * k));
      if (k == 1) sc_core::wait(sc_core::SC_ZERO_TIME);
      std::uint64_t word = 0;
      const sc_time end = bench.receiver.transport(TLM_READ_COMMAND, 0, &word, 8);
      CHECK(end == cycles(11 + 20 * k + 8 + 8));
    });
  }
  bench.run();
  CHECK(bench.sender.answers[0].granted == 11);
  CHECK(bench.sender.answers[1].granted == 31);
}

namespace {
void ends_responses(EndForm form) {
  PlainBench bench;
  bench.first.form = form;
  std::uint64_t words[3] = {};
  bench.thread([&] {
    auto& one = bench.first.make();
    bench.first.fill(one, TLM_READ_COMMAND, 0, &words[0], 8);
    auto& two = bench.first.make();
    bench.first.fill(two, TLM_READ_COMMAND, 8, &words[1], 8);
    sc_core::wait(cycles(10.5));
    CHECK(bench.first.request(one) == tlm::TLM_ACCEPTED);
    sc_core::wait(cycles(2));
    CHECK(bench.first.request(two) == tlm::TLM_ACCEPTED);  // BEGIN_RESP has ended the first request
    if (form == EndForm::called_later) {
      CHECK(one.get_ref_count() == 2);
      sc_core::wait(cycles(100) - sc_core::sc_time_stamp());
      CHECK(bench.first.answers.size() == 1);
      CHECK(bench.first.end(one) == tlm::TLM_COMPLETED);
    }
    sc_core::wait(cycles(200) - sc_core::sc_time_stamp());
    if (form == EndForm::called_later) CHECK(bench.first.end(two) == tlm::TLM_COMPLETED);
    CHECK(one.get_ref_count() == 1);
    CHECK(two.get_ref_count() == 1);
    one.release();
    two.release();
  });
  // The place alone is held up.
  bench.sender.plan({{50, Kind::noncoherent_read, 0, 8, 0}});
  bench.run();
  REQUIRE(bench.first.answers.size() == 2);
  CHECK(bench.first.answers[0].at == cycles(11));
  CHECK(bench.first.answers[0].data_at == cycles(11 + 8));
  // END_RESP at an edge counts from the next one on.
  CHECK(bench.first.answers[1].at == cycles(form == EndForm::called_later ? 101 : 19));
  CHECK(bench.sender.answers[0].granted == 51);
  CHECK(bench.first.freed == 2);
}
}  // namespace

TEST_CASE("plain access: a form of END_RESP, and requests in between, completed") {
  ends_responses(EndForm::completed);
}

TEST_CASE("plain access: a form of END_RESP, and requests in between, updated") {
  ends_responses(EndForm::updated);
}

TEST_CASE("plain access: a form of END_RESP, and requests in between, called") {
  ends_responses(EndForm::called_later);
}

TEST_CASE("plain access: a request from within a response is the next one") {
  PlainBench bench;
  std::uint64_t word = 0;
  tlm::tlm_generic_payload* next = nullptr;
  bench.first.on_response = [&](tlm::tlm_generic_payload&) {
    if (next == nullptr) return;
    CHECK(bench.first.request(*std::exchange(next, nullptr)) == tlm::TLM_ACCEPTED);
  };
  bench.thread([&] {
    auto& one = bench.first.make();
    auto& two = bench.first.make();
    bench.first.fill(one, TLM_READ_COMMAND, 0, &word, 8);
    bench.first.fill(two, TLM_READ_COMMAND, 0, &word, 8);
    next = &two;
    sc_core::wait(cycles(10.5));
    bench.first.request(one);
  });
  bench.run();
  REQUIRE(bench.first.answers.size() == 2);
  CHECK(bench.first.answers[1].at == cycles(19));
}

namespace {
DECLARE_EXTENDED_PHASE(foreign_phase);
}

TEST_CASE(
    "plain access: phases that it does not know are ignored, a target's own and a stray END_RESP are "
    "errors") {
  PlainBench bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint64_t word = 0;
  auto& payload = bench.first.make();
  bench.first.fill(payload, TLM_READ_COMMAND, 0, &word, 8);
  sc_time delay = sc_core::SC_ZERO_TIME;
  tlm::tlm_phase phase = foreign_phase;
  CHECK(bench.first.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED);
  for (const tlm::tlm_phase& wrong :
       {tlm::tlm_phase(tlm::END_REQ), tlm::tlm_phase(tlm::BEGIN_RESP), tlm::tlm_phase(tlm::END_RESP)}) {
    phase = wrong;
    CHECK_THROWS_AS(bench.first.socket->nb_transport_fw(payload, phase, delay), ModelError);
  }
  CHECK_THROWS_WITH(bench.first.socket->b_transport(payload, delay),
                    Catch::Contains("b_transport was called by a process that cannot wait"));
}

TEST_CASE("plain access: an initiator with a quantum contends at its own time") {
  PlainBench bench;
  std::vector<double> ends;
  bench.thread([&] {
    // 40 cycles of its own between accesses; the quantum is 100.
    sc_time local = sc_core::SC_ZERO_TIME;
    std::uint64_t word = 0;
    for (unsigned i = 0; i < 3; ++i) {
      local += cycles(40);
      const sc_time end = bench.first.transport(TLM_READ_COMMAND, 0, &word, 8, local);
      ends.push_back(end / cycles(1));
      local = end - sc_core::sc_time_stamp();
    }
  });
  bench.sender.plan({{40, Kind::noncoherent_read, 0, 128, 0}});  // granted in 41, in the way of the first
  bench.run();
  CHECK(ends == std::vector<double>{64 + 8, 72 + 41 + 8, 121 + 41 + 8});
}

TEST_CASE("plain access: debug transport has no time and no effect on turns") {
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
    // Served all the same, at the time of the memory's own b_transport, which is the controller's for reads.
    sc_core::wait(cycles(100) - sc_core::sc_time_stamp());
    const sc_time asked = sc_core::sc_time_stamp();
    CHECK(bench.receiver.transport(TLM_READ_COMMAND, 0x3000, &word, 8) - asked == cycles(9));
    CHECK_FALSE(bench.receiver.dmi_allowed);
  });
  bench.run();
}
}  // namespace

TEST_CASE(
    "plain access: direct pointers while no cache is bound, with the controller's times, until taken back, "
    "without a cache") {
  direct_pointers(false);
}

TEST_CASE(
    "plain access: direct pointers while no cache is bound, with the controller's times, until taken back, "
    "beside a cache") {
  direct_pointers(true);
}

TEST_CASE("plain access: initiators of 64 bits reach it by an adapter") {
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
