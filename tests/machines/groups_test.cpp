// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "machines/machines.h"
#include "machines/rank_sets.h"
#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::test;
using host::GroupHandle;
using host::RankRuntime;
using host::Target;

namespace {

void barriers_of_subsets(unsigned nodes, unsigned radix, unsigned fifo_packets) {
  machines::Cenju4Config config = small_machine(nodes);
  config.network.topology.radix = radix;
  config.network.crosspoint.fifo_packets = fifo_packets;
  Variants variants(config);
  const BarrierPlan plan(nodes);
  std::vector<BarrierLog> logs(variants.all.size(), BarrierLog(plan));
  for (std::size_t v = 0; v < variants.all.size(); ++v) {
    variants.all[v].job->load([&, v](RankRuntime& runtime) {
      return std::make_unique<Script>(runtime,
                                      [&, v](RankRuntime& own) { play_barriers(own, plan, logs[v]); });
    });
  }
  for (std::size_t v = 0; v < variants.all.size(); ++v) {
    INFO(variants.all[v].name);
    variants.all[v].job->run([](Cycle) {});
    CHECK(logs[v].wrong.empty());
    CHECK(logs[v].left == logs[0].left);
    check_accounts(*variants.all[v].machine);
  }
  CHECK(logs[0].left.size() > 1000);
}

void multicasts_to_subsets(unsigned nodes, unsigned radix, unsigned rounds) {
  machines::Cenju4Config config = small_machine(nodes);
  config.network.topology.radix = radix;
  config.library.heap_bytes = 4 << 20;
  Variants variants(config);
  const MulticastPlan plan(nodes, rounds);
  for (auto& one : variants.all) {
    one.job->load([&](RankRuntime& runtime) {
      return std::make_unique<Script>(runtime, [&](RankRuntime& own) { play_multicasts(own, plan); });
    });
  }
  for (auto& one : variants.all) {
    INFO(one.name);
    REQUIRE_NOTHROW(one.job->run([](Cycle) {}));
    CHECK(one.job->end_cycle() == variants.all[0].job->end_cycle());
    check_accounts(*one.machine);
  }
}

}  // namespace

TEST_CASE("barriers of random subsets that cross each other release no member early, on 16 nodes") {
  barriers_of_subsets(16, 4, 1);
}

TEST_CASE(
    "barriers of random subsets that cross each other release no member early, on 23 nodes of 2x2 switches") {
  barriers_of_subsets(23, 2, 3);
}

TEST_CASE(
    "barriers of random subsets that cross each other release no member early, on 64 nodes of 8x8 switches") {
  barriers_of_subsets(64, 8, 2);
}

TEST_CASE("multicasts of many roots at once reach exactly their members, on 20 nodes") {
  multicasts_to_subsets(20, 4, 30);
}

TEST_CASE("multicasts of many roots at once reach exactly their members, on 90 nodes") {
  multicasts_to_subsets(90, 3, 24);
}

TEST_CASE("atomic adds of all nodes to all nodes lose no addend") {
  constexpr unsigned nodes = 40, counters = 5, adds = 25;
  Variants variants(small_machine(nodes));
  std::vector<std::uint64_t> expected(counters, 0);
  const auto draw = [](std::uint32_t rank, const std::function<void(unsigned, std::uint64_t)>& use) {
    CounterRandom random(99, rank);
    for (unsigned a = 0; a < adds; ++a) {
      const auto counter = static_cast<unsigned>(random.below(counters));
      use(counter, random.below(~std::uint64_t{0}));
    }
  };
  for (std::uint32_t rank = 0; rank < nodes; ++rank) {
    draw(rank, [&](unsigned counter, std::uint64_t value) { expected[counter] += value; });
  }
  const auto play = [&](RankRuntime& runtime) {
    const host::HeapBlock words(runtime.heap, 8 * counters);
    for (unsigned c = 0; c < counters; ++c) runtime.cpu.store(words.address() + 8 * c, 0);
    RankSet everybody(nodes);
    std::iota(everybody.begin(), everybody.end(), 0U);
    const GroupHandle group = runtime.paralib.register_group(everybody);
    runtime.collectives.barrier();
    draw(runtime.rank(), [&](unsigned counter, std::uint64_t value) {
      runtime.paralib.atomic_add(Target::group(group.multicast[0]), words.address() + 8 * counter, value);
    });
    const std::string what = "a sum";
    for (unsigned c = 0; c < counters; ++c) {
      const std::uint64_t at = words.address() + 8 * c;
      runtime.waiter.until([&] { return runtime.cpu.load(at) == expected[c]; }, what, at);
    }
    runtime.collectives.barrier();
  };
  for (auto& one : variants.all) {
    one.job->load([&](RankRuntime& runtime) { return std::make_unique<Script>(runtime, play); });
  }
  for (auto& one : variants.all) {
    INFO(one.name);
    REQUIRE_NOTHROW(one.job->run([](Cycle) {}));
    CHECK(one.job->end_cycle() == variants.all[0].job->end_cycle());
    check_accounts(*one.machine);
  }
}
