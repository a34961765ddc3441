// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/library/rounds_program.h"

namespace tsuji::host {

enum class Collective : std::uint8_t { barrier, broadcast, all_reduce };

/// Measures rounds of one collective operation of all ranks with the library's configured algorithms; every
/// rank checks its result.
class CollectiveProgram final : public RoundsProgram {
 public:
  struct Config {
    Collective collective = Collective::barrier;
    std::uint64_t bytes = 8;  ///< Size of a broadcast or all_reduce.
    std::uint64_t rounds = 1;
  };
  CollectiveProgram(RankRuntime& runtime, const Config& config) : RoundsProgram(runtime), config_(config) {}

 private:
  void play() override;
  const Config config_;
};

}  // namespace tsuji::host
