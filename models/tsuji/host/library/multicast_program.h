// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/library/library_program.h"
#include "tsuji/host/library/payload.h"

namespace tsuji::host {

/// Measures one hardware multicast from `root` to all ranks, including itself: data by remote DMA to address
/// register 0, then a word that indicates their arrival. Every rank compares its copy.
class MulticastProgram final : public LibraryProgram {
 public:
  struct Config {
    std::uint32_t root = 0;
    std::uint64_t bytes = 256;  ///< Length of the data, a multiple of 8.
  };
  MulticastProgram(RankRuntime& runtime, const Config& config) : LibraryProgram(runtime), config_(config) {}

  Cycle start_cycle() const { return start_; }      ///< Start at the root.
  Cycle arrival_cycle() const { return arrival_; }  ///< Arrival at this rank.

 private:
  void play() override;

  const Config config_;
  Cycle start_ = never, arrival_ = never;
};

}  // namespace tsuji::host
