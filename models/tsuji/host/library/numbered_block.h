// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/cpu.h"
#include "tsuji/host/library/payload.h"

namespace tsuji::host {

/// A block of memory whose bytes are a function of a key and a number, and whose last word is the number. The
/// words of a put are written in order, so that a receiver that polls the last word knows when the whole
/// block has arrived. `bytes` is a multiple of 8, at least 8. Written and checked as the application's work,
/// without taking time.
struct NumberedBlock {
  PayloadKey key;           ///< Key of the bytes' function.
  std::uint64_t bytes = 8;  ///< Length in bytes, a multiple of 8.

  /// Address of the word that holds the number, for a block at `address`.
  std::uint64_t last_word(std::uint64_t address) const { return address + bytes - 8; }
  /// Writes the block number `number` at `address`.
  void write(Cpu& cpu, std::uint64_t address, std::uint64_t number) const;
  /// Throws ModelError for the first wrong byte.
  void check(Cpu& cpu, std::uint64_t address, std::uint64_t number) const;

 private:
  PayloadKey numbered(std::uint64_t number) const;
};

}  // namespace tsuji::host
