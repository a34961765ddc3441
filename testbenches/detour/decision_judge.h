// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/scoreboard.h"
#include "detour/decision_pins.h"
#include "detour/fault_scenes.h"
#include "detour/searched_tables.h"

namespace tsuji::bench {

/// Rules of fig. 1 of Yoshinaga 2004. A head at its destination is ejected. In recovery it follows the
/// up/down word, on UD channels only, and turns neither back nor up after down. Otherwise it uses FA
/// channels: ports of the torus word in a fault region, all minimal ports outside, and the port back only
/// without any other. Table entries are also checked, by independent searches on the faults of the scene.
class DecisionJudge final : public Scoreboard {
 public:
  DecisionJudge(const Drive& pins, const routing::DecisionConfig& config);
  void judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) override;

 private:
  static constexpr unsigned ports = SearchedTables::ports;
  /// Inputs of the previous cycle.
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
  void judge_candidates(unsigned got, unsigned expected, Lines& broken) const;
  void judge_turns(unsigned candidates, Lines& broken);
  unsigned minimal_ports() const;
  unsigned router(unsigned x, unsigned y) const { return y * radices_[0] + x; }

  const std::vector<unsigned> radices_;
  const bool wraps_;
  const FaultScenes scenes_;
  std::vector<SearchedTables> tables_;  ///< [scene]
  Asked asked_ = {};
  const DecisionHandles at_;
};

}  // namespace tsuji::bench
