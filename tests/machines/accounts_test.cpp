// SPDX-License-Identifier: Apache-2.0

#include "machines/machines.h"
#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/host/library/barrier_program.h"
#include "tsuji/host/library/dma_program.h"
#include "tsuji/host/library/multicast_program.h"

using namespace tsuji;
using namespace tsuji::test;
using host::RankRuntime;

TEST_CASE("a hundred thousand barriers in a row lose none of their packets") {
  machines::Cenju4Config config;
  config.network.topology.nodes = 4;
  config.network.topology.stages = 1;
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  constexpr std::uint64_t rounds = 100'000;
  job.load([&](RankRuntime& runtime) { return std::make_unique<host::BarrierProgram>(runtime, rounds); });
  job.run([](Cycle) {});
  check_accounts(machine);
  for (NodeId node = 0; node < 4; ++node) {
    // One further barrier, which is not counted, lets all ranks begin together.
    CHECK(machine.node(node).interface().sender_counters().packets[2] == rounds + 1);
    CHECK(machine.node(node).interface().receiver_counters().packets[2] == rounds + 1);
  }
}

TEST_CASE("phases run one after another on one machine, and each leaves it empty") {
  machines::Cenju4Config config = small_machine(33);
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  Cycle before = 0;
  for (unsigned turn = 0; turn < 3; ++turn) {
    host::DmaProgram::Config dma;
    dma.source = turn;
    dma.destination = 32 - turn;
    dma.bytes = 40'000 + 8 * turn;
    job.load([&](RankRuntime& runtime) { return std::make_unique<host::DmaProgram>(runtime, dma); });
    job.run([](Cycle) {});
    check_accounts(machine);
    host::MulticastProgram::Config multicast;
    multicast.bytes = 1000 + 8 * turn;
    job.load(
        [&](RankRuntime& runtime) { return std::make_unique<host::MulticastProgram>(runtime, multicast); });
    job.run([](Cycle) {});
    check_accounts(machine);
    CHECK(job.start_cycle() > before);
    before = job.end_cycle();
  }
}

TEST_CASE("programs whose polled lines evict each other and wait forever are reported") {
  machines::Cenju4Config config = small_machine(4);
  config.processor.cache.ways = 1;
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  const auto play = [&](RankRuntime& runtime) {
    // The direct-mapped cache cannot hold two words that are a cache size apart: the poll never sleeps.
    const host::HeapBlock words(runtime.heap, 64 << 10);
    const std::string what = "words that nobody writes";
    runtime.cpu.store(words.address(), 0);
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t at = 0; at < (64 << 10); at += 4096) addresses.push_back(words.address() + at);
    runtime.cpu.poll_until(
        addresses.data(), addresses.size(),
        [&] {
          std::uint64_t found = 0;
          for (const std::uint64_t at : addresses) found |= runtime.cpu.load(at);
          return found != 0;
        },
        what);
  };
  CHECK_THAT(
      text_of<ModelError>([&] { run_script(job, play); }),
      Catch::Contains("4 of 4 programs wait forever") && Catch::Contains("for words that nobody writes"));
}

TEST_CASE("of programs that wait forever the first 16 are named, and the others counted") {
  machines::Cenju4Config config = small_machine(18);
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  const auto play = [&](RankRuntime& runtime) {
    const host::HeapBlock word(runtime.heap, 8);
    const std::uint64_t address = word.address();
    const std::string what = "a word that nobody writes";
    if (runtime.rank() == 3) return;
    runtime.cpu.store(address, 0);
    runtime.cpu.poll_until(
        &address, 1, [&] { return runtime.cpu.load(address) != 0; }, what);
  };
  CHECK_THAT(text_of<ModelError>([&] { run_script(job, play); }),
             Catch::Contains("17 of 18 programs wait forever") && Catch::Contains("node 16 waits") &&
                 Catch::Contains("\n  and 1 more\n17 of 18 ranks") && !Catch::Contains("node 17 waits") &&
                 !Catch::Contains("node 3 waits"));
}

TEST_CASE("a node's library has the areas of the operating system's layout") {
  machines::Cenju4Config config = small_machine(4);
  config.resolve();
  const machines::Cenju4Machine machine("machine", config);
  const host::OsAgent os(config.os, 2, {0, 1, 2, 3}, config.memory.bytes);
  const host::TaskMemory& given = os.layout();
  const host::TaskLayout& used = machine.node(2).layout();
  CHECK(used.header_queue == given.queue.address);
  CHECK(used.header_queue_bytes == given.queue.bytes);
  CHECK(used.synchronization_counters == given.synchronization_counters);
  for (unsigned buffer = 0; buffer < 2; ++buffer) {
    CAPTURE(buffer);
    CHECK(used.message_buffer[buffer] == given.message[buffer].address);
    CHECK(used.message_buffer_bytes[buffer] == given.message[buffer].bytes);
  }
}
