// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/host/library/numbered_block.h"
#include "tsuji/host/library/rounds_program.h"

namespace tsuji::host {

/// Order in which nodes send to each other: methods A to C of Kanoh 2000, section 6.2, and all-to-one.
enum class ExchangeMethod : std::uint8_t {
  in_order,   ///< A: every rank sends to ranks 0, 1, .., N - 1.
  staggered,  ///< B: rank i sends to ranks i + 1, i + 2, .., i.
  multicast,  ///< C: every rank sends one multicast to all ranks.
  to_one,     ///< Every rank sends to rank 0.
};

/// N-to-N communication: every rank puts one block to every rank, including itself (or only to the `peers`
/// ranks after it), and waits for all blocks sent to it. Every block is compared after each round.
class ExchangeProgram final : public RoundsProgram {
 public:
  struct Config {
    ExchangeMethod method = ExchangeMethod::staggered;
    std::uint64_t bytes = 4096;  ///< Size of a block, a multiple of 8.
    std::uint64_t rounds = 1;
    /// Staggered only: number of destinations of a rank, at most all ranks; 0: all ranks.
    std::uint32_t peers = 0;
  };
  ExchangeProgram(RankRuntime& runtime, const Config& config) : RoundsProgram(runtime), config_(config) {}
  /// Blocks that this rank receives in a round.
  std::uint32_t blocks() const { return receives() ? targets() : 0; }

 private:
  void play() override;
  void send(const GroupHandle& group);
  void put(Target to, std::uint64_t notification);
  void await(std::uint64_t number);
  bool receives() const { return config_.method != ExchangeMethod::to_one || runtime_.rank() == 0; }
  std::uint32_t targets() const { return config_.peers == 0 ? runtime_.ranks() : config_.peers; }
  bool sends_here(std::uint32_t source) const {
    return (runtime_.rank() + runtime_.ranks() - 1 - source) % runtime_.ranks() < targets();
  }
  std::uint64_t block(std::uint32_t source) const;
  NumberedBlock contents(std::uint32_t source) const;

  const Config config_;
  std::uint64_t out_ = 0, in_ = 0, sent_ = 0;
  const std::string waits_for_block_ = "a block of an exchange", waits_for_sending_ = "the end of a send";
};

}  // namespace tsuji::host
