// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

// Masks of virtual channels, units and ports.

namespace tsuji::network::dense {

using Bits = std::uint64_t;
/// Mask of a router that has no more virtual channels and ports than this can name.
using SlimBits = std::uint32_t;
/// Mask of the virtual channels, or ports, of a router that has more than Bits can name.
__extension__ using WideBits = unsigned __int128;

/// The same for more than WideBits can name: 256 bits, with the operators of unsigned integers that masks
/// need.
class VastBits {
 public:
  constexpr VastBits(Bits low = 0) : low_(low), high_(0) {}
  explicit constexpr operator Bits() const { return static_cast<Bits>(low_); }
  explicit constexpr operator unsigned() const { return static_cast<unsigned>(low_); }

  friend constexpr bool operator==(VastBits a, VastBits b) { return a.low_ == b.low_ && a.high_ == b.high_; }
  friend constexpr bool operator!=(VastBits a, VastBits b) { return !(a == b); }
  friend constexpr VastBits operator~(VastBits a) { return {~a.low_, ~a.high_}; }
  friend constexpr VastBits operator|(VastBits a, VastBits b) { return {a.low_ | b.low_, a.high_ | b.high_}; }
  friend constexpr VastBits operator&(VastBits a, VastBits b) { return {a.low_ & b.low_, a.high_ & b.high_}; }
  friend constexpr VastBits operator+(VastBits a, VastBits b) {
    const WideBits low = a.low_ + b.low_;
    return {low, a.high_ + b.high_ + (low < a.low_ ? 1U : 0U)};
  }
  friend constexpr VastBits operator-(VastBits a, VastBits b) {
    return {a.low_ - b.low_, a.high_ - b.high_ - (a.low_ < b.low_ ? 1U : 0U)};
  }
  friend constexpr VastBits operator<<(VastBits a, unsigned by) {
    if (by >= half) return {0, a.low_ << (by - half)};
    return by == 0 ? a : VastBits{a.low_ << by, a.high_ << by | a.low_ >> (half - by)};
  }
  friend constexpr VastBits operator>>(VastBits a, unsigned by) {
    if (by >= half) return {a.high_ >> (by - half), 0};
    return by == 0 ? a : VastBits{a.low_ >> by | a.high_ << (half - by), a.high_ >> by};
  }
  constexpr VastBits& operator|=(VastBits other) { return *this = *this | other; }
  constexpr VastBits& operator&=(VastBits other) { return *this = *this & other; }
  constexpr VastBits& operator^=(VastBits other) { return *this = (*this | other) & ~(*this & other); }

 private:
  static constexpr unsigned half = 128;
  constexpr VastBits(WideBits low, WideBits high) : low_(low), high_(high) {}
  WideBits low_, high_;
};

constexpr Bits bit(unsigned number) {
  return Bits{1} << number;
}
/// Number of the lowest set bit of a mask that is not 0.
template <class Mask>
unsigned lowest(Mask bits) {
  auto low = static_cast<Bits>(bits);
  unsigned first = 0;
  if constexpr (sizeof(Mask) > sizeof(Bits)) {
    for (; low == 0; first += 64) low = static_cast<Bits>(bits = bits >> 64U);
  }
  return first + static_cast<unsigned>(__builtin_ctzll(low));
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
  using Word = std::conditional_t<sizeof(Mask) < sizeof(Bits), SlimBits, Bits>;
  static constexpr unsigned count = sizeof(Mask) / sizeof(Word);
  static Mask read(const Word* words) {
    Mask mask = words[0];
    for (unsigned word = 1; word < count; ++word) mask |= Mask{words[word]} << 64 * word;
    return mask;
  }
  static unsigned set_bits(Mask mask) {
    unsigned found = 0;
    for (unsigned word = 0; word < count; ++word)
      found += static_cast<unsigned>(__builtin_popcountll(static_cast<Bits>(mask >> 64 * word)));
    return found;
  }
  /// Not 0 if the mask is not.
  static Bits folded(Mask mask) {
    auto bits = static_cast<Bits>(mask);
    for (unsigned word = 1; word < count; ++word) bits |= static_cast<Bits>(mask >> 64 * word);
    return bits;
  }
  static void clear(Word* words) {
    for (unsigned word = 0; word < count; ++word) words[word] = 0;
  }
};

}  // namespace tsuji::network::dense
