// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/group_barrier.h"

#include <algorithm>
#include <numeric>

#include "tsuji/core/error.h"

namespace tsuji::host {
namespace {

/// Words of the binary tree: the two children's, and the release.
constexpr std::uint32_t release = 2, tree_words = 3;

}  // namespace

void GroupBarrierProgram::await(std::uint64_t address, std::uint64_t at_least) {
  runtime_.waiter.until([&] { return runtime_.cpu.load(address) >= at_least; }, waits_for_, address);
}

/// A word of each member. One of the next round may be there already.
void GroupBarrierProgram::all_to_all(std::uint64_t round) {
  const std::uint32_t members = config_.members, own = runtime_.rank();
  for (std::uint32_t k = 1; k <= members; ++k)
    runtime_.paralib.put_word(Target::pe((own + k) % members), word(own), round);
  for (std::uint32_t source = 0; source < members; ++source) await(word(source), round);
}

void GroupBarrierProgram::binary_tree(std::uint64_t round) {
  const std::uint32_t own = runtime_.rank(), first_child = 2 * own + 1;
  const auto for_each_child = [&](const auto& action) {
    for (std::uint32_t child = first_child; child < first_child + 2 && child < config_.members; ++child)
      action(child);
  };
  for_each_child([&](std::uint32_t child) {
    await(word(child - first_child), round);
    runtime_.cpu.compute(runtime_.times.paralib_receive);
  });
  if (own != 0) {
    runtime_.paralib.put_word(Target::pe((own - 1) / 2), word((own - 1) % 2), round);
    await(word(release), round);
  }
  for_each_child(
      [&](std::uint32_t child) { runtime_.paralib.put_word(Target::pe(child), word(release), round); });
}

void GroupBarrierProgram::once(std::uint64_t round) {
  const std::uint32_t members = config_.members;
  switch (config_.method) {
    case GroupBarrierMethod::all_to_all:
      all_to_all(round);
      break;
    case GroupBarrierMethod::binary_tree:
      binary_tree(round);
      break;
    case GroupBarrierMethod::atomic_add:
      for (std::uint32_t k = 1; k <= members; ++k)
        runtime_.paralib.atomic_add(Target::pe((runtime_.rank() + k) % members), word(0), 1);
      await(word(0), members * round);
      break;
    case GroupBarrierMethod::multicast_add:
      for (const std::uint16_t part : group_.multicast)
        runtime_.paralib.atomic_add(Target::group(part), word(0), 1);
      await(word(0), members * round);
      break;
    case GroupBarrierMethod::synchronization:
      runtime_.paralib.synchronize(group_);
      await(runtime_.paralib.synchronization_address(group_.sid), synchronized_ + round);
      break;
  }
  runtime_.cpu.compute(runtime_.times.paralib_receive);
}

void GroupBarrierProgram::check_word(std::uint32_t index, std::uint64_t expected) const {
  const std::uint64_t found = runtime_.cpu.load(word(index));
  if (found == expected) return;
  throw ModelError("rank " + std::to_string(runtime_.rank()), runtime_.cpu.now(), "",
                   "counts " + std::to_string(found) + " in word " + std::to_string(index) +
                       " of its barriers instead of " + std::to_string(expected));
}

void GroupBarrierProgram::check() const {
  const std::uint64_t rounds = config_.rounds + 1;
  const std::uint32_t members = config_.members, own = runtime_.rank();
  switch (config_.method) {
    case GroupBarrierMethod::all_to_all:
      for (std::uint32_t index = 0; index < runtime_.ranks(); ++index)
        check_word(index, member() && index < members ? rounds : 0);
      break;
    case GroupBarrierMethod::binary_tree:
      for (std::uint32_t side = 0; side < 2; ++side)
        check_word(side, 2 * own + 1 + side < members ? rounds : 0);
      check_word(release, member() && own != 0 ? rounds : 0);
      break;
    case GroupBarrierMethod::atomic_add:
    case GroupBarrierMethod::multicast_add:
      check_word(0, member() ? members * rounds : 0);
      break;
    case GroupBarrierMethod::synchronization:
      if (!member() || runtime_.paralib.synchronization_count(group_.sid) == synchronized_ + rounds) break;
      throw ModelError("rank " + std::to_string(own), runtime_.cpu.now(), "",
                       "has had more synchronizations than barriers");
  }
}

void GroupBarrierProgram::play() {
  const std::uint32_t words = std::max(runtime_.ranks(), tree_words);
  const HeapBlock block(runtime_.heap, std::uint64_t{8} * words);
  words_ = block.address();
  for (std::uint32_t index = 0; index < words; ++index) runtime_.cpu.store(word(index), 0);
  enter("barriers of a group: registering it");
  const bool by_group = config_.method == GroupBarrierMethod::multicast_add ||
                        config_.method == GroupBarrierMethod::synchronization;
  std::vector<std::uint32_t> members(config_.members);
  std::iota(members.begin(), members.end(), 0U);
  if (member() && by_group) {
    group_ = runtime_.paralib.register_group(members);
    if (group_.synchronizes) synchronized_ = runtime_.paralib.synchronization_count(group_.sid);
  }
  barrier();
  enter("barriers of a group");
  for (std::uint64_t round = 1; member() && round <= config_.rounds + 1; ++round) {
    const Cycle entered = runtime_.cpu.now();
    once(round);
    end_ = runtime_.cpu.now();
    if (round == 1) start_ = end_;
    if (entered_.size() == most_recorded) continue;
    entered_.push_back(entered);
    left_.push_back(end_);
  }
  enter("barriers of a group: all are done");
  barrier();
  check();
  barrier();
  if (member() && by_group) runtime_.paralib.release_group(members, group_);
}

}  // namespace tsuji::host
