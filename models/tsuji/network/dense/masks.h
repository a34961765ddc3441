// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Masks of virtual channels, units and ports.

namespace tsuji::network::dense {

using Bits = std::uint64_t;
/// Mask of the virtual channels of a router that has more than Bits can name.
__extension__ using WideBits = unsigned __int128;

constexpr Bits bit(unsigned number) {
  return Bits{1} << number;
}
/// Number of the lowest set bit of a mask that is not 0.
template <class Mask>
unsigned lowest(Mask bits) {
  const auto low = static_cast<Bits>(bits);
  if constexpr (sizeof(Mask) > sizeof(Bits)) {
    if (low == 0) return 64 + lowest(static_cast<Bits>(bits >> 64));
  }
  return static_cast<unsigned>(__builtin_ctzll(low));
}
template <class Mask>
Mask lowest_bit(Mask bits) {
  return bits & (~bits + 1);
}
/// Number of the lowest set bit of `lines & preferred`, or of `lines`, which is not 0, if that is empty.
template <class Mask>
unsigned first_of(Mask lines, Mask preferred) {
  const Mask best = lines & preferred;
  return lowest(best != 0 ? best : lines);
}
/// Number of the lowest set bit of `lines`, which is not 0, above `last`, or of the lowest one if there is
/// none. `last` is less than the width of the mask.
template <class Mask>
unsigned first_after(Mask lines, unsigned last) {
  return first_of<Mask>(lines, ~Mask{1} << last);
}
inline bool seldom(bool condition) {
  return __builtin_expect(static_cast<long>(condition), 0L) != 0;
}

/// Reads a mask from words of a row, and sets them to 0.
template <class Mask>
struct MaskWords {
  static constexpr unsigned count = sizeof(Mask) / sizeof(Bits);
  static Mask read(const Bits* words) {
    if constexpr (count == 1) {
      return words[0];
    } else {
      return words[0] | Mask{words[1]} << 64;
    }
  }
  /// Not 0 if the mask is not.
  static Bits folded(Mask mask) {
    if constexpr (count == 1) {
      return mask;
    } else {
      return static_cast<Bits>(mask) | static_cast<Bits>(mask >> 64);
    }
  }
  static void clear(Bits* words) {
    for (unsigned word = 0; word < count; ++word) words[word] = 0;
  }
};

}  // namespace tsuji::network::dense
