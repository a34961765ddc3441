#pragma once

#include <cstdint>

#include "tsuji/host/library/library_program.h"
#include "tsuji/host/library/payload.h"

namespace tsuji::host {

/// Who moves the data: their source, by remote DMA, or their destination, by remote read.
enum class DmaProtocol : std::uint8_t { remote_dma, remote_read };

/// One DMA (512 KB: one parcel of the largest size) from one rank to another, compared byte by byte in the
/// destination's memory. A word put behind the data tells of their arrival; those that were read, the
/// notification.
class DmaProgram final : public LibraryProgram {
 public:
  struct Config {
    std::uint32_t source = 0;
    std::uint32_t destination = 1;
    std::uint64_t bytes = 512 * 1024;  ///< a multiple of 8
    DmaProtocol protocol = DmaProtocol::remote_dma;
  };
  DmaProgram(RankRuntime& runtime, const Config& config) : LibraryProgram(runtime), config_(config) {}

  /// The parcel is handed to the library, at the source (remote read: at the destination); its notification
  /// has been seen, there (remote DMA); the data are known to be there, at the destination.
  Cycle start_cycle() const { return start_; }
  Cycle sent_cycle() const { return sent_; }
  Cycle arrival_cycle() const { return arrival_; }

 private:
  void play() override;
  void send(std::uint64_t data, std::uint64_t words);
  void await_data(std::uint64_t arrived);
  void read(std::uint64_t data);

  const Config config_;
  Cycle start_ = never, sent_ = never, arrival_ = never;
};

}  // namespace tsuji::host
