// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "host_library/mock_machine.h"
#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/host/library/memory_copy.h"
#include "tsuji/host/library/message_reader.h"
#include "tsuji/host/library/payload.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::test;

namespace {

MockConfig pair_of_ranks() {
  MockConfig config;
  config.ranks = 2;
  config.library.heap_bytes = 1 << 20;
  config.library.collective_messages = 3;
  return config;
}

}  // namespace

TEST_CASE("waiting is the time without work") {
  MockMachine machine(pair_of_ranks());
  Cycle elapsed = 0, waiting = 0, at_once = 1;
  CHECK(machine.run([&](RankRuntime& rank) {
    const HeapBlock word(rank.heap, 8), data(rank.heap, 64);
    rank.cpu.store(word.address(), 0);
    if (rank.rank() == 0) {
      rank.cpu.compute(100'000);
      // A message that gives the other rank's library work while it waits for the word.
      rank.messages.send(1, 0, data.address(), 64);
      rank.cpu.compute(100'000);
      rank.paralib.put_word(Target::pe(1), word.address(), 1);
      return;
    }
    rank.waiter.until([] { return true; }, "nothing");
    at_once = rank.waiter.waiting_cycles();
    const Cycle start = rank.cpu.now();
    rank.waiter.until([&] { return rank.cpu.load(word.address()) != 0; }, "a word", word.address());
    elapsed = rank.cpu.now() - start;
    waiting = rank.waiter.waiting_cycles();
    rank.messages.receive({0, 0, Context::user}, data.address(), 64);
  }));
  CHECK(at_once == 0);
  CHECK(elapsed > 200'000);
  // An arrival's software time is work: taking the message out of the buffer, 1,300 ns and a copy.
  CHECK(elapsed - waiting >= 104);
  CHECK(elapsed - waiting < 200);
}

TEST_CASE("taking a broadcast before its call is work, and no waiting") {
  MockMachine machine(pair_of_ranks());
  Cycle worked = 0;
  CHECK(machine.run([&](RankRuntime& rank) {
    const HeapBlock word(rank.heap, 8), data(rank.heap, 64);
    rank.cpu.store(word.address(), 0);
    rank.collectives.start();
    rank.collectives.barrier();
    if (rank.rank() == 0) {
      rank.cpu.compute(100'000);
      rank.collectives.broadcast({data.address(), 64}, 0);
      rank.cpu.compute(100'000);
      rank.paralib.put_word(Target::pe(1), word.address(), 1);
    } else {
      const Cycle start = rank.cpu.now(), before = rank.waiter.waiting_cycles();
      rank.waiter.until([&] { return rank.cpu.load(word.address()) != 0; }, "a word", word.address());
      worked = rank.cpu.now() - start - (rank.waiter.waiting_cycles() - before);
      rank.collectives.broadcast({data.address(), 64}, 0);
    }
  }));
  // 1,300 ns and a copy.
  CHECK(worked >= 104);
  CHECK(worked < 200);
}

TEST_CASE("messages are read whole and in order, around the buffer's end, and reading is reported in time") {
  MockMachine machine(pair_of_ranks());
  // Room for three of the largest and a third more, in quarters of whole lines.
  CHECK(machine.runtime(1).layout.message_buffer_bytes[1] == 1536);
  constexpr unsigned messages = 60;
  const auto payload_bytes = [](unsigned number) -> std::uint64_t { return number * 40 % 232; };
  const auto byte_of = [](unsigned number, std::uint64_t at) {
    return static_cast<unsigned char>(number * 7 + at);
  };
  CHECK(machine.run([&](RankRuntime& rank) {
    const HeapBlock word(rank.heap, 8), slot(rank.heap, 256);
    rank.cpu.store(word.address(), 0);
    MessageReader reader(rank.cpu, rank.layout, 1);
    for (unsigned number = 0; number < messages; ++number) {
      const std::uint64_t bytes = payload_bytes(number);
      std::vector<unsigned char> payload(bytes);
      if (rank.rank() == 0) {
        Envelope envelope;
        envelope.sequence = number;
        envelope.message_bytes = bytes;
        const auto words = envelope.encode();
        for (std::uint64_t at = 0; at < bytes; ++at) payload[at] = byte_of(number, at);
        rank.cpu.store_block(slot.address(), words.data(), Envelope::bytes);
        rank.cpu.store_block(slot.address() + Envelope::bytes, payload.data(), bytes);
        rank.paralib.send(Target::pe(1), 1, slot.address(),
                          static_cast<std::uint32_t>(Envelope::bytes + (bytes + 7) / 8 * 8));
        const std::uint64_t taken = number + 1;
        rank.cpu.poll_until(
            std::array<std::uint64_t, 1>{word.address()}.data(), 1,
            [&] { return rank.cpu.load(word.address()) == taken; }, "its taking");
        continue;
      }
      Envelope envelope;
      const std::uint64_t pointer = reader.pointer_address();
      rank.cpu.poll_until(
          &pointer, 1, [&] { return reader.open(envelope); }, "a message");
      if (envelope.sequence != number || envelope.message_bytes != bytes)
        throw ModelError("test", number, "", "another message");
      reader.payload(payload.data(), bytes);
      for (std::uint64_t at = 0; at < bytes; ++at) {
        if (payload[at] != byte_of(number, at)) throw ModelError("test", number, "", "a wrong byte");
      }
      reader.close(bytes);
      if (reader.open(envelope) || reader.messages() != number + 1)
        throw ModelError("test", number, "", "a message that was not sent");
      rank.paralib.put_word(Target::pe(0), word.address(), number + 1);
    }
  }));
  CHECK(machine.fullest_buffer() > 0.3);
}

TEST_CASE("memory is copied and added up in words, and a shorter last number separately") {
  MockConfig config = pair_of_ranks();
  MockMachine machine(config);
  const SoftwareCycles times = SoftwareTimes{}.in_cycles(ClockPeriod(12500));
  CHECK(machine.run([&](RankRuntime& rank) {
    if (rank.rank() == 1) return;
    for (const std::uint64_t bytes : {0U, 1U, 7U, 8U, 9U, 1016U, 1023U, 1024U, 1025U, 1032U, 2048U, 3001U}) {
      const HeapBlock from(rank.heap, bytes + 8), to(rank.heap, bytes + 8);
      CounterRandom random(bytes, 1);
      std::vector<unsigned char> a(bytes + 8), b(bytes + 8), found(bytes + 8);
      for (auto& byte : a) byte = static_cast<unsigned char>(random.next());
      for (auto& byte : b) byte = static_cast<unsigned char>(random.next());
      rank.cpu.store_block(from.address(), a.data(), bytes + 8);
      rank.cpu.store_block(to.address(), b.data(), bytes + 8);
      add_memory(rank.cpu, times, to.address(), from.address(), bytes);
      rank.cpu.load_block(to.address(), found.data(), bytes + 8);
      std::vector<unsigned char> sum = b;
      for (std::uint64_t at = 0; at < bytes; at += 8) {
        const std::uint64_t part = std::min<std::uint64_t>(8, bytes - at);
        std::uint64_t x = 0, y = 0;
        std::memcpy(&x, a.data() + at, part);
        std::memcpy(&y, b.data() + at, part);
        x += y;
        std::memcpy(sum.data() + at, &x, part);
      }
      if (found != sum) throw ModelError("test", bytes, "", "a wrong sum");
      copy_memory(rank.cpu, times, to.address(), from.address(), bytes);
      rank.cpu.load_block(to.address(), found.data(), bytes + 8);
      std::copy(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(bytes), sum.begin());
      if (found != sum) throw ModelError("test", bytes, "", "a wrong copy");
    }
  }));
}

TEST_CASE("bytes of another message, or a wrong byte anywhere, are reported with their place") {
  MockMachine machine(pair_of_ranks());
  CHECK(machine.run([](RankRuntime& rank) {
    if (rank.rank() == 1) return;
    const std::uint64_t bytes = 9001;
    const HeapBlock block(rank.heap, bytes + 7);
    Payload payload(rank.cpu);
    const PayloadKey key{3, 4, 5, 6};
    const auto refused = [&](const PayloadKey& other, std::uint64_t count) -> std::string {
      return text_of<ModelError>([&] { payload.check(other, block.address(), count); });
    };
    payload.write(key, block.address(), bytes);
    REQUIRE(refused(key, bytes).empty());
    REQUIRE(refused(key, 0).empty());
    // Every part of the key changes already the first bytes.
    for (const PayloadKey& other :
         {PayloadKey{4, 3, 5, 6}, {2, 4, 5, 6}, {3, 5, 5, 6}, {3, 4, 6, 6}, {3, 4, 5, 7}, {3, 4, -5, 6}})
      REQUIRE_THAT(refused(other, 8), Catch::Contains(": byte 0 of 8 is"));
    for (const std::uint64_t at : {0U, 7U, 8U, 4095U, 4096U, 9000U}) {
      unsigned char byte = 0;
      rank.cpu.app_read(block.address() + at, &byte, 1);
      const unsigned char wrong = byte ^ 0x10U;
      rank.cpu.app_write(block.address() + at, &wrong, 1);
      REQUIRE_THAT(
          refused(key, bytes),
          Catch::Contains("message 6 from rank 3 to rank 4, tag 5: byte " + std::to_string(at) +
                          " of 9001 is " + std::to_string(wrong) + " and should be " + std::to_string(byte)));
      REQUIRE(refused(key, at).empty());
      rank.cpu.app_write(block.address() + at, &byte, 1);
    }
    // A sum's parts: with one rank the part is the sum.
    payload.write_part(7, 0, block.address(), bytes);
    payload.check_sum(7, 1, block.address(), bytes);
    REQUIRE_THROWS_WITH(payload.check_sum(8, 1, block.address(), bytes), Catch::Contains("sum 8: byte "));
    REQUIRE_THROWS_WITH(payload.check_sum(7, 2, block.address(), bytes), Catch::Contains("sum 7: byte 0"));
    payload.write_part(7, 1, block.address(), bytes);
    REQUIRE_THROWS_AS(payload.check_sum(7, 1, block.address(), bytes), ModelError);
  }));
}
