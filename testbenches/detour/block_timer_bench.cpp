// SPDX-License-Identifier: Apache-2.0
#include "detour/block_timer_bench.h"

#include <string>

namespace tsuji::bench {
namespace {

constexpr Cycle phase_cycles = 2048;

bool is_ud(unsigned input) {
  return input < 16 && input % 4 == 3;
}

}  // namespace

BlockTimerStimulus::BlockTimerStimulus(const Drive& pins, std::uint64_t seed, Cycle timeout_cycles)
    : random_(seed, 7), timeout_(timeout_cycles), at_(pins) {}

/// Cycles to the one in which the head leaves, which is the first at which its time is over or any other.
Cycle BlockTimerStimulus::stay(Cycle phase) {
  switch (random_.below(phase % 2 == 0 ? 5 : 3)) {
    case 0:
      return 1 + random_.below(6);
    case 1:
      return 1 + random_.below(2 * timeout_);
    default:
      return timeout_ + random_.below(5) - (timeout_ > 2 ? 2 : timeout_ - 1);
  }
}

void BlockTimerStimulus::come(Cycle cycle, unsigned input, Drive& pins) {
  const Cycle phase = cycle / phase_cycles;
  Head& head = heads_[input];
  pins.set(at_.come, input, 1);
  pins.set(at_.in_recovery, input,
           random_.below(is_ud(input) ? 4 : 2) != 0 && (is_ud(input) || phase % 3 == 0));
  head = {true, cycle + stay(phase), never};
  const std::uint64_t drawn = random_.below(6);
  // Its route is known when it arrives, or while it is at the front; before the timeout.
  if (drawn == 0) head.for_node = cycle;
  if (drawn == 1) head.for_node = cycle + random_.below(timeout_);
}

void BlockTimerStimulus::drive(Cycle cycle, Drive& pins) {
  const Cycle phase = cycle / phase_cycles;
  const bool restart = cycle < 2 || random_.below(4096) == 0;
  pins.set(at_.reset, restart);
  const std::uint64_t come_each[] = {1, 8, 400};
  const bool all = random_.below(64) == 0;
  for (unsigned input = 0; input < inputs; ++input) {
    Head& head = heads_[input];
    if (restart) head = {};
    const bool leaves = head.stands && cycle == head.leaves;
    if (leaves) head.stands = false;
    pins.set(at_.leave, input, leaves);
    pins.set(at_.come, input, 0);
    pins.set(at_.in_recovery, input, random_.below(2));
    const bool begins =
        head.stands ? random_.below(1000) == 0 : all || random_.below(come_each[phase % 3]) == 0;
    if (begins) come(cycle, input, pins);
    if (restart) head = {};
    pins.set(at_.to_node, input, head.stands ? cycle >= head.for_node : random_.below(2));
  }
}

BlockTimerJudge::BlockTimerJudge(const Drive& pins, Cycle timeout_cycles)
    : timeout_(timeout_cycles), at_(pins) {}

void BlockTimerJudge::judge(Cycle, const Sample& pins, std::vector<std::string>& broken) {
  for (unsigned input = 0; input < inputs; ++input) {
    judge_input(input, pins.output(at_.expired, input) != 0, broken);
    Head& head = heads_[input];
    if (pins.input(at_.reset) != 0 || pins.input(at_.leave, input) != 0) head = {};
    if (pins.input(at_.reset) == 0 && pins.input(at_.come, input) != 0)
      head = {true, pins.input(at_.in_recovery, input) != 0, false, 0};
    if (!head.stands) continue;
    head.for_node = pins.input(at_.to_node, input) != 0;
    ++head.stood;
  }
}

void BlockTimerJudge::judge_input(unsigned input, bool expired, std::vector<std::string>& broken) {
  Head& head = heads_[input];
  const std::string name = "input " + std::to_string(input);
  const std::string stood = std::to_string(head.stood) + " cycles after its head came";
  const bool due = head.stands && !head.recovers && !head.for_node && head.stood == timeout_;
  if (expired && !head.stands)
    broken.push_back(name + " expires without a head");
  else if (expired && head.recovers)
    broken.push_back(name + " expires, whose head is in recovery");
  else if (expired && head.for_node)
    broken.push_back(name + " expires, whose head waits for its node");
  else if (expired && !due)
    broken.push_back(name + " expires " + stood + ", not " + std::to_string(timeout_));
  else if (!expired && due)
    broken.push_back(name + " does not expire " + stood);
  if (due) head.recovers = true;
}

}  // namespace tsuji::bench
