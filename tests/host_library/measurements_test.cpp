// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "host_library/mock_machine.h"
#include "support/catch.h"
#include "tsuji/host/library/collective_program.h"
#include "tsuji/host/library/exchange_program.h"
#include "tsuji/host/library/group_barrier.h"
#include "tsuji/host/library/ping_pong.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::test;
using Catch::Contains;

namespace {

MockConfig machine_of(std::uint32_t ranks) {
  MockConfig config;
  config.ranks = ranks;
  config.library.heap_bytes = 4 << 20;
  return config;
}

/// Programs of all ranks, which have run and released all their heap blocks.
template <class ProgramType>
struct Played {
  Played(const MockConfig& machine_config, const typename ProgramType::Config& config)
      : machine(machine_config) {
    for (std::uint32_t rank = 0; rank < machine.ranks(); ++rank)
      programs.push_back(std::make_unique<ProgramType>(machine.runtime(rank), config));
    const bool finished = machine.run([&](RankRuntime& rank) { programs[rank.rank()]->run(); });
    CHECK(finished);
    for (std::uint32_t rank = 0; rank < machine.ranks(); ++rank)
      CHECK(machine.runtime(rank).heap.blocks_in_use() == 0);
  }
  MockMachine machine;
  std::vector<std::unique_ptr<ProgramType>> programs;
};

template <class ProgramType>
void check_rounds(const Played<ProgramType>& played, std::size_t rounds) {
  for (const auto& program : played.programs) {
    REQUIRE(program->rounds() == rounds);
    for (std::size_t round = 0; round < rounds; ++round) {
      CHECK(program->start_cycle(round) == played.programs[0]->start_cycle(round));
      CHECK(program->end_cycle(round) >= program->start_cycle(round));
    }
  }
}

constexpr ExchangeMethod exchange_methods[] = {ExchangeMethod::in_order, ExchangeMethod::staggered,
                                               ExchangeMethod::multicast, ExchangeMethod::to_one};
constexpr GroupBarrierMethod barrier_methods[] = {
    GroupBarrierMethod::all_to_all, GroupBarrierMethod::binary_tree, GroupBarrierMethod::atomic_add,
    GroupBarrierMethod::multicast_add, GroupBarrierMethod::synchronization};

}  // namespace

TEST_CASE("an exchange brings every block to every rank, from one agreed start") {
  for (const ExchangeMethod method : exchange_methods) {
    for (const std::uint64_t bytes : {8U, 16U, 5000U}) {
      CAPTURE(static_cast<int>(method), bytes);
      const Played<ExchangeProgram> played(machine_of(5), {method, bytes, 3});
      check_rounds(played, 3);
      const bool to_one = method == ExchangeMethod::to_one;
      for (std::uint32_t rank = 0; rank < 5; ++rank)
        CHECK(played.programs[rank]->blocks() == (to_one && rank != 0 ? 0 : 5));
    }
  }
}

TEST_CASE("an exchange uses a parcel for each target, or one multicast") {
  for (const ExchangeMethod method : exchange_methods) {
    const auto parcels = [&](std::uint64_t rounds) {
      Played<ExchangeProgram> played(machine_of(6), {method, 400, rounds});
      return played.machine.runtime(3).paralib.parcels();
    };
    const bool each = method == ExchangeMethod::in_order || method == ExchangeMethod::staggered;
    // The parcels of three further rounds; those of a round's barriers and broadcasts do not depend on the
    // method.
    const std::uint64_t others = [] {
      const auto of = [](std::uint64_t rounds) {
        Played<CollectiveProgram> played(machine_of(6), {Collective::broadcast, 8, rounds});
        return played.machine.runtime(3).paralib.parcels();
      };
      return of(4) - of(1);
    }();
    CHECK(parcels(4) - parcels(1) == others + std::uint64_t{3} * (each ? 6 : 1));
  }
}

TEST_CASE("a wrong bit in a block of an exchange is found") {
  for (const ExchangeMethod method : exchange_methods) {
    MockConfig config = machine_of(4);
    config.damaged_rank = 0;
    CHECK_THROWS_WITH((Played<ExchangeProgram>(config, {method, 4096, 1})), Contains("and should be"));
  }
}

TEST_CASE("collective rounds check their results, by hardware and by trees") {
  for (const Collective collective : {Collective::barrier, Collective::broadcast, Collective::all_reduce}) {
    for (const bool hardware : {true, false}) {
      for (const std::uint64_t bytes : {8U, 13U, 4000U}) {
        MockConfig config = machine_of(6);
        config.library.barrier = hardware ? BarrierMethod::hardware : BarrierMethod::tree;
        config.library.broadcast = hardware ? BroadcastMethod::hardware : BroadcastMethod::tree;
        check_rounds(Played<CollectiveProgram>(config, {collective, bytes, 3}), 3);
        config.damaged_rank = 3;
        if (collective != Collective::barrier && bytes == 4000)
          CHECK_THROWS_WITH((Played<CollectiveProgram>(config, {collective, bytes, 1})),
                            Contains("and should be"));
      }
    }
  }
}

TEST_CASE("no member leaves a group's barrier before its last member has entered") {
  for (const GroupBarrierMethod method : barrier_methods) {
    const bool by_group =
        method == GroupBarrierMethod::multicast_add || method == GroupBarrierMethod::synchronization;
    for (const std::uint32_t members : {1U, 2U, 3U, 8U, 11U}) {
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        CAPTURE(static_cast<int>(method), members, seed);
        // The mock registers the group of all ranks only.
        MockConfig config = machine_of(by_group ? members : 11);
        config.seed = seed;
        const Played<GroupBarrierProgram> played(config, {method, members, 9});
        for (std::size_t round = 0; round < 10; ++round) {
          Cycle last_in = 0, first_out = never;
          for (std::uint32_t rank = 0; rank < members; ++rank) {
            REQUIRE(played.programs[rank]->entered().size() == 10);
            last_in = std::max(last_in, played.programs[rank]->entered()[round]);
            first_out = std::min(first_out, played.programs[rank]->left()[round]);
          }
          CHECK(last_in <= first_out);
        }
        for (std::uint32_t rank = members; rank < config.ranks; ++rank)
          CHECK(played.programs[rank]->entered().empty());
      }
    }
  }
}

TEST_CASE("a group's barrier sends the parcels of its method") {
  const auto parcels = [](GroupBarrierMethod method, std::uint32_t rank) {
    const auto of = [&](std::uint64_t rounds) {
      Played<GroupBarrierProgram> played(machine_of(7), {method, 7, rounds});
      return played.machine.runtime(rank).paralib.parcels();
    };
    return of(2) - of(1);
  };
  CHECK(parcels(GroupBarrierMethod::all_to_all, 3) == 7);
  CHECK(parcels(GroupBarrierMethod::atomic_add, 3) == 7);
  CHECK(parcels(GroupBarrierMethod::multicast_add, 3) == 1);
  CHECK(parcels(GroupBarrierMethod::synchronization, 3) == 1);
  // The root releases two children, an inner rank also notifies its parent, and a leaf only its parent.
  CHECK(parcels(GroupBarrierMethod::binary_tree, 0) == 2);
  CHECK(parcels(GroupBarrierMethod::binary_tree, 2) == 3);
  CHECK(parcels(GroupBarrierMethod::binary_tree, 5) == 1);
}

TEST_CASE("a ping-pong compares its messages, for all places and states") {
  for (const auto layer : {PingPong::Layer::paralib, PingPong::Layer::mpi}) {
    for (const auto data : {MessageData::dirty, MessageData::clean}) {
      for (const std::uint64_t bytes : {8U, 24U, 4096U}) {
        for (const std::uint64_t offset : {0U, 40U}) {
          MockConfig config = machine_of(3);
          PingPong::Config ping;
          ping.layer = layer;
          ping.second = 2;
          ping.bytes = bytes;
          ping.data = data;
          ping.source_offset = offset;
          const Played<PingPong> played(config, ping);
          CHECK(played.programs[0]->one_way_cycles() > 0);
          config.damaged_rank = 2;
          if (bytes >= 1024) CHECK_THROWS_WITH((Played<PingPong>(config, ping)), Contains("and should be"));
        }
      }
    }
  }
}
