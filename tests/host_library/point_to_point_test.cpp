// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host_library/mock_machine.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/host/library/payload.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::test;
using Catch::Contains;

namespace {

struct PlannedMessage {
  PayloadKey key;
  std::uint64_t bytes = 0;
};

/// The same random messages on all ranks; serial counts the messages of one (source, destination, tag).
std::vector<PlannedMessage> random_messages(std::uint32_t ranks, unsigned number, std::uint64_t seed) {
  const std::uint64_t sizes[] = {0, 1, 7, 8, 40, 223, 224, 225, 232, 1000, 5003, 20001};
  CounterRandom random(seed, 77);
  std::vector<PlannedMessage> messages;
  for (unsigned i = 0; i < number; ++i) {
    PlannedMessage message;
    message.key.source = static_cast<std::uint32_t>(random.below(ranks));
    message.key.destination = static_cast<std::uint32_t>(random.below(ranks));
    message.key.tag = static_cast<std::int32_t>(random.below(3));
    for (const PlannedMessage& before : messages) {
      if (before.key.source == message.key.source && before.key.destination == message.key.destination &&
          before.key.tag == message.key.tag) {
        ++message.key.serial;
      }
    }
    message.bytes = sizes[random.below(std::size(sizes))];
    messages.push_back(message);
  }
  return messages;
}

/// Starts all of a rank's messages in the planned order, sends and receives mixed, then waits in a random
/// order.
void exchange_all(RankRuntime& rank, const std::vector<PlannedMessage>& messages, std::uint64_t seed) {
  struct Started {
    RequestId request;
    bool receives;
    std::uint64_t block, address;
    PlannedMessage message;
  };
  CounterRandom random(seed, rank.rank());
  Payload payload(rank.cpu);
  std::vector<Started> started;
  const auto start = [&](const PlannedMessage& message, bool receives) {
    const std::uint64_t block = rank.heap.take(message.bytes + 16);
    const std::uint64_t address = block + (random.below(2) == 0 ? 0 : random.below(9));
    RequestId request = 0;
    if (receives) {
      request = rank.messages.irecv({message.key.source, message.key.tag, Context::user}, address,
                                    message.bytes + 3);
    } else {
      payload.write(message.key, address, message.bytes);
      request = rank.messages.isend(message.key.destination, message.key.tag, address, message.bytes);
    }
    started.push_back({request, receives, block, address, message});
    if (random.below(4) == 0) rank.cpu.compute(random.below(2000));
  };
  for (const PlannedMessage& message : messages) {
    if (message.key.source == rank.rank()) start(message, false);
    if (message.key.destination == rank.rank()) start(message, true);
  }
  while (!started.empty()) {
    const auto at = static_cast<std::ptrdiff_t>(random.below(started.size()));
    const Started one = started[static_cast<std::size_t>(at)];
    started.erase(started.begin() + at);
    const MessageStatus status = rank.messages.wait(one.request);
    if (one.receives) {
      if (status.bytes != one.message.bytes || status.source != one.message.key.source) {
        throw ModelError("test", 0, "", "a receive with a wrong status");
      }
      payload.check(one.message.key, one.address, status.bytes);
    } else {
      // A sender's later writes must not reach the receiver.
      payload.write(PayloadKey::between(99, 99), one.address, one.message.bytes);
    }
    rank.heap.give_back(one.block, one.message.bytes + 16);
  }
}

MockConfig tight(std::uint64_t seed) {
  MockConfig config;
  config.seed = seed;
  config.library.credits = 1;
  config.library.send_slots = 1;
  config.library.rendezvous_slots = 1;
  config.library.header_queue_bytes = 4096;
  config.library.heap_bytes = 4 << 20;
  return config;
}

}  // namespace

TEST_CASE("random messages arrive whole and in order, for any delays") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    MockConfig config = tight(seed);
    config.ranks = 2 + static_cast<std::uint32_t>(seed % 5);
    if (seed % 3 != 0) {
      config.library.credits = static_cast<std::uint32_t>(1 + seed % 4);
      config.library.send_slots = 4;
      config.library.rendezvous_slots = 3;
    }
    MockMachine machine(config);
    const auto messages = random_messages(config.ranks, 150, seed);
    const bool finished = machine.run([&](RankRuntime& rank) {
      rank.collectives.start();
      exchange_all(rank, messages, seed);
      rank.collectives.barrier();
      rank.messages.check_idle();
      if (rank.heap.blocks_in_use() != 0) throw ModelError("test", 0, "", "heap blocks left over");
    });
    CHECK(finished);
  }
}

TEST_CASE("many sends before any receive neither block nor overrun the message buffer") {
  MockConfig config = tight(3);
  config.ranks = 8;
  config.library.credits = 4;
  MockMachine machine(config);
  const bool finished = machine.run([&](RankRuntime& rank) {
    const std::uint32_t root = 0;
    Payload payload(rank.cpu);
    std::vector<RequestId> requests;
    const std::uint64_t bytes = rank.rank() == 6 ? 600 : 224;
    const std::uint64_t out = rank.heap.take(700);
    if (rank.rank() != root) {
      payload.write(PayloadKey::between(rank.rank(), root), out, bytes);
      for (unsigned i = 0; i < 60; ++i) requests.push_back(rank.messages.isend(root, 0, out, bytes));
      for (const RequestId request : requests) rank.messages.wait(request);
      return;
    }
    rank.cpu.compute(100000);
    for (std::uint32_t source = rank.ranks() - 1; source > 0; --source) {
      for (unsigned i = 0; i < 60; ++i) {
        const MessageStatus status = rank.messages.receive({source, 0, Context::user}, out, 700);
        payload.check(PayloadKey::between(source, root), out, status.bytes);
      }
    }
    rank.messages.check_idle();
  });
  CHECK(finished);
  // The case is a hard one if the buffer was as full as credits allow.
  CHECK(machine.fullest_buffer() > 0.5);
}

TEST_CASE("a receive from any source matches whichever message arrives") {
  MockConfig config = tight(5);
  config.ranks = 5;
  MockMachine machine(config);
  std::vector<unsigned> from(config.ranks, 0);
  CHECK(machine.run([&](RankRuntime& rank) {
    const std::uint64_t buffer = rank.heap.take(512);
    Payload payload(rank.cpu);
    if (rank.rank() != 0) {
      const auto tag = static_cast<std::int32_t>(rank.rank());
      const std::uint64_t bytes = rank.rank() == 2 ? 400 : 16;
      PayloadKey key = PayloadKey::between(rank.rank(), 0);
      key.tag = tag;
      payload.write(key, buffer, bytes);
      for (unsigned i = 0; i < 3; ++i) rank.messages.send(0, tag, buffer, bytes);
      return;
    }
    for (unsigned i = 0; i < 3 * (rank.ranks() - 1); ++i) {
      const MessageStatus status = rank.messages.receive({}, buffer, 512);
      PayloadKey key = PayloadKey::between(status.source, 0);
      key.tag = status.tag;
      payload.check(key, buffer, status.bytes);
      ++from[status.source];
    }
  }));
  CHECK(from == std::vector<unsigned>{0, 3, 3, 3, 3});
}

TEST_CASE("a sender waits for a full header queue") {
  // Headers are written in a few cycles and read in twenty: 127 fit.
  MockConfig config = tight(9);
  config.ranks = 2;
  config.software.paralib_send_ns = 0;
  MockMachine machine(config);
  const std::uint64_t words = 1000;
  Cycle first = 0, last = 0;
  CHECK(machine.run([&](RankRuntime& rank) {
    const std::uint64_t block = rank.heap.take(8 * words), end = block + 8 * (words - 1);
    rank.cpu.store(end, 0);
    if (rank.rank() == 0) {
      rank.cpu.compute(100'000);
      first = rank.cpu.now();
      for (std::uint64_t i = 0; i < words; ++i) rank.paralib.put_word(Target::pe(1), block + 8 * i, i + 1);
      last = rank.cpu.now();
    } else {
      rank.waiter.until([&] { return rank.cpu.load(end) != 0; }, "the last word", end);
      for (std::uint64_t i = 0; i < words; ++i) CHECK(rank.cpu.load(block + 8 * i) == i + 1);
    }
  }));
  // Queue and header registers hold 131 at the end; the others have left before.
  CHECK(last - first > 15 * (words - 131));
}

TEST_CASE("a rank that waits forever reports the state of each of its requests") {
  MockConfig config = tight(4);
  config.ranks = 3;
  MockMachine machine(config);
  std::vector<std::vector<workload::OpenRequest>> open(3);
  CHECK_FALSE(machine.run(
      [](RankRuntime& rank) {
        const std::uint64_t block = rank.heap.take(4000);
        if (rank.rank() != 1) {
          // The rank uses its only credit for a request, and then makes no progress.
          rank.messages.isend(1, 5, block, 600 + 100 * rank.rank());
          rank.messages.isend(1, 6, block, 8);
          return;
        }
        // Both messages are here, and there is a slot to answer one of them.
        for (const std::uint32_t source : {0U, 2U})
          rank.messages.irecv({source, 5, Context::user}, block + 1000 * source, 1000);
        rank.messages.irecv({any_source, any_tag, Context::collective}, block + 3000, 64);
        rank.waiter.until([] { return false; }, "nothing");
      },
      [&] {
        for (std::uint32_t rank = 0; rank < 3; ++rank)
          open[rank] = machine.runtime(rank).messages.open_requests();
      }));
  for (const std::uint32_t rank : {0U, 2U}) {
    REQUIRE(open[rank].size() == 2);
    for (const auto& request : open[rank]) {
      CHECK_FALSE(request.receives);
      CHECK(request.peer == 1);
      CHECK_FALSE(request.collective);
    }
    CHECK(open[rank][0].tag == 5);
    CHECK(open[rank][0].bytes == 600 + 100 * rank);
    CHECK(std::string(open[rank][0].state) == "waits for its receive");
    CHECK(open[rank][1].tag == 6);
    CHECK(std::string(open[rank][1].state) == "waits for a credit or a slot");
  }
  REQUIRE(open[1].size() == 3);
  std::vector<std::string> states = {open[1][0].state, open[1][1].state};
  std::sort(states.begin(), states.end());
  CHECK(states == std::vector<std::string>{"waits for a slot", "waits for its data"});
  CHECK(open[1][0].bytes == 600);
  CHECK(open[1][1].bytes == 800);
  CHECK(open[1][1].peer == 2);
  CHECK(std::string(open[1][2].state) == "has no message");
  CHECK_FALSE(open[1][2].peer);
  CHECK_FALSE(open[1][2].tag);
  CHECK(open[1][2].collective);
  CHECK(open[1][2].receives);
}

TEST_CASE("completed requests, and those that have been waited for, are not open") {
  MockConfig config;
  config.ranks = 1;
  MockMachine machine(config);
  CHECK(machine.run([](RankRuntime& rank) {
    const HeapBlock block(rank.heap, 64);
    const RequestId receive = rank.messages.irecv({0, 3, Context::user}, block.address(), 8);
    REQUIRE(rank.messages.open_requests().size() == 1);
    const RequestId send = rank.messages.isend(0, 3, block.address() + 8, 8);
    REQUIRE(rank.messages.done(receive));
    REQUIRE(rank.messages.done(send));
    REQUIRE(rank.messages.open_requests().empty());
    rank.messages.wait(receive);
    rank.messages.wait(send);
    REQUIRE(rank.messages.open_requests().empty());
    rank.messages.check_idle();
  }));
}

TEST_CASE("a put of more than a parcel's bytes is several parcels, and reports the last") {
  MockConfig config;
  config.ranks = 2;
  config.library.heap_bytes = 8 << 20;
  MockMachine machine(config);
  constexpr std::uint64_t parcel = 512 * 1024;
  for (const std::uint64_t bytes : {parcel - 8, parcel, parcel + 8, 2 * parcel + 16}) {
    std::uint64_t parcels = 0;
    CHECK(machine.run([&](RankRuntime& rank) {
      const HeapBlock data(rank.heap, bytes), words(rank.heap, 16);
      Payload payload(rank.cpu);
      rank.cpu.store(words.address(), 0);
      rank.cpu.store(words.address() + 8, 0);
      rank.collectives.start();
      rank.collectives.barrier();
      if (rank.rank() == 0) {
        payload.write(PayloadKey::between(0, 1), data.address(), bytes);
        const std::uint64_t before = rank.paralib.parcels();
        rank.paralib.put(Target::pe(1), data.address(), data.address(), bytes, words.address() + 8);
        parcels = rank.paralib.parcels() - before;
        rank.paralib.put_word(Target::pe(1), words.address(), 1);
        rank.waiter.until([&] { return rank.cpu.load(words.address() + 8) == nic::sent_pattern; },
                          "the notification", words.address() + 8);
        // All data have left: a later write does not arrive.
        payload.write(PayloadKey::between(9, 9), data.address(), bytes);
      } else {
        rank.waiter.until([&] { return rank.cpu.load(words.address()) == 1; }, "the word behind the data",
                          words.address());
        payload.check(PayloadKey::between(0, 1), data.address(), bytes);
      }
      rank.collectives.barrier();
    }));
    CHECK(parcels == (bytes + parcel - 1) / parcel);
  }
}

TEST_CASE("an envelope that no library writes stops the run") {
  const auto stops = [](const std::function<void(Envelope&)>& change, const std::string& what) {
    MockConfig config;
    config.ranks = 2;
    MockMachine machine(config);
    CHECK_THROWS_WITH(machine.run([&](RankRuntime& rank) {
      if (rank.rank() == 1) {
        rank.cpu.compute(100'000);
        rank.waiter.progress();
        return;
      }
      const HeapBlock block(rank.heap, 256);
      Envelope envelope;
      change(envelope);
      const auto words = envelope.encode();
      rank.cpu.store_block(block.address(), words.data(), Envelope::bytes);
      rank.paralib.send(Target::pe(1), 0, block.address(), 256);
    }),
                      Contains("messages of rank 1") && Contains(what));
  };
  stops([](Envelope& e) { e.message_bytes = 225; }, "an eager message of 225 bytes");
  stops([](Envelope& e) { e.sequence = 1; }, "message buffer 0 holds message 1 of rank 0 out of order");
  stops([](Envelope& e) { e.source = 2; }, "of rank 2 out of order");
}

TEST_CASE("send slots are used in turn, each again when its message has left") {
  MockConfig config;
  config.ranks = 1;
  MockMachine machine(config);
  CHECK(machine.run([](RankRuntime& rank) {
    SendSlots slots(rank.cpu, rank.layout, rank.times, 3);
    const auto leaves = [&](std::uint32_t slot) {
      rank.cpu.store(slots.notification(slot), nic::sent_pattern);
    };
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      REQUIRE(slots.ready());
      REQUIRE_FALSE(slots.blocked());
      REQUIRE(slots.next_notification() == slots.notification(slot));
      REQUIRE(slots.fill({}, rank.layout.heap, 8) == slot);
    }
    REQUIRE(slots.blocked());
    leaves(1);  // not the next one
    REQUIRE_FALSE(slots.ready());
    leaves(0);
    REQUIRE(slots.ready());
    REQUIRE(slots.fill({}, rank.layout.heap, 8) == 0);
    REQUIRE(rank.cpu.load(slots.notification(0)) == 0);
    REQUIRE(slots.ready());
    REQUIRE(slots.fill({}, rank.layout.heap, 8) == 1);
    REQUIRE_FALSE(slots.ready());
  }));
  CHECK(SendSlots::message_bytes(0) == 32);
  CHECK(SendSlots::message_bytes(1) == 40);
  CHECK(SendSlots::message_bytes(224) == 256);
}

TEST_CASE("misuse of the library is a model error with the reason") {
  MockConfig config = tight(2);
  config.ranks = 2;
  const auto misuse = [&](const std::function<void(RankRuntime&)>& program, const std::string& what) {
    MockMachine machine(config);
    CHECK_THROWS_WITH(machine.run(program), Contains(what));
  };
  misuse([](RankRuntime& rank) { rank.paralib.put(Target::pe(1), 0x20002, 0x20000, 8); }, "4-byte addresses");
  misuse([](RankRuntime& rank) { rank.paralib.send(Target::pe(1), 0, 0x20000, 264); }, "8..256 bytes");
  misuse([](RankRuntime& rank) { rank.paralib.put_to_register(Target::pe(1), 3, 0x20000, 0, 8); },
         "address registers");
  misuse(
      [](RankRuntime& rank) {
        const std::uint64_t block = rank.heap.take(1000);
        if (rank.rank() == 0) rank.messages.send(1, 4, block, 300);
        if (rank.rank() == 1) rank.messages.receive({0, 4, Context::user}, block, 299);
      },
      "a message of 300 bytes from rank 0, tag 4, meets a receive of 299");
  misuse(
      [](RankRuntime& rank) {
        const std::uint64_t block = rank.heap.take(1000);
        rank.collectives.start();
        if (rank.rank() == 0) rank.messages.send(1, 4, block, 100);
        rank.collectives.barrier();
        if (rank.rank() != 1) return;
        rank.cpu.compute(10000);
        rank.waiter.progress();
        rank.messages.check_idle();
      },
      "1 messages without a receive; the first is from rank 0, tag 4, 100 bytes");
  misuse([](RankRuntime& rank) { rank.paralib.send(Target::pe(1), 0, 0x20000, 0); }, "8..256 bytes");
  misuse([](RankRuntime& rank) { rank.paralib.send(Target::pe(1), 0, 0x20004, 8); }, "8..256 bytes");
  misuse([](RankRuntime& rank) { rank.paralib.send(Target::pe(1), 0, 0x20000, 12); }, "8..256 bytes");
  misuse([](RankRuntime& rank) { rank.paralib.send(Target::pe(1), 2, 0x20000, 8); },
         "message buffers are 0 and 1");
  misuse([](RankRuntime& rank) { rank.paralib.put(Target::pe(1), 0x20000, 0x20002, 8); }, "4-byte addresses");
  misuse([](RankRuntime& rank) { rank.paralib.put(Target::pe(1), 0x20000, 0x20000, 10); },
         "multiples of 4 bytes");
  misuse([](RankRuntime& rank) { rank.paralib.get(1, 0x20004, 0x20000, 8, 0); }, "8-byte addresses");
  misuse([](RankRuntime& rank) { rank.paralib.put(Target::pe(1), 0x20000, 0x20000, 0); },
         "multiples of 4 bytes");
  misuse([](RankRuntime& rank) { rank.paralib.put_word(Target::pe(1), 0x20004, 1); }, "an inline put");
  misuse([](RankRuntime& rank) { rank.paralib.atomic_add(Target::pe(1), 0x20004, 1); }, "atomic add");
  misuse([](RankRuntime& rank) { rank.paralib.set_address_register(3, 0x20000); }, "address registers");
  misuse([](RankRuntime& rank) { rank.paralib.set_address_register(0, 0x20004); }, "address registers");
  misuse([](RankRuntime& rank) { rank.paralib.synchronize({}); }, "no synchronization packets");
  misuse(
      [](RankRuntime& rank) {
        rank.messages.irecv({}, rank.heap.take(8), 8);
        rank.messages.check_idle();
      },
      "1 requests without a wait");
  misuse([](RankRuntime& rank) { rank.collectives.barrier(); }, "used before start()");
  misuse(
      [](RankRuntime& rank) {
        const std::uint64_t block = rank.heap.take(1000);
        Payload payload(rank.cpu);
        PayloadKey key = PayloadKey::between(0, 1);
        key.tag = 2;
        key.serial = 3;
        payload.write(key, block, 100);
        rank.cpu.store(block + 96, 0);
        payload.check(key, block, 100);
      },
      "message 3 from rank 0 to rank 1, tag 2: byte 96 of 100");
}
