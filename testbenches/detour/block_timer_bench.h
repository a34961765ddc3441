// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "common/scoreboard.h"
#include "common/stimulus.h"
#include "detour/block_timer_module.h"
#include "tsuji/core/random.h"

namespace tsuji::bench {

/// Handles of the pins, for driver and scoreboard.
struct BlockTimerHandles {
  explicit BlockTimerHandles(const Drive& pins)
      : reset(pins.input("reset")),
        come(pins.input("come")),
        in_recovery(pins.input("in_recovery")),
        leave(pins.input("leave")),
        to_node(pins.input("to_node")),
        expired(pins.output("expired")) {}
  std::size_t reset, come, in_recovery, leave, to_node;
  std::size_t expired;
};

struct BlockTimerPins {
  template <class Module>
  void list(Module& module, PinList& pins) const {
    constexpr unsigned inputs = router::BlockTimerModule::inputs;
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("come", 1, module.come, inputs);
    pins.in("in_recovery", 1, module.in_recovery, inputs);
    pins.in("leave", 1, module.leave, inputs);
    pins.in("to_node", 1, module.to_node, inputs);
    pins.out("expired", 1, module.expired, inputs);
  }
};

/// Stimulus: heads that stay for a few cycles, for nearly the timeout, for exactly the timeout, for longer,
/// or until they expire; that wait for their node from their arrival on or later; that arrive in recovery,
/// more often on the last channel of a network port, which is UD; that arrive in the cycle in which another
/// head leaves, or restart their timer at the front; all at once or one by one; resets at any time.
class BlockTimerStimulus final : public Stimulus {
 public:
  BlockTimerStimulus(const Drive& pins, std::uint64_t seed, Cycle timeout_cycles);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  static constexpr unsigned inputs = router::BlockTimerModule::inputs;
  struct Head {
    bool stands = false;
    Cycle leaves = 0, for_node = 0;  ///< the cycles in which it does, or begins to wait for its node
  };
  void come(Cycle cycle, unsigned input, Drive& pins);
  Cycle stay(Cycle phase);
  CounterRandom random_;
  const Cycle timeout_;
  std::array<Head, inputs> heads_;
  const BlockTimerHandles at_;
};

/// Rules of the block timer (Yoshinaga 2004, 2.4 and 5; rooms/router.md). A head that has
/// been at the front of its input virtual channel for the timeout enters recovery in the cycle in which the
/// timeout ends; heads that wait for their node and heads in recovery do not.
class BlockTimerJudge final : public Scoreboard {
 public:
  BlockTimerJudge(const Drive& pins, Cycle timeout_cycles);
  void judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) override;

 private:
  static constexpr unsigned inputs = router::BlockTimerModule::inputs;
  struct Head {
    bool stands = false, recovers = false, for_node = false;
    Cycle stood = 0;  ///< number of cycles for which the head has waited
  };
  void judge_input(unsigned input, bool expired, std::vector<std::string>& broken);
  const Cycle timeout_;
  const BlockTimerHandles at_;
  std::array<Head, inputs> heads_;
};

}  // namespace tsuji::bench
