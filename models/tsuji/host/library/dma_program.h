// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/library/library_program.h"
#include "tsuji/host/library/payload.h"

namespace tsuji::host {

/// Who moves the data: their source, by remote DMA, or their destination, by remote read.
enum class DmaProtocol : std::uint8_t { remote_dma, remote_read };

/// One DMA (512 KB: one parcel of the largest size) from one rank to another, compared byte by byte in the
/// destination's memory. A word put behind the data tells of their arrival; those that were read, the
/// notification. Data that were put may go back, others of the same length, as in Kanoh 2000, fig. 8.
class DmaProgram final : public LibraryProgram {
 public:
  struct Config {
    std::uint32_t source = 0;
    std::uint32_t destination = 1;
    std::uint64_t bytes = 512 * 1024;  ///< a multiple of 4; remote read: of 8
    DmaProtocol protocol = DmaProtocol::remote_dma;
    /// Of the data behind a line's start, at either end: multiples like that of the length.
    std::uint64_t source_offset = 0, destination_offset = 0;
    bool returns = false;  ///< remote DMA: the destination puts as much back to the place of the source
  };
  DmaProgram(RankRuntime& runtime, const Config& config) : LibraryProgram(runtime), config_(config) {}

  /// The parcel is handed to the library, at the source (remote read: at the destination); its notification
  /// has been seen, there (remote DMA); the data are known to be there, at the destination.
  Cycle start_cycle() const { return start_; }
  Cycle arrival_cycle() const { return arrival_; }
  /// At the source: what the destination has put back is known to be there.
  Cycle return_cycle() const { return return_; }

 private:
  void play() override;
  /// One direction; `from` and `to` are ranks, `source` and `destination` addresses of the data.
  struct Way {
    std::uint32_t from, to;
    std::uint64_t source, destination;
    PayloadKey key() const { return PayloadKey::between(from, to); }
  };
  void write(const Way& way);
  void check(const Way& way);
  void put(const Way& way, std::uint64_t arrived);
  void come_back(const Way& home, std::uint64_t returned);
  void await_data(std::uint64_t arrived);
  void read(const Way& way);

  const Config config_;
  Cycle start_ = never, arrival_ = never, return_ = never;
};

}  // namespace tsuji::host
