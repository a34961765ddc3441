// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

#include "machines/machines.h"
#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::test;
using host::GroupHandle;
using host::RankRuntime;
using host::Target;

namespace {

using Members = std::vector<std::uint32_t>;

bool holds(const Members& members, std::uint32_t rank) {
  return std::find(members.begin(), members.end(), rank) != members.end();
}

Members random_members(CounterRandom& random, unsigned ranks, unsigned least) {
  Members all(ranks), members;
  std::iota(all.begin(), all.end(), 0U);
  const auto count = least + static_cast<unsigned>(random.below(ranks - least + 1));
  while (members.size() < count) {
    const auto place = static_cast<std::ptrdiff_t>(random.below(all.size()));
    members.push_back(all[static_cast<std::size_t>(place)]);
    all.erase(all.begin() + place);
  }
  std::sort(members.begin(), members.end());
  return members;
}

// ---- barriers of random subsets

struct BarrierPlan {
  std::vector<Members> groups;
  std::vector<unsigned> rounds;  ///< which group meets, in an order that all its members keep
};

BarrierPlan barrier_plan(unsigned ranks) {
  CounterRandom random(2024, 1);
  BarrierPlan plan;
  for (unsigned g = 0; g < 12; ++g) plan.groups.push_back(random_members(random, ranks, 2));
  for (unsigned r = 0; r < 200; ++r)
    plan.rounds.push_back(static_cast<unsigned>(random.below(plan.groups.size())));
  return plan;
}

/// One machine's record of a plan.
struct BarrierLog {
  explicit BarrierLog(const BarrierPlan& plan) : entered(plan.rounds.size(), 0) {}
  std::vector<unsigned> entered;   ///< members that have come, each round
  std::vector<std::string> wrong;  ///< who left too early
  std::map<std::pair<std::uint32_t, std::size_t>, Cycle> left;
};

/// One rank's part: it enters rounds before it has left older ones of other groups, so that several
/// synchronizations of different members are under way at once and cross each other, and sends data to
/// anybody in between, so that synchronizations lie behind packets in the FIFOs on their way.
class BarrierPart {
 public:
  BarrierPart(RankRuntime& runtime, const BarrierPlan& plan, BarrierLog& log)
      : runtime_(runtime),
        plan_(plan),
        log_(log),
        handles_(plan.groups.size()),
        done_(plan.groups.size(), 0) {}

  void play() {
    CounterRandom random(7, runtime_.rank());
    const host::HeapBlock source(runtime_.heap, 1024), anywhere(runtime_.heap, 1024);
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      if (!holds(plan_.groups[g], runtime_.rank())) continue;
      handles_[g] = runtime_.paralib.register_group(plan_.groups[g]);
      runtime_.cpu.compute(random.below(3000));
    }
    for (std::size_t round = 0; round < plan_.rounds.size(); ++round) {
      const unsigned g = plan_.rounds[round];
      if (!holds(plan_.groups[g], runtime_.rank())) continue;
      while (is_open(g) || open_.size() > random.below(5)) leave_oldest();
      runtime_.cpu.compute(random.below(400));
      if (random.below(3) == 0) {
        const auto to = static_cast<std::uint32_t>(random.below(runtime_.ranks()));
        runtime_.paralib.put(Target::pe(to), source.address(), anywhere.address(), 8 + 8 * random.below(100));
      }
      ++log_.entered[round];
      runtime_.paralib.synchronize(handles_[g]);
      open_.push_back(round);
    }
    while (!open_.empty()) leave_oldest();
  }

 private:
  bool is_open(unsigned group) const {
    return std::any_of(open_.begin(), open_.end(),
                       [&](std::size_t round) { return plan_.rounds[round] == group; });
  }
  void leave_oldest() {
    const std::size_t round = open_.front();
    open_.pop_front();
    const unsigned g = plan_.rounds[round];
    const std::uint8_t sid = handles_[g].sid;
    const std::uint64_t wanted = ++done_[g];
    runtime_.waiter.until([&] { return runtime_.paralib.synchronization_count(sid) >= wanted; }, waiting_,
                          runtime_.paralib.synchronization_address(sid));
    log_.left[{runtime_.rank(), round}] = runtime_.cpu.now();
    if (log_.entered[round] != plan_.groups[g].size()) {
      log_.wrong.push_back("rank " + std::to_string(runtime_.rank()) + " left round " +
                           std::to_string(round));
    }
  }

  RankRuntime& runtime_;
  const BarrierPlan& plan_;
  BarrierLog& log_;
  std::vector<GroupHandle> handles_;
  std::vector<std::uint64_t> done_;  ///< rounds left, each group
  std::deque<std::size_t> open_;     ///< rounds entered and not left
  const std::string waiting_ = "a group's barrier";
};

void barriers_of_subsets(unsigned nodes, unsigned radix, unsigned fifo_packets) {
  machines::Cenju4Config config = small_machine(nodes);
  config.network.topology.radix = radix;
  config.network.crosspoint.fifo_packets = fifo_packets;
  Variants variants(config);
  const BarrierPlan plan = barrier_plan(nodes);
  std::vector<BarrierLog> logs(variants.all.size(), BarrierLog(plan));
  for (std::size_t v = 0; v < variants.all.size(); ++v) {
    variants.all[v].job->load([&, v](RankRuntime& runtime) {
      return std::make_unique<Script>(runtime,
                                      [&, v](RankRuntime& own) { BarrierPart(own, plan, logs[v]).play(); });
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

// ---- multicast to random subsets

struct MulticastPlan {
  struct Round {
    std::uint32_t root;
    Members members;
    std::uint64_t bytes, offset;
  };
  static constexpr std::uint64_t room = 6000;
  std::vector<Round> rounds;
};

MulticastPlan multicast_plan(unsigned ranks, unsigned rounds) {
  CounterRandom random(2025, ranks);
  MulticastPlan plan;
  for (unsigned r = 0; r < rounds; ++r) {
    MulticastPlan::Round round;
    round.members = random_members(random, ranks, 1);
    round.root = round.members[random.below(round.members.size())];
    round.bytes = 8 + 8 * random.below(500);
    round.offset = 8 * random.below(200);
    plan.rounds.push_back(round);
  }
  return plan;
}

std::uint64_t pattern(std::size_t round, std::uint64_t word) {
  return (round + 1) * 0x9E3779B97F4A7C15ULL + word;
}

/// All roots send at once, each round into a place of its own; at the end members have the bytes and nobody
/// else has any.
void play_multicasts(RankRuntime& runtime, const MulticastPlan& plan) {
  const std::uint32_t rank = runtime.rank();
  const host::HeapBlock source(runtime.heap, MulticastPlan::room * plan.rounds.size());
  const host::HeapBlock target(runtime.heap, MulticastPlan::room * plan.rounds.size());
  const host::HeapBlock flags(runtime.heap, 8 * plan.rounds.size());
  for (std::uint64_t at = 0; at < MulticastPlan::room * plan.rounds.size(); at += 8) {
    const std::uint64_t nothing = 0;
    runtime.cpu.app_write(target.address() + at, &nothing, 8);
  }
  for (std::size_t r = 0; r < plan.rounds.size(); ++r) runtime.cpu.store(flags.address() + 8 * r, 0);
  runtime.collectives.barrier();
  for (std::size_t r = 0; r < plan.rounds.size(); ++r) {
    const auto& round = plan.rounds[r];
    if (round.root != rank) continue;
    const std::uint64_t from = source.address() + MulticastPlan::room * r;
    for (std::uint64_t word = 0; word < round.bytes / 8; ++word) {
      const std::uint64_t value = pattern(r, word);
      runtime.cpu.app_write(from + 8 * word, &value, 8);
    }
    for (const std::uint16_t part : runtime.paralib.register_group(round.members).multicast) {
      runtime.paralib.put(Target::group(part), from,
                          target.address() + MulticastPlan::room * r + round.offset, round.bytes);
      runtime.paralib.put_word(Target::group(part), flags.address() + 8 * r, 1);
    }
  }
  const std::string what = "the flag of a multicast";
  for (std::size_t r = 0; r < plan.rounds.size(); ++r) {
    if (!holds(plan.rounds[r].members, rank)) continue;
    const std::uint64_t flag = flags.address() + 8 * r;
    runtime.waiter.until([&] { return runtime.cpu.load(flag) != 0; }, what, flag);
  }
  runtime.collectives.barrier();
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < plan.rounds.size(); ++r) {
    const auto& round = plan.rounds[r];
    const bool member = holds(round.members, rank);
    if (!member && runtime.cpu.load(flags.address() + 8 * r) != 0) ++wrong;
    for (std::uint64_t word = 0; word < MulticastPlan::room / 8; ++word) {
      const bool inside = member && word * 8 >= round.offset && word * 8 < round.offset + round.bytes;
      std::uint64_t found = 0;
      runtime.cpu.app_read(target.address() + MulticastPlan::room * r + 8 * word, &found, 8);
      if (found != (inside ? pattern(r, word - round.offset / 8) : 0)) ++wrong;
    }
  }
  if (wrong != 0)
    throw std::runtime_error("rank " + std::to_string(rank) + ": " + std::to_string(wrong) + " wrong words");
}

void multicasts_to_subsets(unsigned nodes, unsigned radix, unsigned rounds) {
  machines::Cenju4Config config = small_machine(nodes);
  config.network.topology.radix = radix;
  config.library.heap_bytes = 4 << 20;
  Variants variants(config);
  const MulticastPlan plan = multicast_plan(nodes, rounds);
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

TEST_CASE("barriers of random subsets that cross each other release nobody early, on 16 nodes") {
  barriers_of_subsets(16, 4, 1);
}

TEST_CASE(
    "barriers of random subsets that cross each other release nobody early, on 23 nodes of 2x2 switches") {
  barriers_of_subsets(23, 2, 3);
}

TEST_CASE(
    "barriers of random subsets that cross each other release nobody early, on 64 nodes of 8x8 switches") {
  barriers_of_subsets(64, 8, 2);
}

TEST_CASE("multicasts of many roots at once reach every member and nobody else, on 20 nodes") {
  multicasts_to_subsets(20, 4, 30);
}

TEST_CASE("multicasts of many roots at once reach every member and nobody else, on 90 nodes") {
  multicasts_to_subsets(90, 3, 24);
}

TEST_CASE("atomic adds of all nodes to all nodes lose nothing") {
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
    Members everybody(nodes);
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
