// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tsuji/host/library/library_program.h"
#include "tsuji/host/library/numbered_block.h"

namespace tsuji::host {

/// State of the message in its sender's cache when it is sent.
enum class MessageData : std::uint8_t {
  dirty,  ///< The application has just written the message.
  clean,  ///< The message was written once before; two blocks are sent alternately.
};

/// Measurement of Kanoh 2000, figs. 6 and 7: a message is exchanged between two ranks; half of a round trip
/// is the latency. The last message of each direction is compared.
class PingPong final : public LibraryProgram {
 public:
  enum class Layer : std::uint8_t {
    paralib,  ///< A put, inline up to 8 bytes, whose receiver polls the last word.
    mpi,      ///< Send and receive of the MPI layer.
  };
  struct Config {
    Layer layer = Layer::paralib;
    std::uint32_t first = 0;
    std::uint32_t second = 1;
    std::uint64_t bytes = 8;  ///< Length of the message: a multiple of 8, at least 8.
    /// Measured rounds; one round that is not measured precedes them (two with clean data).
    std::uint64_t rounds = 4;
    bool system_call = false;  ///< A system call precedes every send and flushes the message from the cache.
    MessageData data = MessageData::dirty;
    std::uint64_t source_offset = 0;  ///< Offset of the message in its cache line, a multiple of 8.
  };
  PingPong(RankRuntime& runtime, const Config& config) : LibraryProgram(runtime), config_(config) {}
  /// Half of the mean round trip, at the first rank.
  double one_way_cycles() const {
    return static_cast<double>(end_ - start_) / (2.0 * static_cast<double>(config_.rounds));
  }

 private:
  void play() override;
  void prepare(std::uint64_t round);
  void send(std::uint64_t round);
  void receive(std::uint64_t round);
  /// Index of the block of a round. number_of() is its number.
  unsigned block_of(std::uint64_t round) const { return config_.data == MessageData::clean ? round % 2 : 0; }
  std::uint64_t number_of(std::uint64_t round) const {
    return config_.data == MessageData::clean ? 1 + round % 2 : 1 + round;
  }
  std::uint32_t peer() const { return runtime_.rank() == config_.first ? config_.second : config_.first; }
  bool plays() const { return runtime_.rank() == config_.first || runtime_.rank() == config_.second; }
  NumberedBlock contents(std::uint32_t from, std::uint32_t to) const;

  const Config config_;
  std::uint64_t out_[2] = {0, 0}, in_ = 0;
  Cycle start_ = 0, end_ = 0;
};

}  // namespace tsuji::host
