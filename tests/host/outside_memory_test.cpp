// SPDX-License-Identifier: Apache-2.0
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <vector>

#include "host/plain_bench.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::host::test;
using sc_core::sc_time;
using tlm::TLM_READ_COMMAND;
using tlm::TLM_WRITE_COMMAND;
using Kind = MemoryAccessKind;

namespace {

/// An external memory: no direct pointers, a configurable time, part of it waited for and part annotated.
class ForeignMemory final : public sc_core::sc_module {
 public:
  explicit ForeignMemory(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &ForeignMemory::b_transport);
    socket.register_transport_dbg(this, &ForeignMemory::transport_dbg);
  }
  tlm_utils::simple_target_socket<ForeignMemory> socket;
  sc_time waits, annotates;
  std::uint64_t faulty = never;  ///< this line answers with an error
  bool takes_writes = false;     ///< ... except for writes
  static constexpr std::uint64_t bytes = 1 << 20;
  std::vector<unsigned char> memory = std::vector<unsigned char>(bytes);
  std::vector<sc_time> accesses;

 private:
  unsigned move(tlm::tlm_generic_payload& payload) {
    unsigned char* at = memory.data() + payload.get_address();
    if (payload.is_write())
      std::memcpy(at, payload.get_data_ptr(), payload.get_data_length());
    else
      std::memcpy(payload.get_data_ptr(), at, payload.get_data_length());
    return payload.get_data_length();
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return move(payload); }
  void b_transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    CHECK(sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_THREAD_PROC_);
    CHECK(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE);
    accesses.push_back(sc_core::sc_time_stamp() + delay);
    if (waits != sc_core::SC_ZERO_TIME) wait(waits);
    delay += annotates;
    const bool bad = payload.get_address() / 128 * 128 == faulty && !(payload.is_write() && takes_writes);
    if (!bad) move(payload);
    payload.set_response_status(bad ? tlm::TLM_GENERIC_ERROR_RESPONSE : ok);
  }
};

struct OutsideBench {
  OutsideBench()
      : main("main", {}),
        memory("memory"),
        controller("controller", main, {}, ForeignMemory::bytes),
        receiver("receiver", main, main),
        sender("sender", main, main),
        processor("processor") {
    controller.memory().bind(memory.socket);
    receiver.socket.bind(controller.receiver);
    sender.socket.bind(controller.sender);
    processor.socket.bind(controller.processor);
  }
  void run() {
    sc_core::sc_start();
    main.rethrow_failure();
  }
  ClockDomain main;
  ForeignMemory memory;
  MemoryController controller;
  Requester receiver, sender;
  PlainInitiator<> processor;
};

}  // namespace

TEST_CASE("outside memory: its time counts only beyond the controller's own") {
  OutsideBench bench;
  struct Time {
    double waits, annotates;
    Cycle extra;  ///< extra cycles of a noncoherent read of 8 bytes, which takes 8 in the controller
  };
  const std::vector<Time> times{{0, 0, 0},   {0, 8, 0},   {7.5, 0, 0},     {0, 8.5, 1},
                                {20, 0, 13}, {0, 20, 12}, {10.5, 9.75, 13}};
  bench.memory.memory[64] = 5;
  std::vector<Requester::Request> one, other;
  for (unsigned i = 0; i < times.size(); ++i) {
    one.push_back({10 + 100 * i, Kind::noncoherent_read, 64, 8, 0});
    other.push_back({12 + 100 * i, Kind::noncoherent_read, 64, 8, 0});
  }
  bench.sender.plan(one);
  bench.receiver.plan(other);
  sc_core::sc_spawn([&] {
    for (const Time& time : times) {
      bench.memory.waits = cycles(time.waits);
      bench.memory.annotates = cycles(time.annotates);
      sc_core::wait(cycles(100));
    }
  });
  bench.run();
  Cycle busy = 0;
  for (unsigned i = 0; i < times.size(); ++i) {
    const Time& time = times[i];
    CAPTURE(time.waits, time.annotates);
    const auto& first = bench.sender.answers[i];
    CHECK(first.last == 11 + 100 * i + 8 + time.extra);
    CHECK(first.first == first.last);
    CHECK(first.word == 5);
    CHECK(bench.receiver.answers[i].last == first.last + 8 + time.extra);
    // The answer is taken at the first edge after the memory's end; after a wait of whole cycles, one edge
    // later.
    CHECK(first.granted == 11 + 100 * i + static_cast<Cycle>(time.waits) + 1);
    // The extra cycle after a wait of whole cycles is counted for no initiator.
    busy += 2 * (8 + time.extra - (time.waits == 20 ? 1 : 0));
  }
  CHECK(bench.controller.counters().busy_cycles == busy);
}

TEST_CASE("outside memory: accesses of one request follow each other, and each kind has its own part") {
  OutsideBench bench;
  bench.memory.annotates = cycles(30);
  bench.sender.plan({{10, Kind::coherent_write, 0, 8, 7},
                     {110, Kind::coherent_write, 0, 128, 8},
                     {210, Kind::coherent_read, 0, 8, 0},
                     {310, Kind::atomic_add, 0, 8, 2}});
  bench.run();
  const auto cost = [&](unsigned i) { return bench.sender.answers[i].last - (11 + 100 * i); };
  // Without a cache 13 cycles are spent on the answer "absent"; the memory's part follows.
  CHECK(cost(0) == 13 + 30);
  CHECK(cost(1) == 30);
  CHECK(cost(2) == 13 + 30);
  CHECK(cost(3) == 13 + 60);  // a read and a write
  CHECK(bench.memory.accesses.size() == 5);
  CHECK(bench.memory.accesses[4] == bench.memory.accesses[3] + cycles(30));
  CHECK(bench.sender.answers[3].word == 8);
  CHECK(bench.memory.memory[0] == 10);
}

TEST_CASE("outside memory: its errors are responses") {
  OutsideBench bench;
  bench.memory.faulty = 128;
  bench.sender.plan({{10, Kind::noncoherent_read, 128, 8, 0}, {20, Kind::noncoherent_read, 0, 8, 0}});
  sc_core::sc_spawn([&] {
    sc_core::wait(cycles(100));
    unsigned char data[256];
    bench.processor.transport(TLM_READ_COMMAND, 0, data, 256);  // its second line
    CHECK(bench.processor.status == tlm::TLM_GENERIC_ERROR_RESPONSE);
    bench.processor.transport(TLM_READ_COMMAND, 256, data, 256);
    CHECK(bench.processor.status == ok);
    CHECK_FALSE(bench.processor.dmi_allowed);
  });
  bench.run();
  CHECK(bench.sender.answers[0].status == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(bench.sender.answers[1].status == ok);
}

TEST_CASE("outside memory: nothing is written if the bytes around it cannot be read") {
  OutsideBench bench;
  bench.memory.faulty = 128;
  bench.memory.takes_writes = true;
  sc_core::sc_spawn([&] {
    std::uint64_t word = ~std::uint64_t{0};
    unsigned char enables[] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
    bench.processor.transport(TLM_WRITE_COMMAND, 128, &word, 8, sc_core::SC_ZERO_TIME, [&](auto& payload) {
      payload.set_byte_enable_ptr(enables);
      payload.set_byte_enable_length(2);
    });
    CHECK(bench.processor.status == tlm::TLM_GENERIC_ERROR_RESPONSE);
    bench.processor.transport(TLM_WRITE_COMMAND, 136, &word, 8);
    CHECK(bench.processor.status == ok);
  });
  bench.run();
  for (unsigned byte = 128; byte < 144; ++byte) CHECK(bench.memory.memory[byte] == (byte < 136 ? 0 : 0xff));
}

TEST_CASE("outside memory: threads of one initiator arrive while it is busy, and wait for their turns") {
  OutsideBench bench;
  bench.memory.waits = cycles(40);
  std::vector<double> ends;
  for (const double at : {20.5, 25.5}) {
    sc_core::sc_spawn([&, at] {
      sc_core::wait(cycles(at));
      std::uint64_t word = 0;
      ends.push_back(bench.processor.transport(TLM_READ_COMMAND, 0, &word, 8) / cycles(1));
    });
  }
  bench.sender.plan({{10, Kind::noncoherent_read, 0, 8, 0}});
  bench.run();
  // Each is granted where its predecessor has ended, and is taken one cycle after the memory's 40.
  CHECK(ends == std::vector<double>{11 + 2 * 41, 11 + 3 * 41});
}

TEST_CASE("outside memory: debug transport uses the memory's debug transport, without time") {
  OutsideBench bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint64_t word = 0x0102;
  tlm::tlm_generic_payload payload;
  bench.processor.fill(payload, TLM_WRITE_COMMAND, 200, &word, 8);
  CHECK(bench.processor.socket->transport_dbg(payload) == 8);
  CHECK(bench.memory.memory[200] == 2);
  CHECK(bench.memory.accesses.empty());
}

namespace {

/// A cache that records the cycle of an invalidation, while the memory still works.
class SlowlySnooped final : public SnoopedCache {
 public:
  void snoop_invalidate(std::uint64_t address) override {
    invalidated = sc_core::sc_time_stamp();
    SnoopedCache::snoop_invalidate(address);
  }
  sc_time invalidated;
};

}  // namespace

TEST_CASE("outside memory: the cache is snooped in the cycle of the grant, whatever the memory's time") {
  OutsideBench bench;
  SlowlySnooped snooped;
  bench.controller.bind_cache(snooped);
  const unsigned char zero[128] = {};
  snooped.cache.fill(0, zero);
  const std::uint64_t dirty = 0x77;
  snooped.cache.store(8, &dirty, 8);
  bench.memory.waits = cycles(40);
  bench.sender.plan({{10, Kind::coherent_write, 0, 8, 9}});
  bench.run();
  CHECK(snooped.invalidated == cycles(11));
  // Flushed and merged: a write of the dirty line, then of the word.
  CHECK(bench.memory.memory[0] == 9);
  CHECK(bench.memory.memory[8] == 0x77);
  // 49 cycles for the whole line, 3 for the word; the memory's part of them is 16 + 3.
  CHECK(bench.sender.answers[0].last == 11 + 49 + 3 + (80 - 19));
  CHECK(bench.sender.answers[0].granted == 11 + 80 + 1);
}
