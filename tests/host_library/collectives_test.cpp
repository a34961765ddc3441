// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <vector>

#include "host_library/mock_machine.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/host/library/payload.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::test;

namespace {

struct Variant {
  const char* name;
  BarrierMethod barrier;
  BroadcastMethod broadcast;
  bool synchronization;
};

constexpr Variant variants[] = {
    {"fabric, synchronization packets", BarrierMethod::hardware, BroadcastMethod::hardware, true},
    {"fabric, no synchronization", BarrierMethod::hardware, BroadcastMethod::hardware, false},
    {"fabric, hierarchical by choice", BarrierMethod::hierarchical, BroadcastMethod::hardware, true},
    {"fabric, atomic add by choice", BarrierMethod::multicast_add, BroadcastMethod::hardware, true},
    {"trees", BarrierMethod::tree, BroadcastMethod::tree, true},
    {"dissemination, multicast", BarrierMethod::dissemination, BroadcastMethod::hardware, true},
};

MockConfig config_of(const Variant& variant, std::uint32_t ranks, std::uint64_t seed) {
  MockConfig config;
  config.ranks = ranks;
  config.seed = seed;
  config.synchronization = variant.synchronization && ranks <= 64;
  config.library.barrier = variant.barrier;
  config.library.broadcast = variant.broadcast;
  config.library.collective_messages = 3;
  config.library.credits = 2;
  config.library.send_slots = 2;
  config.library.rendezvous_slots = 2;
  config.library.heap_bytes = 2 << 20;
  return config;
}

/// Runs `program` on all ranks in every variant, for several numbers of ranks; 70 needs two multicast groups.
void in_all_variants(const std::function<void(RankRuntime&)>& program,
                     std::initializer_list<std::uint32_t> sizes, const Delays& delays = {}) {
  for (const Variant& variant : variants) {
    for (const std::uint32_t ranks : sizes) {
      CAPTURE(variant.name, ranks);
      MockConfig config = config_of(variant, ranks, ranks);
      config.delays = delays;
      MockMachine machine(config);
      CHECK(machine.run([&](RankRuntime& rank) {
        rank.collectives.start();
        program(rank);
        rank.collectives.barrier();
        rank.waiter.progress();
        rank.messages.check_idle();
        rank.collectives.check_idle();
        if (rank.heap.blocks_in_use() != 0) throw ModelError("test", 0, "", "heap blocks left over");
      }));
    }
  }
}

}  // namespace

namespace {

void barriers_in_all_variants(const std::vector<std::uint32_t>& sizes) {
  for (const Variant& variant : variants) {
    for (const std::uint32_t ranks : sizes) {
      CAPTURE(variant.name, ranks);
      MockMachine machine(config_of(variant, ranks, 11));
      std::vector<unsigned> entered(ranks, 0);  // one thread at a time
      CHECK(machine.run([&](RankRuntime& rank) {
        rank.collectives.start();
        CounterRandom random(5, rank.rank());
        for (unsigned round = 1; round <= 12; ++round) {
          rank.cpu.compute(random.below(random.below(3) == 0 ? 5000 : 10));
          entered[rank.rank()] = round;
          rank.collectives.barrier();
          for (const unsigned other : entered) {
            if (other < round) throw ModelError("test", 0, "", "left a barrier too early");
          }
        }
      }));
    }
  }
}

}  // namespace

TEST_CASE("nobody leaves a barrier before all have entered it") {
  barriers_in_all_variants({1, 2, 7, 20});
}
TEST_CASE("nobody of 70 leaves a barrier before all have entered it", "[.][long]") {
  barriers_in_all_variants({70});
}

namespace {

/// Broadcasts of many sizes one after another, each from another root.
void broadcast_in_turn(RankRuntime& rank) {
  Payload payload(rank.cpu);
  std::uint32_t serial = 0;
  CounterRandom random(5, rank.rank());
  std::deque<HeapBlock> written;  // the program overwrites each at once, and no one writes later
  std::vector<std::uint64_t> lengths;
  const PayloadKey own = PayloadKey::between(70, 70);
  for (const std::uint64_t bytes :
       {0U, 4U, 8U, 224U, 225U, 9U, 100U, 31U, 1003U, 20000U, 8U, 8U, 8U, 8U, 700U}) {
    const std::uint32_t root = serial * 5 % rank.ranks();
    PayloadKey key;
    key.source = root;
    key.serial = serial++;
    const HeapBlock& data = written.emplace_back(rank.heap, bytes);
    if (rank.rank() == root) payload.write(key, data.address(), bytes);
    rank.cpu.compute(random.below(500));
    rank.collectives.broadcast({data.address(), bytes}, root);
    payload.check(key, data.address(), bytes);
    payload.write(own, data.address(), bytes);
    lengths.push_back(bytes);
  }
  rank.cpu.compute(100'000);
  for (std::size_t i = 0; i < lengths.size(); ++i) payload.check(own, written[i].address(), lengths[i]);
}

}  // namespace

TEST_CASE("a broadcast of any size from any root reaches all") {
  in_all_variants(broadcast_in_turn, {1, 2, 5, 20});
}

TEST_CASE("a broadcast of any size from any root reaches all of 70", "[.][long]") {
  in_all_variants(broadcast_in_turn, {70});
}

TEST_CASE("a root distinguishes its own broadcast from those of roots that are ahead of it") {
  in_all_variants(broadcast_in_turn, {2, 5, 12}, {300, 5000});
  in_all_variants(broadcast_in_turn, {3, 5, 12}, {20000, 8});
}

TEST_CASE("a root whose send slots are all in use waits for one, and handles what comes meanwhile") {
  for (const std::uint32_t slots : {1U, 2U}) {
    MockConfig config = config_of(variants[0], 3, 1);
    config.library.send_slots = slots;
    config.library.collective_messages = 32;
    config.library.credits = 1;
    // No software time, in which a slot could become free.
    config.software.paralib_send_ns = config.software.mpi_send_ns = config.software.copy_ns_per_word = 0;
    MockMachine machine(config);
    CHECK(machine.run([](RankRuntime& rank) {
      rank.collectives.start();
      Payload payload(rank.cpu);
      const HeapBlock data(rank.heap, 200), message(rank.heap, 8);
      RequestId send = 0;
      const std::uint32_t to = (rank.rank() + 1) % 3;
      for (std::uint32_t serial = 0; serial < 12; ++serial) {
        PayloadKey key;
        key.serial = serial;
        if (rank.rank() == 0) payload.write(key, data.address(), 200);
        // Messages use the same slots.
        send = rank.messages.isend(to, static_cast<std::int32_t>(serial), message.address(), 8);
        rank.collectives.broadcast({data.address(), 200}, 0);
        payload.check(key, data.address(), 200);
        rank.messages.receive({(rank.rank() + 2) % 3, static_cast<std::int32_t>(serial), Context::user},
                              message.address(), 8);
        rank.messages.wait(send);
      }
      rank.collectives.barrier();
      rank.collectives.check_idle();
      rank.messages.check_idle();
    }));
  }
}

TEST_CASE("sums are correct, at a root and at all ranks") {
  in_all_variants(
      [](RankRuntime& rank) {
        Payload payload(rank.cpu);
        std::uint32_t serial = 0;
        for (const std::uint64_t bytes : {4U, 8U, 40U, 4116U, 1U, 0U}) {
          const std::uint32_t root = serial * 3 % rank.ranks();
          const HeapBlock part(rank.heap, bytes), sum(rank.heap, bytes);
          payload.write_part(serial, rank.rank(), part.address(), bytes);
          rank.collectives.reduce({part.address(), bytes}, sum.address(), root);
          if (rank.rank() == root) payload.check_sum(serial, rank.ranks(), sum.address(), bytes);
          rank.collectives.all_reduce({part.address(), bytes}, sum.address());
          payload.check_sum(serial, rank.ranks(), sum.address(), bytes);
          ++serial;
        }
      },
      {1, 2, 6, 13});
}

TEST_CASE("every block of an all-to-all reaches its place, and empty ones send nothing") {
  in_all_variants(
      [](RankRuntime& rank) {
        Payload payload(rank.cpu);
        const auto bytes_between = [](std::uint32_t from, std::uint32_t to) -> std::uint64_t {
          return (from * 7 + to * 3) % 5 == 0 ? 0 : (from * 131 + to * 37) % 900;
        };
        for (std::uint32_t serial = 0; serial < 3; ++serial) {
          PayloadKey key;
          key.serial = serial;
          key.source = rank.rank();
          std::vector<Block> out, in;
          for (std::uint32_t other = 0; other < rank.ranks(); ++other) {
            const std::uint64_t out_bytes = bytes_between(rank.rank(), other),
                                in_bytes = bytes_between(other, rank.rank());
            out.push_back({rank.heap.take(out_bytes), out_bytes});
            in.push_back({rank.heap.take(in_bytes), in_bytes});
            key.destination = other;
            payload.write(key, out.back().address, out_bytes);
          }
          rank.collectives.all_to_all(out, in);
          key.destination = rank.rank();
          for (std::uint32_t other = 0; other < rank.ranks(); ++other) {
            key.source = other;
            payload.check(key, in[other].address, in[other].bytes);
            rank.heap.give_back(out[other].address, out[other].bytes);
            rank.heap.give_back(in[other].address, in[other].bytes);
          }
        }
      },
      {1, 2, 6, 13});
}
