// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/scoreboard.h"
#include "detour/decision_pins.h"
#include "detour/fault_scenes.h"
#include "detour/plain_tables.h"

namespace tsuji::bench {

/// Rules of fig. 1 of Yoshinaga 2004. A head at its destination is ejected. In recovery it goes by the
/// up/down word, on UD channels alone, and never turns back nor up after down. Else it goes on FA channels:
/// by the torus word in a fault region, by all minimal ways outside, and back only where there is no other
/// way. Beside the decision the words are judged: by the faults of the scene and searches of its own.
class DecisionJudge final : public Scoreboard {
 public:
  DecisionJudge(const Drive& pins, const routing::DecisionConfig& config);
  void judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) override;

 private:
  static constexpr unsigned ports = PlainTables::ports;
  /// Inputs of the cycle before.
  struct Asked {
    bool head = false;
    unsigned x, y, to_x, to_y, in_port;
    bool on_ud, recovers, in_region;
    unsigned torus_word, up_down_word;
    std::size_t scene;
  };
  struct Decided {
    bool eject, reads;
    unsigned fa, ud;
  };
  using Lines = std::vector<std::string>;
  void take(Cycle cycle, const Sample& pins);
  void judge_idle(const Sample& pins, Lines& broken) const;
  void judge_tables(Lines& broken);
  void judge_recovery(const Decided& decided, Lines& broken);
  void judge_adaptive(const Decided& decided, Lines& broken);
  void judge_ways(unsigned got, unsigned expected, Lines& broken) const;
  void judge_turns(unsigned ways, Lines& broken);
  unsigned minimal_ways() const;
  unsigned router(unsigned x, unsigned y) const { return y * radices_[0] + x; }

  const std::vector<unsigned> radices_;
  const bool wraps_;
  const FaultScenes scenes_;
  std::vector<PlainTables> tables_;  ///< [scene]
  Asked asked_ = {};
  const DecisionHandles at_;
};

}  // namespace tsuji::bench
