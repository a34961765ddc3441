// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "tsuji/host/library/library_program.h"

namespace tsuji::host {

/// Base of programs that measure rounds of an operation. All ranks begin a round in one cycle, which rank 0
/// chooses and broadcasts, so that the time of a round excludes the skew of the preceding barrier.
class RoundsProgram : public LibraryProgram {
 public:
  using LibraryProgram::LibraryProgram;
  /// Number of rounds that this rank has finished.
  std::size_t rounds() const { return ends_.size(); }
  /// Cycle in which a round began, equal at all ranks.
  Cycle start_cycle(std::size_t round) const { return starts_[round]; }
  /// Cycle in which this rank finished a round.
  Cycle end_cycle(std::size_t round) const { return ends_[round]; }

 protected:
  /// Part of a round; `number` counts from 1.
  using Step = std::function<void(std::uint64_t number)>;
  /// Runs rounds 1 to `rounds`: `before` prepares a round, `once` is measured, and `after` runs when all
  /// ranks have finished.
  void play_rounds(std::uint64_t rounds, const Step& before, const Step& once, const Step& after);

 private:
  Cycle agreed_start(std::uint64_t word);

  std::vector<Cycle> starts_, ends_;
};

/// Mean time of a round from its start until its last rank has finished. `program(rank)` returns a
/// RoundsProgram.
template <class ProgramOf>
double mean_round_cycles(unsigned ranks, const ProgramOf& program) {
  const std::size_t rounds = program(0).rounds();
  Cycle sum = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    Cycle last = 0;
    for (unsigned rank = 0; rank < ranks; ++rank) last = std::max(last, program(rank).end_cycle(round));
    sum += last - program(0).start_cycle(round);
  }
  return rounds == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(rounds);
}

}  // namespace tsuji::host
