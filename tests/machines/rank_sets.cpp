// SPDX-License-Identifier: Apache-2.0
#include "machines/rank_sets.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <stdexcept>

#include "tsuji/core/random.h"

namespace tsuji::test {
namespace {

using host::GroupHandle;
using host::RankRuntime;
using host::Target;

bool holds(const RankSet& members, std::uint32_t rank) {
  return std::find(members.begin(), members.end(), rank) != members.end();
}

RankSet random_members(CounterRandom& random, unsigned ranks, unsigned least) {
  RankSet all(ranks), members;
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

std::uint64_t pattern(std::size_t round, std::uint64_t word) {
  return (round + 1) * 0x9E3779B97F4A7C15ULL + word;
}

}  // namespace

BarrierPlan::BarrierPlan(unsigned ranks) {
  CounterRandom random(2024, 1);
  for (unsigned g = 0; g < 12; ++g) groups.push_back(random_members(random, ranks, 2));
  for (unsigned r = 0; r < 200; ++r) rounds.push_back(static_cast<unsigned>(random.below(groups.size())));
}

void play_barriers(RankRuntime& runtime, const BarrierPlan& plan, BarrierLog& log) {
  BarrierPart(runtime, plan, log).play();
}

MulticastPlan::MulticastPlan(unsigned ranks, unsigned count) {
  CounterRandom random(2025, ranks);
  for (unsigned r = 0; r < count; ++r) {
    Round round;
    round.members = random_members(random, ranks, 1);
    round.root = round.members[random.below(round.members.size())];
    round.bytes = 8 + 8 * random.below(500);
    round.offset = 8 * random.below(200);
    rounds.push_back(round);
  }
}

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

}  // namespace tsuji::test
