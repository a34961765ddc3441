// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/library/library_program.h"

namespace tsuji::host {

/// Measures `rounds` consecutive barriers of all ranks with the configured method. A first barrier, which is
/// not measured, aligns the ranks.
class BarrierProgram final : public LibraryProgram {
 public:
  BarrierProgram(RankRuntime& runtime, std::uint64_t rounds) : LibraryProgram(runtime), rounds_(rounds) {}
  Cycle start_cycle() const { return start_; }
  Cycle end_cycle() const { return end_; }
  double cycles_per_round() const {
    return rounds_ == 0 ? 0 : static_cast<double>(end_ - start_) / static_cast<double>(rounds_);
  }

 private:
  void play() override {
    enter("barriers");
    barrier();
    start_ = runtime_.cpu.now();
    for (std::uint64_t round = 0; round < rounds_; ++round) barrier();
    end_ = runtime_.cpu.now();
  }

  const std::uint64_t rounds_;
  Cycle start_ = never, end_ = never;
};

}  // namespace tsuji::host
