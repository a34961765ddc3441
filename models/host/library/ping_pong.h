#pragma once

#include <cstdint>

#include "tsuji/host/library/library_program.h"
#include "tsuji/host/library/payload.h"

namespace tsuji::host {

/// Fig. 6's measurement: a message goes to and fro between two ranks; half of a round trip is the latency.
class PingPong final : public LibraryProgram {
 public:
  enum class Layer : std::uint8_t {
    paralib,  ///< a put, inline up to 8 bytes; its receiver polls the last word
    mpi,      ///< send and receive
  };
  struct Config {
    Layer layer = Layer::paralib;
    std::uint32_t first = 0;
    std::uint32_t second = 1;
    std::uint64_t bytes = 8;   ///< at least 8; a multiple of 8 for Paralib
    std::uint64_t rounds = 4;  ///< that are measured, after one that is not
    bool system_call =
        false;  ///< before every send, as if the operating system flushed the data from the cache
  };
  PingPong(RankRuntime& runtime, const Config& config) : LibraryProgram(runtime), config_(config) {}
  /// Half of the mean round trip, at the first rank.
  double one_way_cycles() const {
    return static_cast<double>(end_ - start_) / (2.0 * static_cast<double>(config_.rounds));
  }

 private:
  void play() override;
  void send(std::uint64_t number);
  void receive(std::uint64_t number);
  std::uint32_t peer() const { return runtime_.rank() == config_.first ? config_.second : config_.first; }

  const Config config_;
  std::uint64_t out_ = 0, in_ = 0;
  Cycle start_ = 0, end_ = 0;
};

}  // namespace tsuji::host
