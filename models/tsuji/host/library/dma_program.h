// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/library/library_program.h"
#include "tsuji/host/library/payload.h"

namespace tsuji::host {

/// Side that initiates the transfer: the source by remote DMA, or the destination by remote read.
enum class DmaProtocol : std::uint8_t { remote_dma, remote_read };

/// Measures one DMA (512 KB: one parcel of the largest size) from one rank to another; the destination's
/// memory is compared byte by byte. The arrival is detected by a word that is put after the data or, for a
/// remote read, by its notification. After a remote DMA, other data of equal length may be sent back, as in
/// Kanoh 2000, fig. 8.
class DmaProgram final : public LibraryProgram {
 public:
  struct Config {
    std::uint32_t source = 0;
    std::uint32_t destination = 1;
    std::uint64_t bytes = 512 * 1024;  ///< Length of the data: a multiple of 4, for a remote read of 8.
    DmaProtocol protocol = DmaProtocol::remote_dma;
    /// Offsets of the data in their cache lines, at the source and the destination; multiples as required of
    /// `bytes`.
    std::uint64_t source_offset = 0, destination_offset = 0;
    /// Remote DMA only: the destination sends an equal amount back to the source's data.
    bool returns = false;
  };
  DmaProgram(RankRuntime& runtime, const Config& config) : LibraryProgram(runtime), config_(config) {}

  /// Cycles of the transfer. Start: the parcel is passed to the library, at the source (remote read: at the
  /// destination). Arrival: the data are known to have arrived, at the destination; for remote DMA, also the
  /// source's notification has been seen, at the source.
  Cycle start_cycle() const { return start_; }
  Cycle arrival_cycle() const { return arrival_; }
  /// At the source: cycle in which the returned data are known to have arrived.
  Cycle return_cycle() const { return return_; }

 private:
  void play() override;
  /// One direction of the transfer; `from` and `to` are ranks, `source` and `destination` addresses of the
  /// data.
  struct Transfer {
    std::uint32_t from, to;
    std::uint64_t source, destination;
    PayloadKey key() const { return PayloadKey::between(from, to); }
  };
  void write(const Transfer& transfer);
  void check(const Transfer& transfer);
  void put(const Transfer& transfer, std::uint64_t arrived);
  void come_back(const Transfer& home, std::uint64_t returned);
  void await_data(std::uint64_t arrived);
  void read(const Transfer& transfer);

  const Config config_;
  Cycle start_ = never, arrival_ = never, return_ = never;
};

}  // namespace tsuji::host
