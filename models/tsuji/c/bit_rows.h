// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/pins/device.h"

namespace tsuji::c {

/// Rows of a device as vectors of bits in words of 32, lowest first: the first pin is at the high end, lane 0
/// of a pin at the pin's low end.
class BitRows {
 public:
  BitRows() = default;
  explicit BitRows(const std::vector<pins::Pin>& pins);
  unsigned input_bits() const { return bits_[1]; }
  unsigned output_bits() const { return bits_[0]; }
  /// `unknown` has a bit for each bit, or is null.
  void unpack(const std::uint32_t* words, const std::uint32_t* unknown, std::uint64_t* inputs) const;
  void pack(const std::uint64_t* outputs, std::uint32_t* words) const;

 private:
  /// Lanes that lie one above the other, at most 64 bits together.
  struct Piece {
    unsigned bit;  ///< place of the lowest bit
    unsigned width_bits, lanes;
    std::size_t at;  ///< place in the row
  };
  std::vector<Piece> inputs_, outputs_;
  unsigned bits_[2] = {0, 0};
};

}  // namespace tsuji::c
